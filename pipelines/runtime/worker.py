"""The port between the runtime and a worker. A worker knows nothing of Faust."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from pipelines.effects import Effects
from pipelines.store.pool import Pool
from pipelines.store.unit_of_work import Receipt, Source, Subject, UnitOfWork
from pipelines.topics import Topic

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Record:
    """One message as Kafka delivered it."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """A record that was understood."""

    record: Record
    receipt: Receipt
    payload: T
    epoch: int | None
    """Erasure epoch stamped on the event; None on the first topic, which has none yet."""
    user_id: str | None = None
    """Only on the first topic."""
    received_at: datetime | None = None
    """When the turn or command came in; None for anything else, and for what is only read anew: it is not timed."""
    occurred_at: datetime | None = None
    """When it was said, capped at receipt; None as above."""
    source: Source | None = None
    """What it is about; None on the first topic, which brings that in."""


@dataclass(frozen=True, slots=True)
class Batch(Generic[T]):
    """What a handler gets: each list in the order of the partition."""

    fresh: Sequence[Item[T]]
    repeated: Sequence[Item[T]]
    """Applied before. State must not change; their output is published again."""
    subjects: Mapping[str, Subject]
    """By subject key; locked if the worker asks for it."""


@dataclass(frozen=True, slots=True)
class Periodic:
    """Work that recurs beside the stream. It is called under the worker's failure boundary."""

    name: str
    seconds: float
    run: Callable[[Pool], Awaitable[None]]
    at_most: float | None = 45.0
    """Seconds after which a run is broken off: a line may be dead. None: it looks after that itself."""


class Worker(Protocol[T]):
    """One stage of the pipeline.

    Ordering: batches of one partition come one after another, in offset order; partitions run side by side.
    Idempotency: the same record may come again; then it is in `repeated`.
    Failure: `read` and `handle` may raise Poison (this event), Transient (the whole batch again) or Defer (park
    this event). Anything else is sorted by `failures.classify` once the event that causes it stands alone.
    """

    name: str
    source: Topic
    locks_subjects: bool
    """True if it writes what is believed about a subject."""
    periodics: Sequence[Periodic]

    def read(self, record: Record) -> Item[T]:
        """Decode and understand one record; no I/O. Raises Poison."""

    async def handle(self, unit: UnitOfWork, batch: Batch[T]) -> Effects:
        """Read what is needed, decide, and say what to write and publish. Never writes by itself."""


@dataclass(slots=True)
class Progress:
    """What a worker has done, for its health: in monotonic seconds of the event loop."""

    failing_since: dict[int, float] = field(default_factory=dict)
    """Partition to when its batch began to fail."""
    last_error: str | None = None
    events: int = 0
    relay_failing_since: float | None = None
    stopped_by: str | None = None
    """Why the worker stops by itself."""
    busy_since: dict[int, float] = field(default_factory=dict)
    """Partition to the start of the batch that it works on."""
    unread_since: dict[int, float] = field(default_factory=dict)
    """Partition of this process to since when it has unread events and its committed offset has not moved."""
    outside_since: float | None = None
    """Since when it is not a member of its group although the broker answers."""
