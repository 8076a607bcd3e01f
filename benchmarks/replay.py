"""Publishing turns through Kafka and waiting until every worker is done with them, with what that took."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.cimpl import KafkaError

from benchmarks.memory import memory_by_process
from benchmarks.results import Results
from lithify.events import Turn, encode, user_key
from pipelines.kafka import make_producer
from pipelines.settings import Settings
from pipelines.topics import Topic, topic_name

TIMEOUT = timedelta(minutes=10)
_POLL_SECONDS = 0.25
_ANSWER_SECONDS = 60.0
_STALLED_SECONDS = 120.0


Report = Callable[[KafkaError | None, Message], None]


class ReplayError(RuntimeError):
    """Something was lost on the way, or the workers stand still."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of a replay."""

    turns: int
    claims: int
    facts: int
    overrides: int
    dead_letters: int
    """New ones on the topic, of whatever events."""
    inbox: Mapping[str, int]
    """Worker to how many of the turns it has applied."""
    seconds: float
    """From the first turn published to the last one decided; 0 where all were known before."""
    lags: tuple[float, ...]
    """Turn-to-fact lag in seconds of turns not known before, ascending: decided - received."""
    memory: Mapping[str, int]
    """Process to resident bytes, highest so far; empty where they cannot be seen."""

    @property
    def rate(self) -> float:
        """New turns a second, end to end; 0 where all were known before."""
        return len(self.lags) / self.seconds if self.seconds else 0.0

    def lag(self, quantile: float) -> float:
        """A quantile of the lag, in seconds; 0 where all turns were known before."""
        if not self.lags:
            return 0.0
        return self.lags[min(len(self.lags) - 1, int(quantile * len(self.lags)))]


def replay(
    turns: Sequence[Turn], settings: Settings, *, rate: float | None = None, pids: Mapping[str, int] | None = None
) -> Replayed:
    """Publish turns and wait until each has reached the end of the pipeline.

    Args:
        turns: in order; of whichever users.
        settings: of the workers.
        rate: turns a second; None: as fast as the broker takes them.
        pids: processes whose memory to report, by name.

    Raises:
        ReplayError: a turn was not acknowledged, or the workers made no progress for two minutes.
    """
    letters = dead_letters(settings)
    began = datetime.now(UTC)
    publish(turns, settings, rate)
    with closing(Results(settings, turns)) as results:
        _wait(results, len(turns))
        new = [row for row in results.done() if row.received_at >= began]
        return Replayed(
            turns=len(turns),
            claims=results.claims(),
            facts=results.facts(),
            overrides=results.overrides(),
            dead_letters=dead_letters(settings) - letters,
            inbox=results.inbox(),
            seconds=max(((row.decided_at - began).total_seconds() for row in new), default=0.0),
            lags=tuple(sorted((row.decided_at - row.received_at).total_seconds() for row in new)),
            memory=memory_by_process(pids or {}),
        )


def publish(turns: Sequence[Turn], settings: Settings, rate: float | None = None) -> None:
    """Publish turns in order, evenly at `rate` turns a second. Raises ReplayError for each that is not acknowledged."""
    producer, topic = make_producer(settings), topic_name(settings, Topic.TURNS)
    failed: list[str] = []

    def report(error: KafkaError | None, _: Message) -> None:
        if error is not None:
            failed.append(error.str())

    began = time.monotonic()
    for number, turn in enumerate(turns):
        if rate is not None:
            time.sleep(max(0.0, began + number / rate - time.monotonic()))
        _produce(producer, topic, turn, report)
    left = producer.flush(TIMEOUT.total_seconds())
    if left or failed:
        raise ReplayError(f"{left + len(failed)} of {len(turns)} turns were not acknowledged: {failed[:1]}")


def _produce(producer: Producer, topic: str, turn: Turn, report: Report) -> None:
    while True:
        try:
            producer.produce(topic, encode(turn), user_key(turn.tenant, turn.user_id), on_delivery=report)
            producer.poll(0)
        except BufferError:
            producer.poll(0.1)
        else:
            return


def _wait(results: Results, wanted: int) -> None:
    done, since = results.finished(), time.monotonic()
    while done < wanted:
        time.sleep(_POLL_SECONDS)
        now = results.finished()
        if now > done:
            done, since = now, time.monotonic()
        elif time.monotonic() - since > _STALLED_SECONDS:
            raise ReplayError(
                f"only {done} of {wanted} turns reached the end, and no more for {_STALLED_SECONDS:.0f} s"
            )


def dead_letters(settings: Settings) -> int:
    """How many events the dead letters hold. Raises ReplayError if the broker cannot be reached."""
    consumer = Consumer({"bootstrap.servers": settings.kafka_bootstrap, "group.id": "benchmarks", "log_level": 3})
    topic = topic_name(settings, Topic.DEAD_LETTERS)
    try:
        partitions = consumer.list_topics(topic, timeout=_ANSWER_SECONDS).topics[topic].partitions
        marks = [
            consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=_ANSWER_SECONDS)
            for number in partitions
        ]
        return sum(high - low for low, high in marks)
    except KafkaException as error:
        raise ReplayError(f"the dead letters cannot be counted: {error.args[0].str()}") from None
    finally:
        consumer.close()
