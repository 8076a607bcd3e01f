"""Turns: taking them in, and telling what became of them."""

from fastapi import APIRouter, Request, Response

from lithify.events import Inbound, Turn, TurnDecided
from lithify.events.api import MAX_BATCH, AcceptedReply, TurnOutcome
from pipelines.envelope import Codec, open_event
from workers.gateway.database import Row
from workers.gateway.describe import answers, asks, ref, reply
from workers.gateway.events import accepted, event, parse
from workers.gateway.faults import InvalidError, NotFoundError
from workers.gateway.parameters import Id, Parts, Tenant, UserId
from workers.gateway.scope import check_id

router = APIRouter(tags=["turns"])

_ONE = {"user_id": "ada", "session_id": "s1", "role": "user", "content": "I am vegetarian."}
_BODY = asks(
    {"oneOf": [ref(Turn), {"type": "array", "items": ref(Turn), "minItems": 1, "maxItems": MAX_BATCH}]},
    one=_ONE,
    several=[_ONE, _ONE | {"role": "assistant", "content": "Noted.", "index": 1}],
)


@router.post(
    "/v1/turns",
    status_code=202,
    summary="Publish one turn or up to 100",
    responses=answers(AcceptedReply, 413, 422, 503, status=202),
    openapi_extra=_BODY,
)
async def add_turns(request: Request, deps: Parts) -> Response:
    """Answers once the broker has every turn. `id` and `occurred_at` are made where absent, and returned.

    Repeating a request with the same ids after a 503 is safe.
    """
    body = parse(await request.body())
    now = deps.clock()
    if isinstance(body, list):
        if not 1 <= len(body) <= MAX_BATCH:
            raise InvalidError(f"expected 1 to {MAX_BATCH} turns, got {len(body)}")
        events: list[Inbound] = [event(item, Turn, now, f"[{i}]") for i, item in enumerate(body)]
    else:
        events = [event(body, Turn, now)]
    await deps.publisher.publish(events)
    return reply(accepted(events), 202)


@router.get(
    "/v1/turns/{turn_id:path}",
    summary="What became of a turn or command",
    responses=answers(TurnOutcome, 404, 422, 503),
)
async def turn_outcome(turn_id: Id, user_id: UserId, deps: Parts, tenant: Tenant = "default") -> Response:
    """`accepted` until the workers have decided; then stored, no_facts, skipped or failed.

    `dead` says that it could not be processed, and why; an unknown id is 404.
    """
    check_id("turn_id", turn_id)
    who = deps.who(tenant, user_id)

    row = await deps.database.read(who, lambda reader: reader.one("turn_outcome", turn_id=turn_id))
    found = _outcome(row, deps.codec) if row else None
    if found is None and deps.publisher.published(tenant, user_id, turn_id):
        found = TurnOutcome(id=turn_id, outcome="accepted")
    if found is None:
        raise NotFoundError(f"no turn {turn_id!r} of this user")
    return reply(found)


def _outcome(row: Row, codec: Codec) -> TurnOutcome:
    told = open_event(row["decided"].encode(), codec).body if row["decided"] else None
    decided = told if isinstance(told, TurnDecided) else None
    return TurnOutcome(
        id=row["id"],
        outcome=row["outcome"],
        stored=row["stored"],
        decisions=decided.decisions if decided else (),
        rejects=tuple(reject.code for reject in decided.rejects) if decided else (),
        cause=row["cause"],
        detail=row["detail"],
    )
