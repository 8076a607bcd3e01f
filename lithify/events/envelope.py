"""The envelope of every internal topic: readable routing around a body that a codec may have encrypted."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

VERSION = 1


class VersionUnknownError(ValueError):
    """The event was written by a newer release than this one."""


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker may know of an event without its user's key."""

    type: str
    """Tag of the body, a key of `bodies.BODIES`."""
    id: str
    """UUIDv5 of (source id, stage, generation, ordinal), or the producer's id."""
    tenant: str
    subject_key: str
    """Keyed pseudonym of the user id."""
    occurred_at: Annotated[datetime, Meta(tz=True)]
    """Event time."""
    received_at: Annotated[datetime, Meta(tz=True)]
    """When the event that caused this one was first read; lag is measured from here."""
    body: msgspec.Raw
    v: Annotated[int, Meta(ge=1)] = VERSION
    epoch: int = 0
    """The subject's erasure epoch; work under a lower one is dropped."""
    trace_id: str | None = None
    codec: str = "json"
    """How `body` is encoded; "json" is plain."""
