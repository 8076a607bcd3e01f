"""The state of a slot as `lithify-facts` carries it."""

from datetime import datetime
from typing import Any

from lithify.domain.slots.state import Fact, Override
from lithify.events import SlotChanged
from pipelines.effects import Effects
from pipelines.envelope import Codec, Origin, derived_id, seal
from pipelines.slots.folding import Folded
from pipelines.topics import Topic


def publish_slot(effects: Effects, folded: Folded, origin: Origin, as_of: datetime, codec: Codec) -> None:
    """Add the slot's state at `as_of`. Consumers keep the highest version."""
    key, state = folded.key, folded.state
    body = SlotChanged(
        slot_id=state.slot_id,
        subject=key.subject,
        attribute=key.attribute,
        version=folded.version,
        as_of=as_of,
        facts=tuple(_fact(fact) for fact in state.active(as_of)),
        overrides=tuple(_override(item) for item in state.overrides if item.started_at <= as_of < item.ends_at),
    )
    event_id = derived_id(state.slot_id, "slot", folded.version)
    topic_key = f"{key.tenant}/{key.subject_key}/{state.slot_id}"
    effects.publish(Topic.FACTS, topic_key, seal(origin, event_id, body, codec), key.subject_key)


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.id,
        "value": fact.value,
        "text": fact.text,
        "polarity": fact.polarity,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "confidence": fact.confidence,
    }


def _override(item: Override) -> dict[str, Any]:
    return {
        "id": item.id,
        "value": item.value,
        "text": item.text,
        "polarity": item.polarity,
        "started_at": item.started_at,
        "ends_at": item.ends_at,
        "session_id": item.session[0] if item.session else None,
    }
