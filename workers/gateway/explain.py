"""Explaining: why a slot stands as it does, from its first claim to its last verdict."""

import msgspec
from fastapi import APIRouter, Response

from lithify.domain.catalog import Catalog
from lithify.domain.claims import USER
from lithify.domain.memory import SlotView
from lithify.domain.slots.state import Verdict
from lithify.events.api import ConflictView, Explanation, Lang
from lithify.events.views import contender_views, fact_views, hint_views, override_views, verdict_views
from workers.gateway.database import Reader, Row
from workers.gateway.describe import answers, reply
from workers.gateway.facts import as_uuid, claim_view
from workers.gateway.faults import NotFoundError
from workers.gateway.parameters import Id, Language, Parts, Tenant, UserId
from workers.gateway.scope import check_id
from workers.gateway.state import read_memory

router = APIRouter(tags=["explain"])


@router.get(
    "/v1/explain/{what:path}", summary="Why a slot stands as it does", responses=answers(Explanation, 404, 422, 503)
)
async def explain(
    what: Id, user_id: UserId, deps: Parts, tenant: Tenant = "default", lang: Language = "en"
) -> Response:
    """The slot of a fact, override or slot id, or of an attribute ("diet", or "ravi/employer" for a third party)."""
    check_id("what", what)
    who = deps.who(tenant, user_id)
    subject, _, attribute = what.rpartition("/")

    async def look(reader: Reader) -> Explanation | None:
        slot = await reader.one("slot_named", id=as_uuid(what), subject=subject or USER, attribute=attribute)
        return await _explanation(reader, slot, deps.catalog, lang) if slot else None

    found = await deps.database.read(who, look)
    if found is None:
        raise NotFoundError(f"nothing of this user is called {what!r}")
    return reply(found)


async def _explanation(reader: Reader, row: Row, catalog: Catalog, lang: Lang) -> Explanation:
    memory = await read_memory(reader, 0)
    slot = next((s for s in memory.slots if s.slot_id == row["slot_id"]), None)
    slot = slot or SlotView(row["slot_id"], row["subject"], row["attribute"])
    verdicts = await reader.all("verdicts_of_slot", slot_id=slot.slot_id)
    conflicts = await reader.all("conflicts_of_slot", slot_id=slot.slot_id)
    named = sorted({claim for verdict in verdicts for claim in verdict["claim_ids"]})
    claims = await reader.all("claims_of_slot", claim_ids=named, subject=slot.subject, attribute=slot.attribute)
    return Explanation(
        slot_id=slot.slot_id,
        subject=slot.subject,
        attribute=slot.attribute,
        facts=fact_views(slot, slot.facts),
        overrides=override_views(slot, slot.overrides),
        contenders=contender_views(slot, slot.contenders, catalog, lang),
        hints=hint_views(slot, slot.hints, catalog, lang),
        verdicts=verdict_views(slot, msgspec.convert(verdicts, tuple[Verdict, ...]), catalog, lang),
        conflicts=msgspec.convert(conflicts, tuple[ConflictView, ...]),
        claims=tuple(map(claim_view, claims)),
    )
