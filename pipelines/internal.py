"""Reading internal topics: the receipt and the item of an enveloped event."""

from typing import TypeVar

import msgspec

from lithify.events import Body, Envelope, SessionClosed, TurnDecided, TurnExtracted
from pipelines.envelope import Codec, Event, derived_id, open_event
from pipelines.failures import Cause, Poison
from pipelines.runtime.worker import Item, Record
from pipelines.store.unit_of_work import Receipt, Source

T = TypeVar("T")


def open_record(record: Record, codec: Codec, *bodies: type[Body]) -> Event[Body]:
    """Decode a record of an internal topic that carries only `bodies`.

    Raises:
        Poison: as `open_event`, or another type of event.
    """
    if not record.value:
        raise Poison(Cause.NOT_JSON, "empty message")
    event = open_event(record.value, codec)
    if not isinstance(event.body, bodies):
        raise Poison(Cause.INVALID_EVENT, f"a {event.envelope.type} does not belong on {record.topic}")
    return event


def item_of(record: Record, event: Event[Body], payload: T) -> Item[T]:
    """The item of an event. It is entered in the inbox under the id of the turn, session end or command it is about."""
    head = event.envelope
    receipt = Receipt(head.tenant, _inbox_id(event), head.subject_key, "")
    body, source = event.body, _source(event)
    if isinstance(body, SessionClosed) or (isinstance(body, TurnExtracted | TurnDecided) and body.generation > 0):
        return Item(record, receipt, payload, head.epoch, source=source)
    return Item(
        record,
        receipt,
        payload,
        head.epoch,
        received_at=head.received_at,
        occurred_at=head.occurred_at,
        source=source,
    )


def _source(event: Event[Body]) -> Source:
    head, body = event.envelope, event.body
    if isinstance(body, SessionClosed) and body.last_turn_id is None:
        return Source(head.tenant, head.subject_key, session_id=body.session_id, ended_at=body.ended_at)
    if isinstance(body, SessionClosed):
        return Source(head.tenant, head.subject_key, body.last_turn_id)
    return Source(
        head.tenant, head.subject_key, body.turn_id if isinstance(body, TurnExtracted | TurnDecided) else head.id
    )


def _inbox_id(event: Event[Body]) -> str:
    body = event.body
    if isinstance(body, TurnExtracted | TurnDecided):
        return body.turn_id if body.generation == 0 else derived_id(body.turn_id, "generation", body.generation)
    return event.envelope.id


class _About(msgspec.Struct):
    """What a body says about which turn it is of; a scored turn and a command are named by the envelope too."""

    turn_id: str | None = None


def receipt_of(record: Record, codec: Codec) -> Receipt | None:
    """Which event a record of an internal topic is about, as far as that can be made out though it was refused.

    Returns:
        None for records of other topics, and for what is not even an envelope.
    """
    try:
        head = msgspec.json.decode(record.value or b"", type=Envelope)
        about = msgspec.json.decode(codec.unwrap(head.subject_key, bytes(head.body)), type=_About)
    except (msgspec.MsgspecError, RecursionError, Poison):
        return None
    return Receipt(head.tenant, about.turn_id or head.id, head.subject_key, "")


def key_of(event: Event[Body]) -> str:
    """The message key on every internal topic but facts."""
    return f"{event.envelope.tenant}/{event.envelope.subject_key}"
