"""How much of everything: little for every change, much for the record."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """Amounts of one form of the suite.

    Attributes:
        name: short or long.
        turns: Published in each scenario.
        kills: Of workers, over these turns.
        kill_pause: Mean seconds between them.
        broker_seconds: How long the broker is away.
        rounds: Rolling restarts of three brokers.
        postgres_seconds: How long the database is away.
        line_rounds: How often lines are cut, refused, delayed and half closed.
        line_seconds: How long each of these lasts.
        full_seconds: How long the disk stays full.
        model_seconds: How long the model is away.
        rate: Turns a second where nothing else sets the pace.
    """

    name: str
    turns: int
    kills: int
    kill_pause: float
    broker_seconds: float
    rounds: int
    postgres_seconds: float
    line_rounds: int
    line_seconds: float
    full_seconds: float
    model_seconds: float
    rate: float


SHORT = Size("short", 600, 8, 1.5, 20.0, 1, 20.0, 1, 3.0, 8.0, 15.0, 60.0)
LONG = Size("long", 10_000, 50, 2.5, 120.0, 2, 360.0, 5, 5.0, 30.0, 120.0, 150.0)
