"""Simulated users: worlds that differ in how often people deviate, travel, mark what is passing, and speak.

A user has one slot with a lasting value ("old"), which in half of the runs becomes "new" on a known day. What they
choose each day follows from that, from deviations and from episodes. The simulation knows the lasting value of
every day; the rules see the uses alone.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

OLD, NEW = "old", "new"
CHANGE_DAY = 20
"""The lasting value of a changer changes on this day."""
WATCHED = 60
"""Days for which users are watched."""


@dataclass(frozen=True, slots=True)
class World:
    """One kind of user. Rates are probabilities a day unless they say otherwise."""

    name: str
    about: str
    speaks: float = 0.8
    """Days with a session about the slot."""
    deviates: float = 0.12
    """Days of a stable user that show another value."""
    departs: float = 0.03
    """Days on which an episode begins."""
    away: tuple[int, int] = (3, 7)
    """Shortest and longest episode, in days after its first."""
    marks: float = 0.6
    """Share of passing uses that are marked as passing."""
    mismarks: float = 0.0
    """Share of lasting uses that are marked as passing."""
    keeps: float = 0.9
    """Days of a changed user that show the new value."""
    gradual: int = 0
    """Days over which the new value takes the place of the old one."""
    returns: int | None = None
    """Days after the change until the old value is back for good."""
    weekend: bool = False
    """The new value on every Saturday and Sunday, unmarked as often as `marks` leaves it."""
    others: tuple[str, ...] = ()
    """Deviations are spread evenly over these and the new value."""
    per_day: tuple[int, int] = (1, 1)
    """Fewest and most sessions of a day that has any."""
    burst: tuple[int, int] | None = None
    """Speaks for so many days, then is silent for so many."""
    hops: bool = False
    """Every few days in a time zone eight hours east, with sessions late in the evening."""
    empty: bool = False
    """Nothing is stored: the old value is no value, and on other days one of `others` is used."""
    spread: bool = False
    """The slot is a set, in which each value stands for itself."""
    days: int = WATCHED
    """For which a user who never changes is watched, and a changer after the change."""
    false_limit: float = 0.015
    """Share of users that may see a false promotion."""
    delay_limit: int | None = None
    """Median days to notice a change."""
    misses_limit: float | None = None
    """Share of changes that may go unnoticed for `WATCHED` days."""

    @property
    def new_from(self) -> int:
        """The day from which on a changer's new value is the lasting one: the middle of a gradual change."""
        return CHANGE_DAY + self.gradual // 2


@dataclass(frozen=True, slots=True)
class Use:
    """One session about the slot."""

    day: int
    hour: float
    """Local."""
    value: str
    cued: bool
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class User:
    """What one user did, and what was true of them."""

    world: World
    seed: int
    changes: bool
    uses: tuple[Use, ...]
    lasting: tuple[str | None, ...]
    """By day; None: no lasting value."""


