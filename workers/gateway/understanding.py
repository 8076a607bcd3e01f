"""Reading turns that the workers have not decided yet, with the same extractor they use."""

from datetime import datetime

from lithify.domain.memory import RecentTurn, SlotView
from lithify.domain.policy import Policy
from lithify.domain.provisional import provisional
from pipelines.language.model import Extractor, Role, TurnText
from workers.gateway.recent import Recent


class Understanding:
    """Makes provisional overrides of pending turns. Pure, and nothing of it is stored."""

    def __init__(self, extractor: Extractor, policy: Policy | None = None) -> None:
        self._extractor = extractor
        self._policy = policy or Policy()

    def __call__(self, session_id: str | None, recent: Recent, zone: str, now: datetime) -> tuple[SlotView, ...]:
        """See `deps.Understand`."""
        texts = [_text(turn, i, session_id or "", zone) for i, turn in enumerate(recent.turns)]
        claims = [
            claim
            for i in recent.pending
            for claim in self._extractor.extract(texts[i], texts[i - 1] if i else None).claims
        ]
        return provisional(claims, now, self._policy)


def _text(turn: RecentTurn, index: int, session_id: str, zone: str) -> TurnText:
    return TurnText(
        turn_id=turn.id or f"pending-{index}",
        session_id=session_id,
        content=turn.content,
        occurred_at=turn.occurred_at,
        turn_index=index,
        role=Role(turn.role),
        speaker=turn.speaker,
        timezone=turn.timezone or zone,
    )
