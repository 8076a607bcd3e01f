"""Domain rows as the gateway shows them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from lithify.domain.catalog import Attribute, Catalog
from lithify.domain.claims import Cardinality
from lithify.domain.context import Block
from lithify.domain.memory import Memory, SlotView
from lithify.domain.slots.explain import Language, explain_contender, explain_hint, explain_verdict
from lithify.domain.slots.state import Contender, Fact, Hint, Override, Verdict
from lithify.events.api import (
    ContenderView,
    ContextItem,
    ContextReply,
    FactsReply,
    FactView,
    HintView,
    Lang,
    Notice,
    OverrideView,
    VerdictView,
)


def fact_views(slot: SlotView, facts: Iterable[Fact]) -> tuple[FactView, ...]:
    """Facts of one slot."""
    return tuple(FactView(**_fields(slot, fact, FactView.__struct_fields__)) for fact in facts)


def contender_views(
    slot: SlotView, contenders: Iterable[Contender], catalog: Catalog, lang: Lang
) -> tuple[ContenderView, ...]:
    """Contenders of one slot, each with what would change it in words."""
    attribute, language = catalog.get(slot.attribute), Language(lang)
    names = [name for name in ContenderView.__struct_fields__ if name != "sentence"]
    return tuple(
        ContenderView(
            **_fields(slot, item, names),
            sentence=explain_contender(item, attribute, slot.subject, language, pinned=_pinned(slot, item, attribute)),
        )
        for item in contenders
    )


def _pinned(slot: SlotView, contender: Contender, attribute: Attribute) -> bool:
    """Whether what the contender would replace is pinned: in a set, it competes with its own value only."""
    pinned = {fact.value for fact in slot.facts if fact.pinned and fact.valid_to is None and not fact.corrected}
    return contender.value in pinned if attribute.cardinality is Cardinality.MULTI else bool(pinned)


def _fields(slot: SlotView, row: Fact | Contender, names: Iterable[str]) -> dict[str, Any]:
    """The fields of a row and where it belongs."""
    place: dict[str, Any] = {"slot_id": slot.slot_id, "subject": slot.subject, "attribute": slot.attribute}
    return {name: place[name] if name in place else getattr(row, name) for name in names}


def override_views(slot: SlotView, rows: Iterable[Override]) -> tuple[OverrideView, ...]:
    """Overrides of one slot, with the session they are seen in."""
    return tuple(
        OverrideView(
            id=row.id,
            slot_id=slot.slot_id,
            subject=slot.subject,
            attribute=slot.attribute,
            value=row.value,
            text=row.text,
            polarity=row.polarity,
            started_at=row.started_at,
            ends_at=row.ends_at,
            stated_end=row.stated_end,
            end_rule=row.end_rule,
            last_mention=row.last_mention,
            session_id=row.session[0] if row.session else None,
        )
        for row in rows
    )


def hint_views(slot: SlotView, hints: Iterable[Hint], catalog: Catalog, lang: Lang) -> tuple[HintView, ...]:
    """What is worth asking about one slot, with the question in words."""
    attribute = catalog.get(slot.attribute)
    return tuple(
        HintView(
            slot_id=slot.slot_id,
            subject=slot.subject,
            attribute=slot.attribute,
            code=hint.code,
            value=hint.value,
            polarity=hint.polarity,
            against=hint.against,
            since=hint.since,
            until=hint.until,
            question=explain_hint(hint, attribute, slot.subject, Language(lang)),
        )
        for hint in hints
    )


def verdict_views(slot: SlotView, verdicts: Iterable[Verdict], catalog: Catalog, lang: Lang) -> tuple[VerdictView, ...]:
    """Verdicts about one slot, each with a sentence."""
    attribute = catalog.get(slot.attribute)
    return tuple(
        VerdictView(
            id=verdict.id,
            kind=verdict.kind,
            rule=verdict.rule,
            at=verdict.at,
            value=verdict.value,
            polarity=verdict.polarity,
            claim_ids=verdict.claim_ids,
            fact_id=verdict.fact_id,
            replaced=verdict.replaced,
            trace=verdict.trace,
            sentence=explain_verdict(verdict, attribute, slot.subject, Language(lang)),
        )
        for verdict in verdicts
    )


@dataclass(frozen=True, slots=True)
class Seen:
    """From where a memory is looked at."""

    at: datetime
    session_id: str | None = None
    known_at: datetime | None = None
    history: bool = False
    """Every interval, not only what holds."""
    lang: Lang = "en"


def believed(memory: Memory, seen: Seen, catalog: Catalog) -> FactsReply:
    """What `memory` holds, as `seen`."""
    at = seen.at
    slots = memory.slots
    return FactsReply(
        version=memory.version,
        as_of=at,
        known_at=seen.known_at,
        facts=tuple(v for s in slots for v in fact_views(s, s.facts if seen.history else s.active(at))),
        overrides=tuple(
            v for s in slots for v in override_views(s, s.overrides if seen.history else s.running(at, seen.session_id))
        ),
        contenders=tuple(v for s in slots for v in contender_views(s, s.competing(at), catalog, seen.lang)),
        hints=tuple(v for s in slots for v in hint_views(s, s.asked(at), catalog, seen.lang)),
    )


def block_reply(block: Block, version: int, notices: Iterable[Notice] = ()) -> ContextReply:
    """A context block as a reply; what did not fit becomes a notice."""
    found = list(notices)
    if block.turns_cut:
        found.append(Notice(code="turns_cut", detail=f"{block.turns_cut} recent turns did not fit the budget"))
    if block.items_cut:
        found.append(Notice(code="items_cut", detail=f"{block.items_cut} facts and episodes did not fit the budget"))
    return ContextReply(
        block=block.text,
        tokens=block.tokens,
        version=version,
        lang=block.lang,
        items=msgspec.convert(block.items, tuple[ContextItem, ...], from_attributes=True),
        notices=tuple(found),
    )
