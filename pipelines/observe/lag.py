"""Consolidation lag: the age of the oldest event that a worker has not finished with, by partition.

It is read from the log itself: from the committed offset on, the first record that is there. So transaction markers
and what compaction removed count for nothing, an idle worker is at 0 however old its last event is, and no end offset
has to be believed (the embedded broker's is wrong). What cannot be read is unknown, never 0. No group is joined.
"""

import threading
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition
from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]  # documented, and not in its __all__
from confluent_kafka.cimpl import OFFSET_INVALID, TIMESTAMP_NOT_AVAILABLE, KafkaError

from pipelines.kafka import ISOLATION, client_config, make_admin
from pipelines.settings import Settings
from pipelines.topics import WORKER_SOURCES, Topic, group_name, topic_name

Place = tuple[str, int]
"""(topic, partition)."""
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class PartitionLag:
    """How far behind a worker is in one partition."""

    worker: str
    topic: str
    partition: int
    committed: int | None
    """None: the group has not committed here yet, and begins at the oldest record."""
    oldest: int
    """Offset of the oldest record that the broker still has."""
    seconds: float | None
    """Age of the oldest unprocessed event; 0: caught up; None: unknown."""

    @property
    def lost(self) -> int:
        """Offsets that were deleted before they were read: an upper bound of lost events, for markers count too."""
        return 0 if self.committed is None else max(0, self.oldest - self.committed)


@dataclass(frozen=True, slots=True)
class Reading:
    """One look at all partitions."""

    partitions: tuple[PartitionLag, ...]
    unknown: Mapping[str, str]
    """Worker to why its lag could not be read."""

    def known(self, worker: str) -> bool:
        """Whether the lag of every partition of a worker is known."""
        return worker not in self.unknown


class LagReader:
    """Reads the lag of workers, each with the topic that it reads."""

    def __init__(self, settings: Settings, sources: Mapping[str, Topic] = WORKER_SOURCES) -> None:
        self._topics = {worker: topic_name(settings, topic) for worker, topic in sources.items()}
        # Not the administration client: when a line breaks, its questions to a coordinator abort the whole process
        # (https://github.com/confluentinc/librdkafka/pull/5397). These join no group either.
        self._groups = {
            worker: Consumer(client_config(settings) | _READING | {"group.id": group_name(settings, worker)})
            for worker in self._topics
        }
        self._admin = make_admin(settings)
        self._consumer = Consumer(client_config(settings) | _READING)
        self._lock = threading.Lock()

    @property
    def workers(self) -> tuple[str, ...]:
        """Whose lag is read."""
        return tuple(self._topics)

    def close(self) -> None:
        """Close the connections, once a look that is under way has ended."""
        with self._lock:
            for consumer in [self._consumer, *self._groups.values()]:
                consumer.close()

    def read(self, timeout: float = 5.0) -> Reading:
        """Look at all partitions, within `timeout` seconds or a little more. Never raises for a fault of Kafka."""
        with self._lock:
            return self._read(timeout)

    def _read(self, timeout: float) -> Reading:
        deadline = time.monotonic() + timeout
        try:
            partitions = self._partitions(timeout)
            oldest = self._oldest(partitions, deadline)
        except (KafkaException, TimeoutError) as error:
            return Reading((), dict.fromkeys(self._topics, reason(error)))
        unknown = {
            worker: f"the broker has no topic {topic}"
            for worker, topic in self._topics.items()
            if not partitions.get(topic)
        }
        committed: dict[Place, int] = {}
        for worker in self._topics.keys() - unknown.keys():
            try:
                committed |= self._committed(worker, partitions[self._topics[worker]], deadline)
            except (KafkaException, TimeoutError) as error:
                unknown[worker] = reason(error)
        owners = {topic: worker for worker, topic in self._topics.items() if worker not in unknown}
        places = [(topic, number) for topic in owners for number in partitions[topic] if (topic, number) in oldest]
        starts = {place: max(committed.get(place, 0), oldest[place]) for place in places}
        ages = self._ages(starts, oldest, deadline)
        found = tuple(
            PartitionLag(owners[place[0]], *place, committed.get(place), oldest[place], ages.get(place))
            for place in places
        )
        read = {(lag.topic, lag.partition) for lag in found if lag.seconds is not None}
        late = {
            worker: f"partition {number} could not be read in time"
            for topic, worker in owners.items()
            for number in partitions[topic]
            if (topic, number) not in read
        }
        return Reading(found, unknown | late)

    def _partitions(self, timeout: float) -> dict[str, list[int]]:
        topics = self._admin.list_topics(timeout=timeout).topics
        wanted = set(self._topics.values())
        return {name: sorted(topic.partitions) for name, topic in topics.items() if name in wanted and not topic.error}

    def _oldest(self, partitions: Mapping[str, list[int]], deadline: float) -> dict[Place, int]:
        earliest = OffsetSpec.earliest()  # type: ignore[no-untyped-call]
        wanted = {TopicPartition(topic, number): earliest for topic in partitions for number in partitions[topic]}
        if not wanted:
            return {}
        found = {}
        for place, answer in self._admin.list_offsets(wanted, request_timeout=_left(deadline)).items():
            with suppress(KafkaException):  # such as a partition without a leader: the others can be read
                found[place.topic, place.partition] = _result(answer, deadline).offset
        return found

    def _committed(self, worker: str, numbers: Iterable[int], deadline: float) -> dict[Place, int]:
        """Committed offsets; a partition without one is left out, for -1001 is no number."""
        places = [TopicPartition(self._topics[worker], number) for number in numbers]
        found = self._groups[worker].committed(places, timeout=_left(deadline))
        for place in found:
            if place.error:
                raise KafkaException(place.error)
        return {(place.topic, place.partition): place.offset for place in found if place.offset != OFFSET_INVALID}

    def _ages(
        self, starts: Mapping[Place, int], oldest: Mapping[Place, int], deadline: float
    ) -> dict[Place, float | None]:
        """Age of the first record at or after each start; 0 where there is none; left out where that is not known.

        A start beyond the end (the topic was made anew) is read from the oldest record on, as the worker will.
        """
        ages: dict[Place, float | None] = {}
        try:
            beyond = self._first_records(starts, ages, deadline)
            if beyond:
                self._first_records({place: oldest[place] for place in beyond}, ages, deadline)
        finally:
            self._consumer.unassign()
        return ages

    def _first_records(
        self, starts: Mapping[Place, int], ages: dict[Place, float | None], deadline: float
    ) -> set[Place]:
        """Read one record of each partition; returns those whose start is out of range.

        What comes after the first record of a partition is passed over. Neither paused nor unassigned by itself: a
        paused partition delivers nothing when it is assigned again.
        """
        beyond: set[Place] = set()
        left = set(starts)
        self._consumer.assign([TopicPartition(topic, number, start) for (topic, number), start in starts.items()])
        while left and time.monotonic() < deadline:
            message = self._consumer.poll(_POLL_SECONDS)
            place = _place(message)
            if message is None or place not in left:
                continue
            error = message.error()
            if error is None or error.code() == KafkaError._PARTITION_EOF:
                ages[place] = _age(message)
            elif error.code() == KafkaError._AUTO_OFFSET_RESET:
                beyond.add(place)
            else:
                continue
            left.remove(place)
        return beyond


