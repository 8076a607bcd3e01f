"""The loop around one partition's stream: take a batch, try until it is done, acknowledge it as a whole.

What Faust 0.15.3 does makes these rules necessary; each has a contract test:
- the body never raises: one exception can acknowledge a whole queue unread;
- a batch is acknowledged whole or not at all, and nothing after a batch that was given up is acknowledged in the same
  generation: the committed offset passes a single unacknowledged event;
- a batch that still fails, or still runs, when the group rebalances or the worker stops is given up, unacknowledged,
  and delivered again: else it would hold the whole group for the rebalance time-out;
- never pause, resume or seek: fetched records are dropped and their offsets committed.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from pipelines import metrics
from pipelines.deadlettercap import TooManyDeadLetters
from pipelines.failures import Transient, classify
from pipelines.runtime.worker import Progress, Record

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_SLICE = 0.1
"""How often a waiting batch looks whether it has to give way."""
_GRACE = 2.0
"""How long a running batch may go on when others wait for it."""
_CANCEL = 1.0
"""How long a batch that is broken off may take to roll back; longer, and it is left to itself."""
_log = logging.getLogger(__name__)

Process = Callable[[Sequence[Record]], Coroutine[Any, Any, None]]


class StreamBody:
    """Runs batches of one worker process; one instance serves all of its partitions.

    Args:
        worker: its name.
        app: the Faust app.
        process: commits a batch, or raises.
        progress: kept up to date.
        wake: called after each commit.
        stop: ends the worker in order; called when it must not go on.
        attempt_seconds: after which a batch is broken off and tried again.
    """

    def __init__(
        self,
        worker: str,
        app: Any,
        process: Process,
        progress: Progress,
        wake: Callable[[], None],
        stop: Callable[[], None],
        attempt_seconds: float,
    ) -> None:
        self._worker = worker
        self._app = app
        self._process = process
        self._progress = progress
        self._wake = wake
        self._stop = stop
        self._attempt_seconds = attempt_seconds
        self._left_alone: set[asyncio.Task[None]] = set()

    async def run(self, stream: Any, size: int, within: float) -> None:
        """Consume a stream until it ends."""
        gave_up_in: int | None = None
        async for events in stream.noack_take(size, within=within):
            generation = self._app.consumer_generation_id
            current = [event for event in events if event.message.generation_id == generation]
            if gave_up_in == generation or not current:
                self._forget(events)
                continue
            if await self._until_done(current):
                await self._acknowledge(stream, current)
            else:
                gave_up_in = generation
                self._forget(events)

    async def _until_done(self, events: Sequence[Any]) -> bool:
        records = [_record(event) for event in events]
        partition = records[0].partition
        pause = _FIRST_PAUSE
        self._progress.busy_since[partition] = asyncio.get_running_loop().time()
        try:
            while not await self._attempt(records):
                if await self._must_give_way(pause):
                    return False
                pause = min(pause * 2, _LONGEST_PAUSE)
            return True
        finally:
            self._progress.busy_since.pop(partition, None)
            self._progress.failing_since.pop(partition, None)

    async def _attempt(self, records: Sequence[Record]) -> bool:
        try:
            await self._finish(asyncio.create_task(self._process(records)))
        except TooManyDeadLetters as error:
            self._halt(error)
            return False
        except Exception as error:  # noqa: BLE001 - the body never raises
            metrics.RETRIES.labels(self._worker).inc()
            failure = error if isinstance(error, Transient) else classify(error)
            _log.warning("%s: will try again: %s", self._worker, failure)
            self._progress.failing_since.setdefault(records[0].partition, asyncio.get_running_loop().time())
            self._progress.last_error = str(failure)[:300]
            return False
        self._progress.events += len(records)
        self._wake()
        return True

    async def _finish(self, task: asyncio.Task[None]) -> None:
        """Wait for a batch, but break it off when others have waited for it for too long, or it hangs."""
        now = asyncio.get_running_loop().time
        started, asked = now(), None
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=_SLICE)
                asked = (asked or now()) if self._others_wait() else None
                if now() - started > self._attempt_seconds or (asked is not None and now() - asked > _GRACE):
                    await self._break_off(task, f"broken off after {now() - started:.1f} s")
            task.result()
        finally:
            task.cancel()

    async def _break_off(self, task: asyncio.Task[None], reason: str) -> None:
        """Cancel a batch: it rolls back. On a dead line that takes its time, for which nobody waits.

        Raises:
            Transient: unless it came to its end all the same.
        """
        task.cancel()
        await asyncio.wait({task}, timeout=_CANCEL)
        if not task.done():
            self._left_alone.add(task)
            task.add_done_callback(self._left_alone.discard)
        if not task.done() or task.cancelled():
            raise Transient(reason)

    def _others_wait(self) -> bool:
        return bool(self._app.letting_go or self._app.should_stop)

    def _halt(self, error: TooManyDeadLetters) -> None:
        if self._progress.stopped_by is None:
            _log.critical("%s stops: %s", self._worker, error)
            self._progress.stopped_by = str(error)
            self._stop()

    async def _must_give_way(self, seconds: float) -> bool:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while True:
            if self._others_wait() or self._progress.stopped_by is not None:
                return True
            left = until - loop.time()
            if left <= 0:
                return False
            await asyncio.sleep(min(left, _SLICE))

    async def _acknowledge(self, stream: Any, events: Sequence[Any]) -> None:
        try:
            for event in events:
                await stream.ack(event)
            # Committed per batch, a crash repeats one batch instead of all since the last timer.
            await self._app.consumer.commit()
        except Exception as error:  # noqa: BLE001 - the body never raises; the commit timer tries again
            _log.warning("%s: offsets not committed yet: %s", self._worker, error)

    def _forget(self, events: Sequence[Any]) -> None:
        """Let a stop or rebalance not wait for events that will never be acknowledged here."""
        for event in events:
            self._app.consumer._unacked_messages.discard(event.message)


def _record(event: Any) -> Record:
    message = event.message
    return Record(message.topic, message.partition, message.offset, message.key, message.value)
