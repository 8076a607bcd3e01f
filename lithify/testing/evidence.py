"""Events as evidence: what the extraction worker would have made of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from lithify.domain.claims import USER, Basis, Claim, CommandKind, Cue, Evidence, Polarity
from lithify.domain.claims import Command as SlotCommand
from lithify.domain.ids import derive
from lithify.domain.memory import RecentTurn
from lithify.domain.sessions import Session, fold_sessions
from lithify.events import Command, Inbound, SessionEnded, Turn
from lithify.events.api import ClaimView


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a text claims."""

    attribute: str
    value: str
    basis: Basis
    polarity: Polarity
    cue: Cue
    valid_to: datetime | None


def sessions_of(events: Iterable[Inbound]) -> list[Session]:
    """The sessions that some events make."""
    turns: dict[str, list[datetime]] = {}
    ends: dict[str, list[datetime]] = {}
    for event in events:
        target = ends if isinstance(event, SessionEnded) else turns
        target.setdefault(event.session_id, []).append(event.occurred_at)
    return [s for name, times in turns.items() for s in fold_sessions(name, times, ends.get(name, ()))]


def _midnight_after(at: datetime) -> datetime:
    return datetime.combine(at.astimezone(UTC).date() + timedelta(days=1), time(), UTC)


def claim_of(turn: Turn, lesson: Lesson, ordinal: int) -> Claim:
    """The claim that a taught turn makes."""
    at = turn.occurred_at.astimezone(UTC)
    return Claim(
        id=derive(turn.id, ordinal),
        turn_id=turn.id,
        session_id=turn.session_id,
        turn_index=turn.index,
        ordinal=ordinal,
        subject=USER,
        attribute=lesson.attribute,
        value=lesson.value,
        text=lesson.value,
        occurred_at=at,
        local_date=at.date(),
        day_end=_midnight_after(at),
        polarity=lesson.polarity,
        basis=lesson.basis,
        cue=lesson.cue,
        valid_to=lesson.valid_to,
        span=(0, len(turn.text())),
    )


def slot_command(command: Command, kind: CommandKind, attribute: str, value: str | None) -> SlotCommand:
    """A command as evidence of one slot."""
    at = command.occurred_at.astimezone(UTC)
    return SlotCommand(
        id=command.id,
        kind=kind,
        session_id=command.session_id,
        turn_index=command.index,
        subject=command.subject,
        attribute=attribute,
        occurred_at=at,
        local_date=at.date(),
        day_end=_midnight_after(at),
        value=value,
        text=command.text or value or "",
        fact_id=command.fact_id,
    )


def claim_view(item: Evidence) -> ClaimView:
    """Evidence as the gateway shows it."""
    kind = item.kind.value if isinstance(item, Claim) else "command"
    return ClaimView(
        id=item.id,
        turn_id=item.turn_id,
        session_id=item.session_id,
        kind=kind,
        occurred_at=item.occurred_at,
        value=item.value,
        polarity=item.polarity,
        quote=item.text or None,
    )


def recent_turn(turn: Turn) -> RecentTurn:
    """A stored turn as a reader sees it."""
    return RecentTurn(turn.role.value, turn.text(), turn.occurred_at, turn.id, turn.speaker)
