"""Consuming a stretch of a topic once more, in this process, through the worker that reads the topic.

Nothing of the consumer groups is touched, so it may run beside the workers: what a worker has applied before changes
nothing, and its output is published again. What it has not applied, in a restored or emptied database, is applied now.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from confluent_kafka import Message

from pipelines import metrics
from pipelines.failures import Transient
from pipelines.runtime.processor import Processor
from pipelines.runtime.worker import Record
from pipelines.settings import Settings
from pipelines.store.pool import make_pool
from pipelines.topics import REGISTRY, Topic, topic_name
from workers.operate.console import Bar, UnavailableError, UsageError
from workers.operate.log import Offsets, Start, at_time, partitions_of, read, reader, start_at, time_of

_ATTEMPTS = 6
_FIRST_PAUSE = 0.5
SOURCES = {
    topic: spec.readers[0] for topic, spec in REGISTRY.items() if spec.readers[0] not in ("downstream", "operators")
}
"""Topics that a worker reads, and which worker that is."""


@dataclass(slots=True)
class Replay:
    """What a replay did, or would do."""

    topic: str
    worker: str
    dry_run: bool
    start: Offsets = field(default_factory=dict)
    lost: Offsets = field(default_factory=dict)
    """Messages that were asked for and that the topic no longer keeps, by partition."""
    events: int = 0
    known: int = 0
    """Of these, applied before."""
    dead: int = 0
    """Of these, moved to the dead letters."""
    first: datetime | None = None
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """What to consume: from offsets or an instant, up to an instant or to the end."""

    topic: Topic
    start: Offsets | datetime | int
    """By partition; or the first message at or after an instant; or one offset for every partition."""
    until: datetime | None = None


def replay(settings: Settings, stretch: Stretch, bar: Bar, *, dry_run: bool) -> Replay:
    """Consume a stretch of a topic.

    Raises:
        UnavailableError: the topic is missing, or the database does not take the work.
        KafkaException, psycopg.Error: broker or database cannot be reached.
    """
    return asyncio.run(_replay(settings, stretch, bar, dry_run))


async def _replay(settings: Settings, stretch: Stretch, bar: Bar, dry_run: bool) -> Replay:
    from workers.assembly import WORKERS, codec  # noqa: PLC0415 - assembly loads every worker

    name = SOURCES[stretch.topic]
    done = Replay(topic_name(settings, stretch.topic), name, dry_run)
    counts = _Counts(name)
    pool = make_pool(settings, "replay")
    if not dry_run:
        await pool.open(wait=True, timeout=settings.pool_timeout_seconds)
    processor = Processor(WORKERS[name](settings), settings, pool, codec())
    try:
        with reader(settings) as consumer:
            start = await asyncio.to_thread(_start, consumer, done.topic, stretch.start)
            stop = (
                None if stretch.until is None else await asyncio.to_thread(at_time, consumer, done.topic, stretch.until)
            )
            done.start, done.lost = start.offsets, start.lost
            pages = read(consumer, done.topic, start.offsets, stop)
            while (page := await asyncio.to_thread(next, pages, None)) is not None:
                for records in [] if dry_run else _batches(page, settings.batch_size):
                    await _apply(processor, records)
                _note(done, page)
                bar.advance(len(page))
    finally:
        await pool.close()
    done.known, done.dead = counts.since()
    return done


def _start(consumer: Any, topic: str, start: Offsets | datetime | int) -> Start:
    if isinstance(start, datetime):
        found = at_time(consumer, topic, start)
        return Start({number: offset for number, offset in found.items() if offset >= 0}, {})
    if isinstance(start, int):
        start = dict.fromkeys(partitions_of(consumer, topic), start)
    known = partitions_of(consumer, topic)
    if unknown := sorted(set(start) - set(known)):
        raise UsageError(f"{topic} has no partition {unknown[0]}")
    return start_at(consumer, topic, start)


async def _apply(processor: Processor[Any], records: Sequence[Record]) -> None:
    pause = _FIRST_PAUSE
    for attempt in range(_ATTEMPTS):
        try:
            await processor.process(records)
        except Transient as error:
            if attempt == _ATTEMPTS - 1:
                place = f"partition {records[0].partition}, offset {records[0].offset}"
                raise UnavailableError(
                    f"{error}; stopped at {place}; what came before is applied, and may be again"
                ) from error
            await asyncio.sleep(pause)
            pause *= 2
        else:
            return


def _batches(page: Sequence[Message], size: int) -> list[list[Record]]:
    by_partition: dict[int, list[Record]] = defaultdict(list)
    for message in page:
        record = Record(
            str(message.topic()),
            int(message.partition() or 0),
            int(message.offset() or 0),
            message.key(),
            message.value(),
        )
        by_partition[record.partition].append(record)
    return [
        records[first : first + size] for records in by_partition.values() for first in range(0, len(records), size)
    ]


def _note(done: Replay, page: Sequence[Message]) -> None:
    done.events += len(page)
    for at in filter(None, map(time_of, page)):
        done.first = at if done.first is None else min(done.first, at)
        done.last = at if done.last is None else max(done.last, at)


class _Counts:
    """What the worker's own metrics counted since this was made."""

    def __init__(self, worker: str) -> None:
        self._worker = worker
        self._before = self._now()

    def since(self) -> tuple[int, int]:
        known, dead = self._now()
        return known - self._before[0], dead - self._before[1]

    def _now(self) -> tuple[int, int]:
        known = dead = 0
        for family in metrics.REGISTRY.collect():
            for sample in family.samples:
                if sample.labels.get("worker") != self._worker:
                    continue
                known += int(sample.value) if sample.name == "lithify_events_repeated_total" else 0
                dead += int(sample.value) if sample.name == "lithify_dead_letters_total" else 0
        return known, dead
