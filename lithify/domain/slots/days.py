"""What was said on which day, as rows that never change: a book replaces them, so a fork of it may share them.

A day is known by its place in its book, a session by its key; neither holds the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from lithify.domain.claims import Claim, order
from lithify.domain.slots.rows import SessionKey, Stance

Order = tuple[datetime, int, str, int]
DayNumber = int
"""The place of a day in its book, oldest first."""


class Day(NamedTuple):
    """One local day; ends that lie close together (a flight) are one."""

    first_end: datetime
    end: datetime
    talks: tuple[SessionKey, ...] = ()
    """Sessions that spoke for a value for the first time on it."""
    guess: Stance | None = None
    """What a model guessed, where nobody spoke."""
    observed: bool = False

    def until(self, end: datetime) -> "Day":
        """The same, but it lasts longer, and waits to be observed again."""
        return Day(self.first_end, end, self.talks, self.guess)

    def spoken_in(self, key: SessionKey) -> "Day":
        """The same, with one more session that spoke."""
        return Day(self.first_end, self.end, (*self.talks, key), self.guess, self.observed)

    def guessed(self, stance: Stance | None) -> "Day":
        """The same, with what a model guessed last; None: that was taken back."""
        return Day(self.first_end, self.end, self.talks, stance, self.observed)

    def taken_in(self) -> "Day":
        """The same, observed."""
        return Day(self.first_end, self.end, self.talks, self.guess, observed=True)


@dataclass(frozen=True, slots=True)
class DayEnd:
    """A timer: the day of one book is over."""

    book: int
    day: DayNumber


_NOTHING: frozenset[Stance] = frozenset()


class Talk(NamedTuple):
    """What one session said about the cell."""

    latest: Order
    last: Stance | None
    firsts: Mapping[Stance, DayNumber]
    """By value, the day of its first claim."""
    cued: frozenset[Stance]
    strong: frozenset[Stance]

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
    if before is None:
        before = Talk(order(claim), None, {}, _NOTHING, _NOTHING)
    _, _, firsts, marked, firm = before
    if stance not in firsts:
        firsts = {**firsts, stance: day}
    if cued:
        marked |= {stance}
    elif strong:
        firm |= {stance}
    return Talk(order(claim), stance, firsts, marked, firm)
