"""How far the pipeline has come on its topics: what a restore goes on from."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from confluent_kafka import Consumer, TopicPartition

from pipelines.settings import Settings
from pipelines.topics import REGISTRY, Topic, group_name, topic_name
from workers.operate.log import Offsets, partitions_of, read, reader, start_at, time_of

_ANSWER_SECONDS = 10.0
_INNER = (Topic.SCORED, Topic.CLAIMS, Topic.CONFLICTS)


@dataclass(frozen=True, slots=True)
class Position:
    """Where the workers are.

    A worker commits an offset after its transaction: what lies before `offsets` is in a later snapshot of the database.
    """

    offsets: Offsets | None
    """The next offset of the first topic, by partition; None: unknown."""
    oldest: datetime
    """When the oldest event that is still under way behind importance came to its topic, or when this was read."""


def position(settings: Settings, now: datetime) -> Position:
    """Ask the broker. Raises KafkaException, or UnavailableError if a topic is missing."""
    with _of_group(settings, Topic.TURNS) as consumer:
        offsets = _next(consumer, topic_name(settings, Topic.TURNS))
    return Position(offsets, min([now, *filter(None, (_oldest_unread(settings, topic) for topic in _INNER))]))


def _of_group(settings: Settings, topic: Topic) -> AbstractContextManager[Consumer]:
    return reader(settings, group_name(settings, REGISTRY[topic].readers[0]))


def committed(consumer: Consumer, topic: str) -> dict[int, int | None]:
    """The next offset of the consumer's group, by partition; None where it has committed none."""
    asked = [TopicPartition(topic, number) for number in partitions_of(consumer, topic)]
    answered = consumer.committed(asked, timeout=_ANSWER_SECONDS)
    return {place.partition: place.offset if place.offset >= 0 else None for place in answered}


def _next(consumer: Consumer, topic: str) -> Offsets:
    return {number: offset or 0 for number, offset in committed(consumer, topic).items()}


def _oldest_unread(settings: Settings, topic: Topic) -> datetime | None:
    name = topic_name(settings, topic)
    with _of_group(settings, topic) as consumer:
        start = start_at(consumer, name, _next(consumer, name)).offsets
        pages = read(consumer, name, start, {number: offset + 1 for number, offset in start.items()})
        return min(filter(None, (time_of(message) for page in pages for message in page)), default=None)
