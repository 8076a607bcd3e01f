"""Domain rows as the gateway shows them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from lithify.domain.context import Block
from lithify.domain.memory import Memory, SlotView
from lithify.domain.slots.state import Override
from lithify.events.api import (
    ContenderView,
    ContextItem,
    ContextReply,
    FactsReply,
    FactView,
    HintView,
    Notice,
    OverrideView,
)

M = TypeVar("M", FactView, ContenderView, HintView)


def views(slot: SlotView, rows: Iterable[Any], model: type[M]) -> tuple[M, ...]:
    """Rows of one slot as replies: fields of the same name, and where they belong."""
    place = {"slot_id": slot.slot_id, "subject": slot.subject, "attribute": slot.attribute}
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


def believed(
    memory: Memory, at: datetime, session_id: str | None, known_at: datetime | None, *, history: bool
) -> FactsReply:
    """What `memory` holds at `at`, seen from `session_id`; with `history` every interval."""
    slots = memory.slots
    return FactsReply(
        version=memory.version,
        as_of=at,
        known_at=known_at,
        facts=tuple(v for s in slots for v in views(s, s.facts if history else s.active(at), FactView)),
        overrides=tuple(
            v for s in slots for v in override_views(s, s.overrides if history else s.running(at, session_id))
        ),
        contenders=tuple(v for s in slots for v in views(s, s.competing(at), ContenderView)),
        hints=tuple(v for s in slots for v in views(s, s.asked(at), HintView)),
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
