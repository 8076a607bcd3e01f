"""A command once a day, at a time of day in a zone, until told to stop."""

import signal
import threading
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from workers.operate.console import UsageError, note

_LONGEST_WAIT = 3600.0
"""Clocks are set and machines sleep: look at the clock anew at least this often, in seconds."""


def time_of_day(text: str) -> time:
    """From "03:00". Raises UsageError."""
    try:
        return time.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        raise UsageError(f"--daily {text!r}: expected a time of day, such as 03:00") from None


def latest(at: time, zone: str, now: datetime) -> datetime:
    """The last instant at or before `now` (aware) that had this time of day in the zone."""
    local = now.astimezone(ZoneInfo(zone))
    today = datetime.combine(local.date(), at, ZoneInfo(zone)).astimezone(UTC)
    yesterday = datetime.combine(local.date() - timedelta(days=1), at, ZoneInfo(zone)).astimezone(UTC)
    return today if today <= now else yesterday


def every_day(at: time, zone: str, work: Callable[[datetime], None]) -> None:
    """Call `work` with each instant that falls due, at first with the last one: it may have been missed.

    A fault that `work` lets out ends this; whoever starts the process starts it again.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    done: datetime | None = None
    while not stop.is_set():
        due = latest(at, zone, datetime.now(UTC))
        if done is None or due > done:
            work(due)
            done = due
            note(f"next at {at.isoformat('minutes')} {zone}")
        stop.wait(_wait(at, zone))


def _wait(at: time, zone: str) -> float:
    now = datetime.now(UTC)
    following = latest(at, zone, now + timedelta(days=1))
    return min(max((following - now).total_seconds(), 1.0), _LONGEST_WAIT)
