"""From a scored turn to its claims."""

from collections.abc import Callable
from datetime import datetime

from lithify.events import Reject, TurnExtracted, TurnScored
from pipelines.language.model import Extraction, Extractor, Role, TurnText

Wants = Callable[[TurnScored, TurnText, Extraction], bool]
"""Whether a model is to read a turn too, after what the rules found in it."""


def read_turn(
    turn: TurnScored, occurred_at: datetime, extractor: Extractor, version: str, wants: Wants | None = None
) -> tuple[TurnExtracted, bool]:
    """Extract one turn.

    Returns:
        What the rules found, and whether a model is to read the turn too. Where they found nothing and it is, the turn
        is accepted and no more: that it states no fact is not known yet.
    """
    if turn.skipped:
        skipped = TurnExtracted(turn_id=turn.turn_id, session_id=turn.session_id, outcome="skipped", extractor=version)
        return skipped, False
    text = text_of(turn, occurred_at)
    found = extractor.extract(text, before_of(turn, occurred_at))
    wanted = wants is not None and wants(turn, text, found)
    return extracted(turn, found, version, accepted=wanted), wanted


def extracted(
    turn: TurnScored, found: Extraction, version: str, generation: int = 0, *, accepted: bool = False
) -> TurnExtracted:
    """The event that tells of one generation; `accepted`: though it is empty, nothing is settled."""
    return TurnExtracted(
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        outcome="accepted" if found.claims or accepted else "no_facts",
        extractor=version,
        generation=generation,
        claims=found.claims,
        rejects=tuple(Reject(code=str(reject.code), span=reject.span) for reject in found.rejects),
    )


def text_of(turn: TurnScored, occurred_at: datetime) -> TurnText:
    """The turn as extractors take it."""
    return TurnText(
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        content=turn.content,
        occurred_at=occurred_at,
        turn_index=turn.index,
        role=Role(turn.role),
        speaker=turn.speaker,
        timezone=turn.timezone,
    )


def before_of(turn: TurnScored, occurred_at: datetime) -> TurnText | None:
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
