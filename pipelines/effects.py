"""What a handler wants done: rows to write and events to publish. The unit of work does it, or none of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from prometheus_client import Counter

from pipelines.topics import Topic

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One event to publish, once the transaction has committed."""

    topic: Topic
    key: str
    value: bytes
    """JSON."""
    subject_key: str


@dataclass(slots=True)
class Effects:
    """Writes run in the order they were first named; each is one statement over all of its rows."""

    writes: dict[str, list[Row]] = field(default_factory=dict)
    """Query name (file.query) to rows."""
    messages: list[Message] = field(default_factory=list)
    counts: list[tuple[Counter, tuple[str, ...], float]] = field(default_factory=list)
    changed_subjects: set[str] = field(default_factory=set)
    """Subject keys whose believed state changes: their version is raised."""

    def write(self, query: str, *rows: Row) -> None:
        """Add rows to a named statement. Named without rows, it takes its place in the order all the same."""
        self.writes.setdefault(query, []).extend(rows)

    def count(self, counter: Counter, *labels: str, by: float = 1) -> None:
        """Raise a counter once all of this is committed, and not before."""
        self.counts.append((counter, labels, by))

    def committed(self) -> None:
        """Raise the counters; for whoever has seen the commit."""
        for counter, labels, by in self.counts:
            (counter.labels(*labels) if labels else counter).inc(by)
        self.counts.clear()

    def publish(self, topic: Topic, key: str, value: bytes, subject_key: str) -> None:
        """Add an event."""
        self.messages.append(Message(topic, key, value, subject_key))
