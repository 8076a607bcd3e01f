"""The script as data: days, sessions, turns, and where to look at what an agent would be told."""

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from lithify.events import Role, SessionEnded, Turn

DEFAULT = Path(__file__).with_name("script.toml")
TURN_SECONDS = 30
"""Between two turns of a session."""


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A misspelt field is an error."""


class Session(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One conversation of the day."""

    day: int
    at: str
    """Local time of its first turn, "HH:MM"."""
    turns: tuple[tuple[Role, str], ...]
    about_user: bool = True
    """False: nothing in it says anything about the user."""
    timezone: str | None = None
    """Where the user is, if not at home."""


class Look(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an agent asks of the memory at a moment."""

    title: str
    day: int
    at: str
    query: str | None = None
    session: int | None = None
    """Day whose session it is asked in; None: in none."""
    timezone: str | None = None


class Script(_Strict, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything the user says."""

    user: str
    first_day: date
    days: int
    timezone: str
    midnight_query: str
    """Asked right before and after each promotion."""
    sessions: tuple[Session, ...]
    looks: tuple[Look, ...]

    def instant(self, day: int, at: str, timezone: str | None = None) -> datetime:
        """The UTC instant of a local time on a day (1 is the first)."""
        local = datetime.combine(self.first_day + timedelta(days=day - 1), time.fromisoformat(at))
        return local.replace(tzinfo=ZoneInfo(timezone or self.timezone)).astimezone(UTC)

    @property
    def ends_at(self) -> datetime:
        """The midnight that ends the last day."""
        return self.instant(self.days + 1, "00:00")

    def day_of(self, at: datetime) -> int:
        """The day of an instant, at the user's home; the midnight that ends a day counts to it."""
        local = (at - timedelta(microseconds=1)).astimezone(ZoneInfo(self.timezone))
        return (local.date() - self.first_day).days + 1


def load(path: Path = DEFAULT) -> Script:
    """Read a script. Raises msgspec.ValidationError naming the field."""
    return msgspec.toml.decode(path.read_bytes(), type=Script)


def session_id(day: int) -> str:
    """The id of a day's session."""
    return f"day-{day:02}"


def session_turns(script: Script, session: Session) -> list[Turn]:
    """The turns of a session as they are published; ids follow from their place, so a replay is the same events."""
    start = script.instant(session.day, session.at, session.timezone)
    return [
        Turn(
            id=f"{script.user}-{session_id(session.day)}-{index}",
            user_id=script.user,
            session_id=session_id(session.day),
            occurred_at=start + timedelta(seconds=TURN_SECONDS * index),
            role=role,
            content=text,
            timezone=session.timezone or script.timezone,
            index=index,
        )
        for index, (role, text) in enumerate(session.turns)
    ]


def session_end(script: Script, session: Session) -> SessionEnded:
    """The agent hangs up five minutes after the last turn."""
    last = session_turns(script, session)[-1]
    return SessionEnded(
        id=f"{script.user}-{session_id(session.day)}-end",
        user_id=script.user,
        session_id=last.session_id,
        occurred_at=last.occurred_at + timedelta(minutes=5),
    )
