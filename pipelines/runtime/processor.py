"""From records to a committed transaction: the one failure boundary of a worker."""

import logging
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Generic, TypeVar

import msgspec

from pipelines import metrics
from pipelines.deadlettercap import TooManyDeadLetters
from pipelines.deadletters import DeadLetters, Refused
from pipelines.envelope import Codec
from pipelines.failures import Cause, Defer, Poison, Transient, classify
from pipelines.internal import receipt_of
from pipelines.runtime.worker import Batch, Item, Record, Worker
from pipelines.settings import Settings
from pipelines.store.pool import Pool
from pipelines.store.unit_of_work import Arrival, Receipt, Subject, UnitOfWork, unit_of_work

T = TypeVar("T")
_log = logging.getLogger(__name__)
_WITH_OTHERS_AND_ALONE = 2
"""How often an event was tried that broke its batch."""


class Processor(Generic[T]):
    """Runs one worker's batches. `process` either commits all of a batch or raises Transient."""

    def __init__(self, worker: Worker[T], settings: Settings, pool: Pool, codec: Codec) -> None:
        self._worker = worker
        self._settings = settings
        self._pool = pool
        self._codec = codec
        self._letters = DeadLetters(settings, worker.name, codec)

    async def process(self, records: Sequence[Record]) -> None:
        """Commit a batch.

        Raises:
            Transient: nothing was committed; try again.
            TooManyDeadLetters: stop; the batch must come again, and none of it is a dead letter.
        """
        start = time.perf_counter()
        items, refused = self._read(records)
        try:
            await self._commit(items, refused)
        except TooManyDeadLetters:
            raise
        except Exception as error:
            failure = classify(error)
            if isinstance(failure, Transient):
                raise failure from error
            if failure is not error:  # unforeseen. Without the message, which may hold what users said
                named = (self._worker.name, len(items), type(error).__name__)
                _log.warning("%s: a batch of %d failed: %s; its events one by one", *named)
            await self._one_by_one(items, refused)
        self._letters.processed(len(records))
        metrics.BATCH_SECONDS.labels(self._worker.name).observe(time.perf_counter() - start)
        metrics.BATCH_EVENTS.labels(self._worker.name).observe(len(records))
        metrics.EVENTS_IN.labels(self._worker.name).inc(len(records))

    def _read(self, records: Sequence[Record]) -> tuple[list[Item[T]], list[Refused]]:
        items: list[Item[T]] = []
        refused: list[Refused] = []
        for record in records:
            try:
                items.append(self._worker.read(record))
            except Exception as error:  # noqa: BLE001 - reading is pure, so whatever it raises is this record's fault
                poison = _as_poison(error)
                poison.receipt = poison.receipt or receipt_of(record, self._codec)
                refused.append(Refused(record, poison))
        return items, refused

    async def _one_by_one(self, items: Sequence[Item[T]], refused: Sequence[Refused]) -> None:
        """The batch failed for a reason that is not transient: find the events that cause it.

        Letters come last, all in one transaction: where the cap refuses them these events come again, and none of them
        may be dead already.
        """
        dead = [*refused]
        for item in items:
            try:
                await self._guarded([item], [])
            except Defer as defer:
                await self._park(item, defer)
            except Poison as poison:
                poison.receipt = item.receipt
                dead.append(Refused(item.record, poison, attempts=_WITH_OTHERS_AND_ALONE))
                self._letters.admit(dead)
        await self._guarded([], dead)

    async def _guarded(self, items: Sequence[Item[T]], refused: list[Refused]) -> None:
        try:
            await self._commit(items, refused)
        except TooManyDeadLetters:
            raise
        except Exception as error:
            raise classify(error) from error

    async def _commit(self, items: Sequence[Item[T]], refused: list[Refused]) -> None:
        scope = {item.receipt.subject_key for item in items}
        scope |= {one.poison.receipt.subject_key for one in refused if one.poison.receipt is not None}
        worker = self._worker.name
        async with unit_of_work(self._pool, self._settings, worker, scope) as unit:
            subjects = await self._subjects(unit, items)
            current = await _known(unit, [item for item in items if _is_current(item, subjects)])
            batch, reused = await _sort(unit, current, subjects)
            effects = await self._worker.handle(unit, batch)
            await self._letters.add(unit, effects, [*refused, *reused])
            await unit.apply(effects)
        self._letters.committed([*refused, *reused])
        for one in [*refused, *reused]:
            metrics.DEAD_LETTERS.labels(worker, str(one.poison.cause)).inc()
        effects.committed()
        self._measure(batch)
        metrics.EVENTS_REPEATED.labels(worker).inc(len(batch.repeated))
        metrics.DROPPED.labels(worker).inc(len(items) - len(current))

    def _measure(self, batch: Batch[T]) -> None:
        now = datetime.now(UTC)
        for item in batch.fresh:
            for since, began in (("received", item.received_at), ("occurred", item.occurred_at)):
                if began is not None:
                    seconds = max(0.0, (now - began).total_seconds())
                    metrics.END_TO_END_SECONDS.labels(self._worker.name, since).observe(seconds)

    async def _subjects(self, unit: UnitOfWork, items: Sequence[Item[T]]) -> dict[str, Subject]:
        users = {(i.receipt.tenant, i.receipt.subject_key): i.user_id for i in items if i.user_id is not None}
        if users:
            return await unit.lock(users)
        keys = {item.receipt.subject_key for item in items}
        return await unit.lock_known(keys, update=self._worker.locks_subjects) if keys else {}

    async def _park(self, item: Item[T], defer: Defer) -> None:
        record, receipt = item.record, item.receipt
        row = {
            "tenant": receipt.tenant,
            "event_id": receipt.event_id,
            "subject_key": receipt.subject_key,
            "due_at": defer.due_at,
            "reason": defer.reason,
            "topic": record.topic,
            "key": (record.key or b"").decode("utf-8", "replace"),
            "value": msgspec.Raw(record.value or b"null"),
        }
        worker = self._worker.name
        async with unit_of_work(self._pool, self._settings, worker, {receipt.subject_key}) as unit:
            await unit.fetch("delivery.park", worker=worker, rows=[row])
        metrics.DEFERRED.labels(worker).inc()


