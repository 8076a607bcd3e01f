"""From a scored turn to its claims."""

from datetime import datetime

from lithify.events import Reject, TurnExtracted, TurnScored
from pipelines.language.model import Extractor, Role, TurnText


def read_turn(turn: TurnScored, occurred_at: datetime, extractor: Extractor, version: str) -> TurnExtracted:
    """Extract one turn."""
    if turn.skipped:
        return TurnExtracted(turn_id=turn.turn_id, session_id=turn.session_id, outcome="skipped", extractor=version)
    text = TurnText(
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        content=turn.content,
        occurred_at=occurred_at,
        turn_index=turn.index,
        role=Role(turn.role),
        speaker=turn.speaker,
        timezone=turn.timezone,
    )
    found = extractor.extract(text, _before(turn, occurred_at))
    return TurnExtracted(
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        outcome="accepted" if found.claims else "no_facts",
        extractor=version,
        claims=found.claims,
        rejects=tuple(Reject(code=str(reject.code), span=reject.span) for reject in found.rejects),
    )


def _before(turn: TurnScored, occurred_at: datetime) -> TurnText | None:
    """The turn before; its own instant does not matter, for it only says what a yes or no answers."""
    before = turn.before
    if before is None:
        return None
    return TurnText(
        turn_id=before.turn_id,
        session_id=turn.session_id,
        content=before.content,
        occurred_at=occurred_at,
        role=Role(before.role),
        timezone=turn.timezone,
    )
