"""The topic registry: every topic once, with who writes, who reads, the key and the retention."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from pipelines.settings import Settings


class Topic(StrEnum):
    """Topics by role; the broker's name is the prefix, a hyphen, and this."""

    TURNS = "turns"
    SCORED = "scored"
    CLAIMS = "claims"
    CONFLICTS = "conflicts"
    FACTS = "facts"
    DEAD_LETTERS = "dead-letters"


LARGEST_TURN_BYTES = 2_000_000
"""Of an event on the first topic, as its producers count it."""
LARGEST_EVENT_BYTES = 3_900_000
"""Of an event on the other topics: what becomes of a turn is larger than the turn, a dead letter by a third."""
_BROKER_ROOM = 2_097_152
"""What the broker takes on the first topic, with key and framing; twice as much on the others."""
DEAD_LETTER_DAYS = 14
"""How long dead letters are kept, and the keys of their days."""


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """One topic's contract."""

    topic: Topic
    key: str
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    retention: timedelta | None
    """None: compacted."""
    segment: timedelta | None = None


REGISTRY: dict[Topic, TopicSpec] = {
    spec.topic: spec
    for spec in (
        TopicSpec(
            Topic.TURNS,
            "tenant/user_id",
            ("agents", "gateway", "importance"),
            ("importance",),
            timedelta(hours=24),
            timedelta(hours=1),
        ),
        TopicSpec(Topic.SCORED, "tenant/subject_key", ("importance",), ("extraction",), timedelta(days=90)),
        TopicSpec(Topic.CLAIMS, "tenant/subject_key", ("extraction",), ("conflict",), timedelta(days=90)),
        TopicSpec(Topic.CONFLICTS, "tenant/subject_key", ("conflict",), ("reflection",), timedelta(days=90)),
        TopicSpec(Topic.FACTS, "tenant/subject_key/slot_id", ("conflict", "reflection"), ("downstream",), None),
        TopicSpec(
            Topic.DEAD_LETTERS,
            "topic/partition/offset",
            ("importance", "extraction", "conflict", "reflection", "operators"),
            ("operators",),
            timedelta(days=DEAD_LETTER_DAYS),
        ),
    )
}


def topic_name(settings: Settings, topic: Topic) -> str:
    """The topic's name on the broker."""
    return f"{settings.topic_prefix}-{topic}"


def group_name(settings: Settings, worker: str) -> str:
    """The consumer group of a worker."""
    return f"{settings.topic_prefix}-{worker}"


def topic_config(settings: Settings, topic: Topic) -> dict[str, str]:
    """Broker settings of a topic at its creation."""
    spec = REGISTRY[topic]
    room = _BROKER_ROOM if topic is Topic.TURNS else 2 * _BROKER_ROOM
    config = {"message.timestamp.type": "LogAppendTime", "max.message.bytes": str(room)}
    if spec.retention is None:
        return config | {"cleanup.policy": "compact"}
    kept = timedelta(hours=settings.turns_retention_hours) if topic is Topic.TURNS else spec.retention
    config["retention.ms"] = str(int(kept.total_seconds() * 1000))
    if spec.segment is not None:
        config["segment.ms"] = str(int(spec.segment.total_seconds() * 1000))
    return config


WORKER_SOURCES: dict[str, Topic] = {
    spec.readers[0]: spec.topic for spec in REGISTRY.values() if spec.readers[0] not in {"downstream", "operators"}
}
"""Each worker and the one topic that it reads, in the order of the flow."""
