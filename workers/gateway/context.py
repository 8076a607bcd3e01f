"""The context endpoint: what an agent is told about its user before it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from fastapi import APIRouter, Request, Response

from lithify.domain.context import Block, BudgetTooSmallError, ContextQuery, compose
from lithify.domain.memory import Memory, with_provisional
from lithify.events.api import ContextReply, ContextRequest
from lithify.events.views import block_reply
from pipelines import metrics
from pipelines.language.days import zone
from pipelines.language.model import Owner
from workers.gateway.database import Reader
from workers.gateway.deps import Deps
from workers.gateway.describe import answers, asks, ref, reply
from workers.gateway.events import decode
from workers.gateway.faults import BudgetError
from workers.gateway.parameters import Parts
from workers.gateway.recent import Recent, merge, without_secrets
from workers.gateway.scope import Who, check_id, check_time, check_turn
from workers.gateway.state import Session, State, read_session, read_state

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
router = APIRouter(tags=["context"])

_BODY = asks(
    ref(ContextRequest),
    dinner={
        "user_id": "ada",
        "session_id": "s1",
        "query": "Where shall we eat tonight?",
        "turns": [{"role": "user", "content": "Steak tonight, just this once."}],
        "budget_tokens": 800,
    },
    everything={"user_id": "ada"},
)


@router.post(
    "/v1/context",
    summary="A token-budgeted context block",
    responses=answers(ContextReply, 422, 503),
    openapi_extra=_BODY,
)
async def context(request: Request, deps: Parts) -> Response:
    """Constraints and safety first and always; then what the query wakes; then the running session.

    What the user says in `turns` counts at once, marked as provisional, and is not stored by this request. Code
    `budget_too_small` says that constraints and safety facts alone do not fit.
    """
    asked = decode(await request.body(), ContextRequest)
    who = deps.who(asked.tenant, asked.user_id)
    if asked.session_id is not None:
        check_id("session_id", asked.session_id)
    check_time("as_of", asked.as_of)
    for i, turn in enumerate(asked.turns):
        check_turn(f"turns[{i}]", turn.occurred_at, turn.timezone)
    asked = without_secrets(asked, deps.redactor, Owner(who.tenant, who.subject_key))
    session, state = await _load(deps, who, asked.session_id, asked.as_of)
    now = asked.as_of or max(deps.clock(), session.last_at or _LONG_AGO)
    similarity, notice = await deps.similarity.of(asked.query, state.vectors)
    recent = merge(session.turns, asked.turns, now)
    with metrics.BLEND_SECONDS.time():
        block = _blend(deps, asked, _Read(session, state, recent, similarity, now))
    answer = block_reply(block, session.stamp.version, [notice] if notice else [])
    for item in answer.notices:
        metrics.CONTEXT_NOTICES.labels(item.code).inc()
    return reply(answer)


@dataclass(frozen=True, slots=True)
class _Read:
    """All that a block is made of."""

    session: Session
    state: State
    recent: Recent
    similarity: Mapping[str, float]
    now: datetime


async def _load(deps: Deps, who: Who, session_id: str | None, as_of: datetime | None) -> tuple[Session, State]:
    """One query where the user's state is in memory; the whole state where it is not."""
    model = deps.similarity.model
    name = model[0] if model else None

    async def look(reader: Reader) -> tuple[Session, State]:
        session = await read_session(reader, session_id, as_of, name)
        state = deps.states.get(who, name, session.stamp)
        metrics.STATE_READS.labels("database" if state is None else "cache").inc()
        if state is None:
            state = await read_state(reader, session.stamp, model)
            deps.states.put(who, name, state)
        return session, state

    return await deps.database.read(who, look)


def _blend(deps: Deps, asked: ContextRequest, read: _Read) -> Block:
    memory: Memory = replace(read.state.memory, turns=read.recent.turns)
    if deps.understand is not None:
        found = deps.understand(asked.session_id, read.recent, _zone_name(deps, read.session), read.now)
        memory = with_provisional(memory, found)
    query = ContextQuery(
        now=read.now,
        budget=asked.budget_tokens,
        session_id=asked.session_id,
        query=asked.query,
        lang=asked.lang,
        zone=zone(_zone_name(deps, read.session)),
        similarity=read.similarity,
    )
    try:
        return compose(memory, query, deps.catalog)
    except BudgetTooSmallError as error:
        raise BudgetError(str(error), "budget_tokens") from None


def _zone_name(deps: Deps, session: Session) -> str:
    return session.timezone or deps.settings.timezone
