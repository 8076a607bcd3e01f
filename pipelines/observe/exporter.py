"""The exporter: lag, and what the database holds open, once a cluster. It joins no group and writes nothing.

Everything is read when Prometheus asks, so that what it gets is what is so. A source that cannot be read has its series
absent and `lithify_exporter_up` at 0.
"""

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from pipelines import metrics
from pipelines.observe.census import Census, Value
from pipelines.observe.lag import CommitAges, LagReader, Reading
from pipelines.settings import Settings

_log = logging.getLogger(__name__)
_EXPORTED = (
    *(metrics.EXPORTER_UP, metrics.LAG_KNOWN, metrics.LAG_SECONDS, metrics.COMMIT_AGE_SECONDS, metrics.LOST_OFFSETS),
    *(metrics.OUTBOX_EVENTS, metrics.OUTBOX_AGE_SECONDS, metrics.PARKED_EVENTS, metrics.PARKED_OVERDUE_SECONDS),
    *(metrics.OPEN_TURNS, metrics.OVERRIDES_ALIVE, metrics.CONTENDERS_ALIVE, metrics.CONTENDERS_NEAR),
    *(metrics.REFLECTION_DUE_SLOTS, metrics.REFLECTION_AGE_SECONDS, metrics.REFLECTION_RUN_SECONDS),
    *(metrics.REFLECTION_RUN_SLOTS, metrics.ORACLE_CHECKED, metrics.ORACLE_MISMATCHES),
)


class ClusterCollector(Collector):
    """Reads both sources side by side, one scrape at a time."""

    def __init__(self, settings: Settings) -> None:
        self._lag = LagReader(settings)
        self._census = Census(settings)
        self._ages = CommitAges()
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="census")

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            self._threads.shutdown()
            self._lag.close()
            self._census.close()

    def describe(self) -> Iterable[Metric]:
        """The families, without reading anything."""
        return [measured.family() for measured in _EXPORTED]

    def collect(self) -> Iterator[Metric]:
        """Read everything."""
        with self._lock:
            counted = self._threads.submit(self._count)
            reading = self._lag.read()
            values = [*self._of_lag(reading), *counted.result()]
        families = {measured.name: measured.family() for measured in _EXPORTED}
        for measured, labels, value in values:
            families[measured.name].add_metric(labels, value)
        yield from families.values()

    def _count(self) -> list[Value]:
        try:
            return [*self._census.read(), (metrics.EXPORTER_UP, ("database",), 1)]
        except psycopg.Error as error:
            _log.warning("database: %s: %s", type(error).__name__, error)
            return [(metrics.EXPORTER_UP, ("database",), 0)]

    def _of_lag(self, reading: Reading) -> Iterator[Value]:
        for worker, reason in reading.unknown.items():
            _log.warning("lag of %s is unknown: %s", worker, reason)
        yield metrics.EXPORTER_UP, ("kafka",), float(bool(reading.partitions))
        for worker in self._lag.workers:
            yield metrics.LAG_KNOWN, (worker,), float(reading.known(worker))
        ages = self._ages.update(reading, time.monotonic())
        for lag in reading.partitions:
            place = (lag.worker, lag.topic, str(lag.partition))
            yield metrics.LOST_OFFSETS, place, lag.lost
            if lag.seconds is not None:
                yield metrics.LAG_SECONDS, place, lag.seconds
                yield metrics.COMMIT_AGE_SECONDS, place, ages[lag.worker, lag.partition]


def serve(settings: Settings, port: int, stop: threading.Event) -> None:
    """Serve metrics until `stop` is set. Port 0 takes a free one; the log tells which."""
    registry = CollectorRegistry()
    collector = ClusterCollector(settings)
    registry.register(collector)
    server, thread = start_http_server(port, settings.health_host, registry)
    _log.info("exporter: http://%s:%s/metrics", settings.health_host, server.server_port)
    try:
        stop.wait()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        collector.close()
