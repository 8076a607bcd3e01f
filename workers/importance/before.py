"""The assistant turn before each turn: what a "yes" answers."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from lithify.events import Role, TurnBefore, TurnScored
from pipelines.store.unit_of_work import UnitOfWork
from workers.importance.scoring import Scored

Place = tuple[datetime, int, str]
_LONGEST = 4000
"""Characters of the turn before that travel along."""


async def turns_before(unit: UnitOfWork, fresh: Sequence[Scored]) -> Mapping[tuple[str, str], TurnBefore]:
    """For each user turn that directly follows an assistant turn of its session, that turn.

    Looks at the batch and at working memory, in evidence order. A turn that arrives after one that follows it is not
    seen by it any more: producers publish a conversation in its order.
    """
    asking = [item for item in fresh if isinstance(item.body, TurnScored) and item.body.role is Role.USER]
    if not asking:
        return {}
    found = await _stored(unit, asking)
    for item in asking:
        for other in fresh:
            if isinstance(other.body, TurnScored) and _same_session(item, other):
                _keep_latest(found, item, _place(other), other.body)
    return {key: turn for key, (_, turn) in found.items() if turn.role is Role.ASSISTANT}


async def _stored(unit: UnitOfWork, asking: Sequence[Scored]) -> dict[tuple[str, str], tuple[Place, TurnBefore]]:
    rows = [
        {
            "tenant": item.key[0],
            "turn_id": item.key[1],
            "subject_key": item.received.subject_key,
            "session_id": item.body.session_id,
            "occurred_at": item.received.occurred_at,
            "turn_index": _place(item)[1],
        }
        for item in asking
    ]
    stored = await unit.fetch("importance.turns_before", rows=rows)
    return {
        (row["tenant"], row["for_turn"]): (
            (row["occurred_at"], row["turn_index"], row["turn_id"]),
            TurnBefore(turn_id=row["turn_id"], role=Role(row["role"]), content=row["content"][:_LONGEST]),
        )
        for row in stored
    }


def _place(item: Scored) -> Place:
    index = item.body.index if isinstance(item.body, TurnScored) else 0
    return (item.received.occurred_at, index, item.key[1])


def _same_session(item: Scored, other: Scored) -> bool:
    return (
        other is not item
        and other.received.subject_key == item.received.subject_key
        and other.body.session_id == item.body.session_id
    )


def _keep_latest(
    found: dict[tuple[str, str], tuple[Place, TurnBefore]], item: Scored, place: Place, body: TurnScored
) -> None:
    if place >= _place(item):
        return
    known = found.get(item.key)
    if known is None or known[0] < place:
        found[item.key] = (
            place,
            TurnBefore(turn_id=body.turn_id, role=body.role, content=body.content[:_LONGEST]),
        )
