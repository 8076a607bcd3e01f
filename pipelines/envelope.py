"""Events as bytes: the envelope, the body inside it, and the codec between them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

import msgspec

from lithify.domain.ids import derive
from lithify.events import BODIES, Body, Envelope
from lithify.events.envelope import VERSION
from pipelines.failures import Cause, Poison

B_co = TypeVar("B_co", bound=Body, covariant=True)
T = TypeVar("T")

_TYPES: dict[type[Body], str] = {body: name for name, body in BODIES.items()}
_DECODERS = {name: msgspec.json.Decoder(body) for name, body in BODIES.items()}
_envelopes = msgspec.json.Decoder(Envelope)
_encoder = msgspec.json.Encoder()


class Codec(Protocol):
    """How a body travels. Encryption per user stands here; `PlainCodec` is the identity."""

    name: str

    def wrap(self, subject_key: str, body: bytes) -> bytes:
        """From a JSON value to the JSON value that is published."""

    def unwrap(self, subject_key: str, body: bytes) -> bytes:
        """The inverse of `wrap`. Raises Poison if the body can never be read."""


class PlainCodec:
    """Bodies as they are."""

    name = "json"

    def wrap(self, subject_key: str, body: bytes) -> bytes:  # noqa: ARG002
        """The body itself."""
        return body

    def unwrap(self, subject_key: str, body: bytes) -> bytes:  # noqa: ARG002
        """The body itself."""
        return body


@dataclass(frozen=True, slots=True)
class Origin:
    """What a derived event inherits from the one that caused it."""

    tenant: str
    subject_key: str
    occurred_at: datetime
    received_at: datetime
    epoch: int = 0
    trace_id: str | None = None


@dataclass(frozen=True, slots=True)
class Event(Generic[B_co]):
    """A decoded event: its envelope and its body."""

    envelope: Envelope
    body: B_co

    @property
    def origin(self) -> Origin:
        """What events derived from this one inherit."""
        head = self.envelope
        return Origin(head.tenant, head.subject_key, head.occurred_at, head.received_at, head.epoch, head.trace_id)


def derived_id(source_id: str, stage: str, generation: int = 0, ordinal: int = 0) -> str:
    """Id of an event derived from another: UUIDv5 of (source id, stage, generation, ordinal)."""
    return derive(source_id, stage, str(generation), str(ordinal))


def seal(origin: Origin, event_id: str, body: Body, codec: Codec) -> bytes:
    """Encode a body into its envelope."""
    envelope = Envelope(
        type=_TYPES[type(body)],
        id=event_id,
        tenant=origin.tenant,
        subject_key=origin.subject_key,
        occurred_at=origin.occurred_at,
        received_at=origin.received_at,
        epoch=origin.epoch,
        trace_id=origin.trace_id,
        codec=codec.name,
        body=msgspec.Raw(codec.wrap(origin.subject_key, _encoder.encode(body))),
    )
    return _encoder.encode(envelope)


def open_event(value: bytes, codec: Codec) -> Event[Body]:
    """Decode an event of an internal topic.

    Raises:
        Poison: not JSON, a field missing or of the wrong type, an unknown type, or a newer version.
    """
    envelope = decode(_envelopes, value)
    if envelope.v > VERSION:
        raise Poison(Cause.VERSION_UNKNOWN, f"version {envelope.v}, this release reads up to {VERSION}")
    if envelope.codec != codec.name:
        raise Poison(Cause.INVALID_EVENT, f"codec {envelope.codec!r}, expected {codec.name!r}")
    decoder = _DECODERS.get(envelope.type)
    if decoder is None:
        raise Poison(Cause.INVALID_EVENT, f"unknown type {envelope.type!r}")
    return Event(envelope, decode(decoder, codec.unwrap(envelope.subject_key, bytes(envelope.body))))


def decode(decoder: msgspec.json.Decoder[T], value: bytes) -> T:
    """Decode JSON, with faults as Poison: `not_json`, or `invalid_event` naming the field."""
    try:
        return decoder.decode(value)
    except msgspec.ValidationError as error:
        raise Poison(Cause.INVALID_EVENT, str(error)) from None
    except msgspec.DecodeError as error:
        raise Poison(Cause.NOT_JSON, str(error)) from None
    except RecursionError:
        raise Poison(Cause.NOT_JSON, "nested too deeply") from None
