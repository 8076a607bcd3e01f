"""Events that retention removed before they were read: told and counted, never passed over in silence.

aiokafka goes on with the oldest event there is, and says so in one line of its log at the level INFO. That line is what
is listened to here; a contract test holds it.
"""

import logging
import threading

from confluent_kafka import Consumer, KafkaException, TopicPartition

from pipelines import metrics
from pipelines.settings import Settings

FETCHER = "aiokafka.consumer.fetcher"
_OUT_OF_RANGE = "Fetch offset %s is out of range"
_log = logging.getLogger(__name__)


class GapListener(logging.Filter):
    """Lets warnings of the fetcher pass, and reports each offset that is no longer there."""

    def __init__(self, worker: str, settings: Settings) -> None:
        super().__init__()
        self._worker = worker
        self._settings = settings
        self._lock = threading.Lock()
        self._told: dict[tuple[str, int], int] = {}
        """By topic and partition, up to which offset: a rebalance may go back to the same committed offset again."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to let the record pass."""
        if isinstance(record.args, tuple) and record.msg.startswith(_OUT_OF_RANGE):
            offset, place = record.args
            # The caller is the consumer's own thread, which must not wait for the broker.
            threading.Thread(target=self._report, args=(place, offset), daemon=True).start()
            return False
        return record.levelno >= logging.WARNING

    def _report(self, place: TopicPartition, offset: int) -> None:
        config = {"bootstrap.servers": self._settings.kafka_bootstrap, "group.id": "lithify-gaps", "log_level": 0}
        consumer = Consumer(config)
        try:
            oldest, _ = consumer.get_watermark_offsets(TopicPartition(place.topic, place.partition), timeout=10)
        except KafkaException as error:
            _log.error("%s: offset %s of %s is gone: %s", self._worker, offset, place, error)
            return
        finally:
            consumer.close()
        gone = self._gone(place, offset, oldest)
        if gone is None:
            return
        metrics.PASSED_OVER.labels(self._worker).inc(gone)
        _log.error(
            "%s: %d events of %s, partition %d, were removed before they were read; goes on at offset %d",
            *(self._worker, gone, place.topic, place.partition, oldest),
        )

    def _gone(self, place: TopicPartition, offset: int, oldest: int) -> int | None:
        """How many events are missing that were not told of before; None: all were."""
        with self._lock:
            told = self._told.get((place.topic, place.partition), 0)
            if oldest < told:  # the topic was made anew
                told = 0
            self._told[place.topic, place.partition] = oldest
        return None if offset < oldest <= told else max(0, oldest - max(offset, told))


def listen_for_gaps(worker: str, settings: Settings) -> None:
    """Report gaps of this process's consumer from now on."""
    fetcher = logging.getLogger(FETCHER)
    fetcher.setLevel(logging.INFO)
    fetcher.addFilter(GapListener(worker, settings))
