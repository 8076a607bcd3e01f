"""Turns: taking them in, and telling what became of them."""

from fastapi import APIRouter, Request, Response

from lithify.events import Inbound, Turn, TurnDecided
from lithify.events.api import MAX_BATCH, AcceptedReply, TurnOutcome
from workers.gateway.database import Reader, Row
from workers.gateway.describe import answers, asks, ref, reply
from workers.gateway.events import accepted, convert, event, parse
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
    """`accepted` until the workers have decided; then stored, no_facts, skipped or failed; an unknown id is 404."""
    check_id("turn_id", turn_id)
    who = deps.who(tenant, user_id)

    async def look(reader: Reader) -> TurnOutcome | None:
        row = await reader.one("turn_outcome", turn_id=turn_id)
        if row is not None:
            return _outcome(row)
        claims = await reader.one("command_claims", turn_id=turn_id)
        stored = claims["stored"] if claims else 0
        return TurnOutcome(id=turn_id, outcome="stored", stored=stored) if stored else None

    found = await deps.database.read(who, look)
    if found is None and deps.publisher.published(tenant, user_id, turn_id):
        found = TurnOutcome(id=turn_id, outcome="accepted")
    if found is None:
        raise NotFoundError(f"no turn {turn_id!r} of this user")
    return reply(found)


def _outcome(row: Row) -> TurnOutcome:
    if row["decided"] is None:
        return TurnOutcome(id=row["id"], outcome=row["outcome"])
    decided = row["decided"].get("body", row["decided"])
    event = convert(decided, TurnDecided)
    rejects = tuple(reject.code for reject in event.rejects)
    return TurnOutcome(
        id=row["id"], outcome=row["outcome"], stored=event.stored, decisions=event.decisions, rejects=rejects
    )
