"""What the gateway is made of; put together in `main`, or by a test."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from fastapi import Request

from lithify.domain.catalog import Catalog
from lithify.domain.memory import SlotView
from pipelines.envelope import Codec, PlainCodec
from pipelines.language.model import Redactor
from pipelines.language.redaction import PatternRedactor
from pipelines.settings import Settings
from workers.gateway.database import Database
from workers.gateway.publisher import Publisher
from workers.gateway.recent import Recent
from workers.gateway.scope import Who, who
from workers.gateway.similarity import Similarity
from workers.gateway.state import StateCache


class Understand(Protocol):
    """Reads turns that the workers have not seen yet."""

    def __call__(self, session_id: str | None, recent: Recent, zone: str, now: datetime) -> tuple[SlotView, ...]:
        """Provisional overrides from the pending turns of `recent`, oldest first.

        Args:
            session_id: the running session.
            recent: its turns.
            zone: IANA name of the user's zone, for turns that state none.
            now: the instant read at.
        """
        ...


def now() -> datetime:
    """The present, aware, UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Deps:
    """Everything an endpoint may use."""

    settings: Settings
    database: Database
    publisher: Publisher
    catalog: Catalog
    similarity: Similarity = field(default_factory=Similarity)
    understand: Understand | None = None
    clock: Callable[[], datetime] = now
    codec: Codec = field(default_factory=PlainCodec)
    states: StateCache = field(default_factory=StateCache)
    redactor: Redactor = field(default_factory=PatternRedactor)

    def who(self, tenant: str, user_id: str) -> Who:
        """The user of a request. Raises InvalidError."""
        return who(self.settings, tenant, user_id)


def deps_of(request: Request) -> Deps:
    """The parts of the app that serves `request`."""
    deps = request.app.state.deps
    assert isinstance(deps, Deps)
    return deps
