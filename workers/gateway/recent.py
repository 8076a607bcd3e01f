"""The turns of the running session: those stored, and those only the caller has yet."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from lithify.domain.context import strip_memory
from lithify.domain.memory import RecentTurn
from lithify.domain.text import clean, named
from lithify.events.api import ContextRequest, ContextTurn
from pipelines.language.model import Owner, Redactor
from workers.gateway.state import StoredTurn

UNDECIDED = "accepted"


@dataclass(frozen=True, slots=True)
class Recent:
    """Turns oldest first, and which of them (by index) the workers have not decided."""

    turns: tuple[RecentTurn, ...]
    pending: tuple[int, ...]


def without_secrets(asked: ContextRequest, redactor: Redactor, owner: Owner) -> ContextRequest:
    """A request as the workers would have stored its turns, so that a turn is known again, and nothing is embedded."""

    def redacted(text: str) -> str:
        return redactor.redact(clean(text), owner).text

    turns = tuple(
        msgspec.structs.replace(
            turn, content=redacted(turn.content), speaker=redacted(turn.speaker) if turn.speaker else turn.speaker
        )
        for turn in asked.turns
    )
    return msgspec.structs.replace(asked, turns=turns, query=redacted(asked.query) if asked.query else asked.query)


def merge(stored: Sequence[StoredTurn], sent: Sequence[ContextTurn], now: datetime) -> Recent:
    """Both kinds in time order; a sent turn that is stored (same id, or same role and words) counts once.

    Recalled memory inside a turn is cut out: it is neither shown nor read again.
    """
    ids = {item.turn.id for item in stored}
    words = {(item.turn.role, item.turn.content) for item in stored}
    rows = [(replace(item.turn, timezone=item.timezone), item.outcome == UNDECIDED) for item in stored]
    for turn in sent:
        known = turn.id in ids if turn.id is not None else (turn.role.value, turn.content) in words
        if not known:
            rows.append((_recent(turn, now), True))
    rows.sort(key=lambda row: row[0].occurred_at)
    turns = tuple(replace(turn, content=strip_memory(turn.content)) for turn, _ in rows)
    return Recent(turns, tuple(i for i, (_, pending) in enumerate(rows) if pending))


def _recent(turn: ContextTurn, now: datetime) -> RecentTurn:
    at = min(turn.occurred_at or now, now)
    return RecentTurn(turn.role.value, turn.content, at, turn.id, named(turn.speaker), None, turn.timezone)
