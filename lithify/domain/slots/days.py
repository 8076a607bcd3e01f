"""What was said on which day, as rows that never change: a book replaces them, so a fork of it may share them.

A day is known by its place in its book, a session by its key; neither holds the other.
"""

from dataclasses import dataclass, field
from datetime import datetime

from lithify.domain.claims import Claim, order
from lithify.domain.slots.rows import SessionKey, Stance

Order = tuple[datetime, int, str, int]
DayNumber = int
"""The place of a day in its book, oldest first."""


@dataclass(frozen=True, slots=True)
class Day:
    """One local day; ends that lie close together (a flight) are one."""

    first_end: datetime
    end: datetime
    talks: tuple[SessionKey, ...] = ()
    """Sessions that spoke for a value for the first time on it."""
    guess: Stance | None = None
    """What a model guessed, where nobody spoke."""
    observed: bool = False


@dataclass(frozen=True, slots=True)
class DayEnd:
    """A timer: the day of one book is over."""

    book: int
    day: DayNumber


_NOTHING: frozenset[Stance] = frozenset()


@dataclass(frozen=True, slots=True)
class Talk:
    """What one session said about the cell."""

    latest: Order
    last: Stance | None = None
    firsts: dict[Stance, DayNumber] = field(default_factory=dict)
    """By value, the day of its first claim; never changed in place."""
    cued: frozenset[Stance] = _NOTHING
    strong: frozenset[Stance] = _NOTHING

    def supports(self, stance: Stance) -> bool:
        """Whether the session ended up for `stance`."""
        return self.last == stance and stance in self.firsts

    def plainly(self, stance: Stance) -> bool:
        """Whether its support of `stance` was not marked as passing."""
        return stance not in self.cued or stance in self.strong

    def without(self, stance: Stance) -> "Talk":
        """The same, had it never spoken for `stance`; its cues stay, should it speak again."""
        firsts = {other: day for other, day in self.firsts.items() if other != stance}
        return Talk(self.latest, None if self.last == stance else self.last, firsts, self.cued, self.strong)


def spoken(before: Talk | None, claim: Claim, stance: Stance, *, cued: bool, strong: bool, day: DayNumber) -> Talk:
    """What a session has said once it spoke for `stance` on `day`."""
    old = before or Talk(order(claim))
    firsts = old.firsts if stance in old.firsts else {**old.firsts, stance: day}
    marked = old.cued | {stance} if cued else old.cued
    firm = old.strong | {stance} if strong and not cued else old.strong
    return Talk(order(claim), stance, firsts, marked, firm)
