"""`replay`: consume a stretch of a topic once more."""

from dataclasses import asdict
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer

from pipelines.topics import Topic
from workers.operate.console import (
    AsJson,
    DryRun,
    ExitState,
    UsageError,
    boundary,
    note,
    progress_bar,
    say,
    say_json,
    settings_or_exit,
)
from workers.operate.log import Offsets
from workers.operate.replay import Replay, Stretch, replay
from workers.operate.times import instant

_EARLIEST = datetime.fromtimestamp(0, UTC)


class Source(StrEnum):
    """Topics that a worker reads."""

    TURNS = "turns"
    SCORED = "scored"
    CLAIMS = "claims"
    CONFLICTS = "conflicts"


def replay_command(
    start: Annotated[str, typer.Option("--from", help="An instant (ISO 8601 with offset), an offset, or `earliest`.")],
    topic: Annotated[Source, typer.Option(help="Which topic; `turns` drives the whole pipeline.")] = Source.TURNS,
    partition: Annotated[int | None, typer.Option(min=0, help="Only this partition; with an offset.")] = None,
    until: Annotated[str | None, typer.Option(help="Instant before which to stop; by default the end.")] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Consume a topic once more, beside the workers. What was applied before changes nothing."""
    settings = settings_or_exit()
    with boundary("replay"):
        stretch = Stretch(Topic(topic), _start(start, partition), None if until is None else instant(until, "--until"))
        with progress_bar(f"replaying {topic}") as bar:
            done = replay(settings, stretch, bar, dry_run=dry_run)
    if as_json:
        say_json(asdict(done))
    else:
        say(as_text(done))
    tell_lost(done)
    if done.lost:
        raise typer.Exit(ExitState.FINDINGS)


def _start(text: str, partition: int | None) -> Offsets | datetime | int:
    if text.isdecimal():
        return int(text) if partition is None else {partition: int(text)}
    if partition is not None:
        raise UsageError("--partition goes with an offset")
    return _EARLIEST if text == "earliest" else instant(text, "--from")


def as_text(done: Replay) -> str:
    """One line, for people."""
    times = (
        "" if done.first is None or done.last is None else f" of {done.first.isoformat()} to {done.last.isoformat()}"
    )
    if done.dry_run:
        return f"would replay {done.events} events{times} of {done.topic} through {done.worker}"
    return (
        f"replayed {done.events} events{times} of {done.topic} through {done.worker}: "
        f"{done.known} known before, {done.dead} to the dead letters"
    )


def tell_lost(done: Replay) -> None:
    """Say what could not be replayed because the topic no longer keeps it."""
    for number, count in sorted(done.lost.items()):
        note(f"partition {number}: {count} events that were asked for are no longer on {done.topic}")
