"""What a call asks of the outside, as values: so that sync, async and fake clients share every line but the waiting."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from lithify.events import Inbound

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request to the gateway."""

    method: str
    path: str
    """Percent-encoded, from "/v1" on."""
    params: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Publish:
    """Events for `lithify-turns`, by whichever way the client publishes."""

    events: tuple[Inbound, ...]


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; status 0 stands for what needs no answer."""

    status: int = 0
    body: bytes = b""
    retry_after: float | None = None


Step = Request | Publish | Pause
Steps = Generator[Step, Reply, T]
"""A call: yields steps, is sent replies, returns its result."""
