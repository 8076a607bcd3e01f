"""What agents publish to `lithify-turns`: turns, session ends and commands, as flat plain JSON."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

Id = Annotated[str, Meta(min_length=1, max_length=512)]
"""An id as the producer chose it; compared byte for byte, never normalised."""
Tenant = Annotated[str, Meta(min_length=1, max_length=128, pattern="^[^/]+$")]
Aware = Annotated[datetime, Meta(tz=True)]
"""An instant with a UTC offset. A naive time is refused: guessing a zone would move days."""


class Role(StrEnum):
    """Who wrote a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class CommandName(StrEnum):
    """What a person or agent can tell the memory itself."""

    REMEMBER = "remember"
    CORRECT = "correct"
    FORGET = "forget"
    PIN = "pin"
    UNPIN = "unpin"
    CONSTRAINT = "constraint"
    APPROVE = "approve"
    REJECT = "reject"


class _Inbound(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    """Fields that every inbound event has."""

    id: Id
    user_id: Id
    session_id: Id
    occurred_at: Aware
    """Event time. Capped at the time of receipt + 5 minutes."""
    tenant: Tenant = "default"
    v: Annotated[int, Meta(ge=1)] = 1
    trace_id: Annotated[str, Meta(max_length=128)] | None = None


class Turn(_Inbound, frozen=True, kw_only=True, tag="turn", omit_defaults=True):
    """One message of a conversation."""

    role: Role
    content: str | list[Any] | None
    """Text. An empty text, null, or a list of parts without text is skipped and counted."""
    speaker: Annotated[str, Meta(max_length=256)] | None = None
    """Who says "I", where it is not the user."""
    timezone: Annotated[str, Meta(max_length=64)] | None = None
    """IANA name of the user's zone at that moment."""
    index: Annotated[int, Meta(ge=0)] = 0
    """Index of the turn in its session; orders turns of the same instant."""
    metadata: dict[str, Any] = {}

    def text(self) -> str:
        """The textual content: the string itself, or the text parts of a list joined by newlines."""
        if isinstance(self.content, str):
            return self.content
        parts = [part.get("text", "") if isinstance(part, dict) else part for part in self.content or ()]
        return "\n".join(part for part in parts if isinstance(part, str) and part)


class SessionEnded(_Inbound, frozen=True, kw_only=True, tag="session_ended", omit_defaults=True):
    """A session ended at `occurred_at`: said by the agent, or computed by the ticker."""

    computed: bool = False
    last_turn_id: str | None = None
    """For a computed end: the last turn it knew. A later turn within the gap voids it."""


class Command(_Inbound, frozen=True, kw_only=True, tag="command", omit_defaults=True):
    """Something told to the memory itself."""

    command: CommandName
    text: str = ""
    """For remember, correct and constraint: what, in words."""
    subject: str = "user"
    attribute: str | None = None
    value: str | None = None
    fact_id: str | None = None
    timezone: Annotated[str, Meta(max_length=64)] | None = None
    index: Annotated[int, Meta(ge=0)] = 0


Inbound = Turn | SessionEnded | Command

_encoder = msgspec.json.Encoder()


def encode(event: Inbound) -> bytes:
    """The event as JSON."""
    return _encoder.encode(event)


def user_key(tenant: str, user_id: str) -> bytes:
    """The key of every event of one user on `lithify-turns`: all of them share a partition, in order."""
    return f"{tenant}/{user_id}".encode()
