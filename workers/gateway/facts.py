"""Facts: what is believed about a user, and what each fact rests on."""

from typing import Any
from uuid import UUID

import msgspec
from fastapi import APIRouter, Response

from lithify.domain.memory import Memory, SlotView
from lithify.domain.slots.state import Verdict
from lithify.events.api import ClaimView, ConflictView, FactsReply, FactView, Provenance
from lithify.events.views import Seen, believed, verdict_views
from workers.gateway.database import Reader, Row
from workers.gateway.describe import answers, reply
from workers.gateway.faults import NotFoundError
from workers.gateway.parameters import AsOf, Id, KnownAt, Language, Parts, SessionId, Tenant, UserId
from workers.gateway.scope import check_time
from workers.gateway.state import read_memory, read_session

router = APIRouter(tags=["facts"])


@router.get("/v1/facts", summary="What is believed about a user", responses=answers(FactsReply, 422, 503))
async def facts(
    user_id: UserId,
    deps: Parts,
    tenant: Tenant = "default",
    session_id: SessionId = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    history: bool = False,
    lang: Language = "en",
) -> Response:
    """Facts and overrides that hold, contenders with their progress, and what is worth asking.

    With `history` every interval of every fact and override. An unknown user has no facts.
    """
    who = deps.who(tenant, user_id)
    check_time("as_of", as_of)
    check_time("known_at", known_at)
    at = as_of or known_at or deps.clock()

    async def look(reader: Reader) -> Memory:
        session = await read_session(reader, None)
        return await read_memory(reader, session.stamp.version, known_at)

    memory = await deps.database.read(who, look)
    return reply(believed(memory, Seen(at, session_id, known_at, history, lang), deps.catalog))


@router.get("/v1/facts/{fact_id}", summary="A fact and what it rests on", responses=answers(Provenance, 404, 422, 503))
async def fact(
    fact_id: Id, user_id: UserId, deps: Parts, tenant: Tenant = "default", lang: Language = "en"
) -> Response:
    """The claims behind a fact with the words they were read from, the verdicts about it, and the conflicts."""
    known = as_uuid(fact_id)
    who = deps.who(tenant, user_id)

    async def look(reader: Reader) -> Provenance | None:
        row = await reader.one("fact", fact_id=known)
        if row is None:
            return None
        slot = SlotView(row["slot_id"], row["subject"], row["attribute"])
        verdicts = await reader.all("verdicts_of_slot", slot_id=row["slot_id"])
        conflicts = await reader.all("conflicts_of_slot", slot_id=row["slot_id"])
        about = [verdict for verdict in verdicts if verdict["fact_id"] == row["id"]]
        ids = {*row["claim_ids"], *(claim for verdict in about for claim in verdict["claim_ids"])}
        claims = await reader.all("claims_named", claim_ids=sorted(ids))
        return Provenance(
            fact=msgspec.convert(row, FactView),
            claims=tuple(map(claim_view, claims)),
            verdicts=verdict_views(slot, msgspec.convert(about, tuple[Verdict, ...]), deps.catalog, lang),
            conflicts=msgspec.convert([c for c in conflicts if c["fact_id"] == row["id"]], tuple[ConflictView, ...]),
        )

    found = await deps.database.read(who, look) if known else None
    if found is None:
        raise NotFoundError(f"no fact {fact_id!r} of this user")
    return reply(found)


def as_uuid(text: str) -> UUID | None:
    """The UUID that `text` spells, or None: then nothing has this id."""
    try:
        return UUID(text)
    except ValueError:
        return None


def claim_view(row: Row) -> ClaimView:
    """A row of claims_named or claims_of_slot, with the words of its span."""
    body: dict[str, Any] = row["body"]
    span = tuple(body["span"]) if body.get("span") and row["kind"] != "command" else None
    quote = row["content"][span[0] : span[1]] if span and row["content"] is not None else None
    fields = {name: row[name] for name in ("id", "turn_id", "session_id", "kind", "occurred_at")}
    said = {name: body.get(name) for name in ("value", "polarity", "basis", "cue")}
    return msgspec.convert(fields | said | {"span": span, "quote": quote or body.get("text") or None}, ClaimView)
