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


def fold_sessions(
    session_id: str, turns: Iterable[datetime], ends: Iterable[datetime] = (), *, gap: timedelta = GAP
) -> list[Session]:
    """Fold the event times of one `session_id` into its sessions, oldest first.

    Args:
        session_id: the conversation.
        turns: event times (aware) of its turns, in any order.
        ends: explicit ends. An end closes the stretch whose last turn is at or before it; a turn after it starts
            a new one, however soon. An end that falls into silence longer than the gap changes nothing.
        gap: the longest silence inside a session.
    """
    stops = sorted(set(ends))
    sessions: list[Session] = []
    start = last = None
    for at in sorted(set(turns)):
        if start is None or last is None:
            start = last = at
            continue
        stop = _stop_between(stops, last, at)
        if at - last > gap or stop is not None:
            sessions.append(_close(session_id, start, last, stops, gap))
            start = at
        last = at
    if start is not None and last is not None:
        sessions.append(_close(session_id, start, last, stops, gap))
    return sessions


def _stop_between(stops: list[datetime], last: datetime, at: datetime) -> datetime | None:
    return next((stop for stop in stops if last <= stop < at), None)


def _close(
    session_id: str, start: datetime, last: datetime, stops: list[datetime], gap: timedelta
) -> Session:
    stop = next((stop for stop in stops if last <= stop <= last + gap), None)
    ended = last + gap if stop is None else stop
    return Session(start, last, ended, session_id, explicit=stop is not None)