def _as_poison(error: Exception) -> Poison:
    failure = classify(error)
    poison = failure if isinstance(failure, Poison) else Poison(Cause.UNEXPECTED, repr(error)[:300])
    if poison is not error:
        poison.__cause__ = error
    return poison


def _is_current(item: Item[T], subjects: dict[str, Subject]) -> bool:
    """False for work of an erased epoch, or of a subject that does not exist (any more)."""
    subject = subjects.get(item.receipt.subject_key)
    return subject is not None and (item.epoch is None or item.epoch >= subject.epoch)


async def _known(unit: UnitOfWork, items: Sequence[Item[T]]) -> list[Item[T]]:
    """Without what goes back to nothing that is stored.

    In a database that was put back, what the topics still hold from before comes ahead of its turn. Entered in the
    inbox now it would be a repeat when the turn has come again, and never be applied.
    """
    known = await unit.known(item.source for item in items if item.source is not None)
    return [item for item in items if item.source is None or item.source in known]


async def _sort(
    unit: UnitOfWork, items: Sequence[Item[T]], subjects: dict[str, Subject]
) -> tuple[Batch[T], list[Refused]]:
    arrivals = await unit.enter([item.receipt for item in items])
    by: dict[Arrival, list[Item[T]]] = {arrival: [] for arrival in Arrival}
    for item, arrival in zip(items, arrivals, strict=True):
        by[arrival].append(item)
    reused = [Refused(item.record, _reused(item.receipt)) for item in by[Arrival.REUSED]]
    return Batch(by[Arrival.FRESH], by[Arrival.REPEATED], subjects), reused


def _reused(receipt: Receipt) -> Poison:
    return Poison(Cause.ID_REUSED, f"event id {receipt.event_id!r} came before with other content")