def simulate(world: World, seed: int, *, changes: bool) -> User:
    """One user of a world, the same for the same seed."""
    chance = random.Random(f"{world.name}/{seed}/{changes}")
    days = world.days + (CHANGE_DAY if changes else 0)
    lasting = [_lasting(world, day, changes=changes) for day in range(days)]
    uses: list[Use] = []
    away_until = -1
    for day in range(days):
        if chance.random() < world.departs and day > away_until:
            away_until = day + chance.randint(*world.away)
        if _silent(world, day, chance):
            continue
        zone = "Asia/Shanghai" if world.hops and (day // 4) % 2 else "UTC"
        count = chance.randint(*world.per_day)
        for number in range(count):
            value, cued = _use(world, day, chance, changes=changes, away=day <= away_until)
            hour = (9 + 12 * (number + chance.random()) / count) if not world.hops else 19 + 4 * chance.random()
            uses.append(Use(day, hour, value, cued, zone))
    return User(world, seed, changes, tuple(uses), tuple(lasting))


def _lasting(world: World, day: int, *, changes: bool) -> str | None:
    since = day - world.new_from
    old = None if world.empty else OLD
    if not changes or since < 0 or (world.returns is not None and since >= world.returns):
        return old
    return NEW


def _silent(world: World, day: int, chance: random.Random) -> bool:
    if world.burst is not None and day % sum(world.burst) >= world.burst[0]:
        return True
    return chance.random() > world.speaks


def _use(world: World, day: int, chance: random.Random, *, changes: bool, away: bool) -> tuple[str, bool]:
    share = _share(world, day, changes=changes)
    if share is not None and chance.random() < share:
        kept = chance.random() < world.keeps
        return (NEW, chance.random() < world.mismarks) if kept else (_usual(world, chance), False)
    if away or (world.weekend and day % 7 in (5, 6)):
        return NEW, chance.random() < world.marks
    if chance.random() < world.deviates:
        value = NEW if world.empty else chance.choice((NEW, *world.others))
        return value, chance.random() < world.marks
    return _usual(world, chance), False


def _usual(world: World, chance: random.Random) -> str:
    return chance.choice(world.others) if world.empty else OLD


def _share(world: World, day: int, *, changes: bool) -> float | None:
    """How far the change has come on `day`, in [0, 1]; None: there is none."""
    since = day - CHANGE_DAY
    if not changes or since < 0 or (world.returns is not None and since >= world.returns):
        return None
    return min(1.0, (since + 1) / world.gradual) if world.gradual else 1.0


_MANY = tuple(f"other {number}" for number in range(12))
HARD = 0.03
HARDEST = 0.05

BASE = World("base", "speaks on 80 % of days, deviates on 12 %, marks 60 %, trips of 4 to 8 days", delay_limit=10)
_WITHOUT = replace(BASE, marks=0.0, delay_limit=22)


def _like(world: World, name: str, about: str, **changed: object) -> World:
    return replace(world, name=name, about=about, **{"delay_limit": None, **changed})  # type: ignore[arg-type]


WORLDS: Sequence[World] = (
    BASE,
    _like(BASE, "deviates 2 %", "as base, few deviations and trips", deviates=0.02, departs=0.01, away=(3, 5)),
    _like(BASE, "deviates 5 %", "as base, few deviations and trips", deviates=0.05, departs=0.01, away=(3, 5)),
    _like(BASE, "deviates 30 %", "as base, many deviations", deviates=0.3),
    _like(BASE, "deviates 40 %", "as base, very many deviations", deviates=0.4),
    _like(BASE, "short trips", "many trips of 2 to 3 days", departs=0.06, away=(1, 2)),
    _like(BASE, "long trips", "trips of 8 to 15 days", departs=0.02, away=(7, 14)),
    _like(_WITHOUT, "never marks", "as base, nothing passing is marked", delay_limit=22),
    _like(BASE, "marks 10 %", "as base, few cues", marks=0.1),
    _like(BASE, "marks 20 %", "as base, few cues", marks=0.2),
    _like(BASE, "marks 35 %", "as base, some cues", marks=0.35),
    _like(BASE, "always marks", "as base, everything passing is marked", marks=1.0),
    _like(BASE, "marks 20 %, deviates 30 %", "hard", marks=0.2, deviates=0.3, false_limit=HARDEST),
    _like(_WITHOUT, "never marks, deviates 30 %", "hard", deviates=0.3, false_limit=HARD),
    _like(_WITHOUT, "never marks, long trips", "hard", departs=0.02, away=(7, 14), false_limit=HARD),
    _like(BASE, "marks 20 %, long trips", "hard", marks=0.2, departs=0.02, away=(7, 14), false_limit=HARD),
    _like(BASE, "cues are noise", "one use in five is marked, whatever it is", marks=0.2, mismarks=0.2),
    _like(BASE, "sparse", "a session every 4 to 5 days", speaks=0.22, misses_limit=0.04),
    _like(_WITHOUT, "sparse, never marks", "a session every 4 to 5 days", speaks=0.22, misses_limit=0.08),
    _like(BASE, "a session a week", "as base, seldom heard", speaks=1 / 7),
    _like(BASE, "dense", "one or two sessions on every day", speaks=1.0, per_day=(1, 2)),
    _like(BASE, "many sessions a day", "five to ten sessions on some days", speaks=0.4, per_day=(5, 10)),
    _like(BASE, "bursts then silence", "ten days of sessions, then ten without", burst=(10, 10)),
    _like(BASE, "noisy change", "a changed user keeps to it on 75 % of days", keeps=0.75),
    _like(BASE, "gradual change", "the new value takes over within 30 days", gradual=30),
    _like(BASE, "there and back", "the old value is back for good after 30 days", returns=30),
    _like(BASE, "weekends differ", "another value on Saturdays and Sundays", weekend=True, departs=0.01),
    _like(BASE, "several contenders", "deviations go to four values", others=_MANY[:3], deviates=0.3),
    _like(BASE, "two time zones", "flies eight hours east and back every four days", hops=True),
    _like(BASE, "empty slot", "nothing is stored; a habit forms, or a phase passes", empty=True, others=_MANY),
    _like(BASE, "empty set", "the same in a set", empty=True, others=_MANY, spread=True),
)
"""All worlds; what is fixed here is what the results are about."""
