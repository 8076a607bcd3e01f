"""Domain rows as the gateway shows them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from lithify.domain.catalog import Catalog
from lithify.domain.context import Block
from lithify.domain.memory import Memory, SlotView
from lithify.domain.slots.explain import Language, explain_hint, explain_verdict
from lithify.domain.slots.state import Hint, Override, Verdict
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

M = TypeVar("M", FactView, ContenderView)


def views(slot: SlotView, rows: Iterable[Any], model: type[M]) -> tuple[M, ...]:
    """Rows of one slot as replies: fields of the same name, and where they belong."""
    place: dict[str, Any] = {"slot_id": slot.slot_id, "subject": slot.subject, "attribute": slot.attribute}
    names = [name for name in model.__struct_fields__ if name not in place]
    return tuple(model(**place, **{name: getattr(row, name) for name in names}) for row in rows)


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
        facts=tuple(v for s in slots for v in views(s, s.facts if seen.history else s.active(at), FactView)),
        overrides=tuple(
            v for s in slots for v in override_views(s, s.overrides if seen.history else s.running(at, seen.session_id))
        ),
        contenders=tuple(v for s in slots for v in views(s, s.competing(at), ContenderView)),
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