class CommitAges:
    """How long each committed offset has not moved although there is something unread."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, int], tuple[int | None, float]] = {}

    def update(self, reading: Reading, now: float) -> dict[tuple[str, int], float]:
        """Take a reading in, made at `now` (monotonic seconds).

        Returns:
            (worker, partition) to seconds; 0 where nothing is unread. Partitions that are unknown are left out.
        """
        ages = {}
        for lag in reading.partitions:
            if lag.seconds is None:
                continue
            key = (lag.worker, lag.partition)
            if lag.seconds == 0:
                self._since.pop(key, None)
                ages[key] = 0.0
                continue
            if key not in self._since or self._since[key][0] != lag.committed:
                self._since[key] = (lag.committed, now)
            ages[key] = now - self._since[key][1]
        return ages


_READING: dict[str, Any] = {
    "group.id": "lithify-lag",  # librdkafka wants one; partitions are assigned by hand, and nothing is committed
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "error",
    "isolation.level": ISOLATION,  # as the workers read: what is in an open transaction is not there yet
    "fetch.wait.max.ms": 100,
    "max.partition.fetch.bytes": 65_536,
    "queued.min.messages": 1,
}


def reason(error: Exception) -> str:
    """What went wrong, for people."""
    if isinstance(error, KafkaException) and isinstance(error.args[0], KafkaError):
        return str(error.args[0].str())
    return str(error) or "the broker did not answer in time"


def _place(message: Message | None) -> Place:
    """Where a message or an error of one partition is from; an error of the whole client is from nowhere."""
    topic, partition = (None, None) if message is None else (message.topic(), message.partition())
    return ("", -1) if topic is None or partition is None else (topic, partition)


def _age(message: Message) -> float | None:
    if message.error() is not None:
        return 0.0
    kind, milliseconds = message.timestamp()
    return None if kind == TIMESTAMP_NOT_AVAILABLE else max(0.001, time.time() - milliseconds / 1000)


def _left(deadline: float) -> float:
    return max(0.1, deadline - time.monotonic())


def _result(answer: "Future[Any]", deadline: float) -> Any:
    return answer.result(_left(deadline))
