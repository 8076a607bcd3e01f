"""Sessions: a pure fold of one conversation's turn times and explicit ends."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

GAP = timedelta(minutes=30)
"""A longer silence, in event time, starts a new session of the same `session_id`."""


@dataclass(frozen=True, slots=True, order=True)
class Session:
    """One stretch of one conversation: [started_at, ended_at)."""

    started_at: datetime
    last_at: datetime
    """Event time of its last turn."""
    ended_at: datetime
    """The explicit end, else `last_at` + the gap."""
    session_id: str
    explicit: bool = False
    """An explicit end is final; a computed one moves when a later turn falls within the gap."""

    @property
    def key(self) -> tuple[str, datetime]:
        """What tells two stretches of the same conversation apart."""
        return (self.session_id, self.started_at)

    def holds(self, session_id: str, at: datetime) -> bool:
        """Whether a turn of `session_id` at `at` belongs to this stretch."""
        return self.session_id == session_id and self.started_at <= at <= self.last_at


Stretch = tuple[datetime, datetime]
"""First and last turn of turns known to belong together; a single turn is a stretch of no length."""


def fold_sessions(
    session_id: str, turns: Iterable[datetime], ends: Iterable[datetime] = (), *, gap: timedelta = GAP
) -> list[Session]:
    """Fold the event times (aware, any order) of one `session_id` into its sessions, oldest first.

    An explicit end closes the stretch whose last turn is at or before it, within the gap; a turn after it starts a
    new one, however soon. An end that falls into a longer silence changes nothing.
    """
    return merge_stretches(session_id, ((at, at) for at in turns), ends, gap=gap)


def merge_stretches(
    session_id: str, stretches: Iterable[Stretch], ends: Iterable[datetime] = (), *, gap: timedelta = GAP
) -> list[Session]:
    """The same from stretches already folded, so that a new turn need not read all earlier ones.

    No end may fall inside a stretch: fold from the turns again where one arrives late.
    """
    stops = sorted(set(ends))
    merged: list[Stretch] = []
    for start, last in sorted(set(stretches)):
        if merged and not _apart(merged[-1][1], start, stops, gap):
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((start, last))
    return [_close(session_id, start, last, stops, gap) for start, last in merged]


def _apart(last: datetime, at: datetime, stops: list[datetime], gap: timedelta) -> bool:
    return at - last > gap or any(last <= stop < at for stop in stops)


def _close(session_id: str, start: datetime, last: datetime, stops: list[datetime], gap: timedelta) -> Session:
    stop = next((stop for stop in stops if last <= stop <= last + gap), None)
    return Session(start, last, last + gap if stop is None else stop, session_id, explicit=stop is not None)
