"""Reading a stretch of a topic, beside every consumer group, and publishing to one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.cimpl import TIMESTAMP_NOT_AVAILABLE, KafkaError

from pipelines.kafka import ISOLATION, producer_config
from pipelines.settings import Settings
from workers.operate.console import UnavailableError

_ANSWER_SECONDS = 10.0
_SILENCE_SECONDS = 30.0
_PAGE = 500

Offsets = dict[int, int]
"""Partition to offset."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where to begin in each partition."""

    offsets: Offsets
    lost: Offsets
    """How many messages before it were asked for and are no longer kept."""


@contextmanager
def reader(settings: Settings, group: str | None = None) -> Iterator[Consumer]:
    """A consumer that joins no group and commits nothing; with `group` it may ask what that group has committed."""
    config = {
        "bootstrap.servers": settings.kafka_bootstrap,
        "group.id": group or f"{settings.topic_prefix}-operator",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        "auto.offset.reset": "earliest",
        "isolation.level": ISOLATION,
        "log_level": 0,
    }
    consumer = Consumer(config)
    try:
        yield consumer
    finally:
        consumer.close()


def partitions_of(consumer: Consumer, topic: str) -> list[int]:
    """The partitions of a topic.

    Raises:
        UnavailableError: the broker has no such topic.
        KafkaException: the broker cannot be reached.
    """
    found = consumer.list_topics(topic, timeout=_ANSWER_SECONDS).topics[topic]
    if found.error is not None:
        raise UnavailableError(f"no topic {topic}: python -m workers topics apply")
    return sorted(found.partitions)


def at_time(consumer: Consumer, topic: str, instant: datetime) -> Offsets:
    """The first offset of each partition whose message came at `instant` (aware) or later; -1 where there is none."""
    milliseconds = int(instant.timestamp() * 1000)
    asked = [TopicPartition(topic, number, milliseconds) for number in partitions_of(consumer, topic)]
    answered = consumer.offsets_for_times(asked, timeout=_ANSWER_SECONDS)
    return {place.partition: max(place.offset, -1) for place in answered}


def start_at(consumer: Consumer, topic: str, wanted: Offsets) -> Start:
    """Where reading can really begin: an offset below what is kept begins at what is kept, and that is told."""
    offsets, lost = {}, {}
    for number, offset in wanted.items():
        low, _ = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=_ANSWER_SECONDS)
        offsets[number] = max(offset, low)
        if offset < low:
            lost[number] = low - offset
    return Start(offsets, lost)


def read(consumer: Consumer, topic: str, start: Offsets, stop: Offsets | None = None) -> Iterator[list[Message]]:
    """Pages of a topic from `start` until each partition has been read to `stop`, or to its end.

    Raises:
        KafkaException: the broker went away.
    """
    ends = {number: offset for number, offset in (stop or {}).items() if offset >= 0}
    left = {number for number, offset in start.items() if offset < ends.get(number, offset + 1)}
    consumer.assign([TopicPartition(topic, number, start[number]) for number in sorted(left)])
    while left:
        first = consumer.poll(_SILENCE_SECONDS)
        if first is None:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT, f"no answer for {_SILENCE_SECONDS:.0f} s"))
        # `consume` with a time-out waits for a full page; what follows the first is taken as far as it is there.
        page = [first, *consumer.consume(_PAGE, timeout=0)]
        yield [message for message in page if _is_wanted(message, left, ends)]


def _is_wanted(message: Message, left: set[int], ends: Offsets) -> bool:
    number, offset = message.partition(), message.offset()
    error = message.error()
    if error is not None:
        if error.code() != KafkaError._PARTITION_EOF:
            raise KafkaException(error)
        left.discard(number)
        return False
    if number not in left or offset is None:
        return False
    last = ends.get(number)
    if last is not None and offset >= last - 1:
        left.discard(number)
    return last is None or offset < last


def time_of(message: Message) -> datetime | None:
    """When the broker, or the producer, says the message came."""
    kind, milliseconds = message.timestamp()
    return None if kind == TIMESTAMP_NOT_AVAILABLE else datetime.fromtimestamp(milliseconds / 1000, UTC)


class Publisher:
    """Publishes one message at a time, and knows that the broker has it."""

    def __init__(self, settings: Settings) -> None:
        bounded = {"message.timeout.ms": int(_ANSWER_SECONDS * 1000), "log_level": 0}
        self._producer = Producer(producer_config(settings) | bounded)

    def publish(self, topic: str, key: bytes | None, value: bytes) -> None:
        """Returns once the broker has it. Raises KafkaException otherwise."""
        refused: list[KafkaError] = []

        def answered(error: KafkaError | None, _message: Message) -> None:
            if error is not None:
                refused.append(error)

        self._producer.produce(topic, key=key, value=value, on_delivery=answered)
        left = self._producer.flush(_ANSWER_SECONDS + 1)
        if refused or left:
            raise KafkaException(refused[0] if refused else KafkaError(KafkaError._MSG_TIMED_OUT))
