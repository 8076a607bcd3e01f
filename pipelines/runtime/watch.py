"""Watches beside the stream: is unread work being done, does the event loop come round in time, does the client live.

A member of a group can look well and fetch nothing for ever, or work on and never commit. Neither raises. So a worker
looks at its own lag from outside, and its health asks whether the committed offset moves while something is unread.
"""

import asyncio
from collections.abc import Awaitable, Callable

from pipelines import metrics
from pipelines.observe.lag import CommitAges, Reading
from pipelines.runtime.worker import Progress

_LOOP_SECONDS = 0.5
_CLIENT_SECONDS = 5.0
_READ_SECONDS = 2.0
"""A stop waits for a look that is under way."""


class StallWatch:
    """Keeps `Progress.unread_since` and `Progress.outside_since` true.

    Args:
        worker: Whose lag.
        read: Reads it within so many seconds; called in a thread.
        progress: What health looks at.
        assigned: Partitions of this process; None while it is not a member of its group.
        seconds: Between two looks.
    """

    def __init__(
        self,
        worker: str,
        read: Callable[[float], Reading],
        progress: Progress,
        assigned: Callable[[], frozenset[int] | None],
        seconds: float,
    ) -> None:
        self._worker = worker
        self._read = read
        self._progress = progress
        self._assigned = assigned
        self._seconds = seconds
        self._ages = CommitAges()

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            reading = await asyncio.to_thread(self._read, _READ_SECONDS)
            self.note(reading, asyncio.get_running_loop().time())
            await asyncio.sleep(self._seconds)

    def note(self, reading: Reading, now: float) -> None:
        """Take a reading in. What is unknown accuses nobody: without a broker no worker can make progress."""
        progress, mine = self._progress, self._assigned()
        ages = self._ages.update(reading, now)
        if not reading.known(self._worker):
            progress.unread_since, progress.outside_since = {}, None
            return
        progress.unread_since = {
            number: now - age
            for (worker, number), age in ages.items()
            if worker == self._worker and age > 0 and number in (mine or ())
        }
        progress.outside_since = (progress.outside_since or now) if mine is None else None


async def watch_client(fault: Callable[[], str | None], crash: Callable[[BaseException], Awaitable[None]]) -> None:
    """End the process if a part of its Kafka client has: it would stay, and do nothing. A new one starts well."""
    while True:
        await asyncio.sleep(_CLIENT_SECONDS)
        if (found := fault()) is not None:
            await crash(RuntimeError(f"a task of the Kafka client ended: {found}"))
            return


async def watch_loop(worker: str) -> None:
    """Measure until cancelled how late the event loop is."""
    loop = asyncio.get_running_loop()
    late = metrics.LOOP_LAG_SECONDS.labels(worker)
    while True:
        due = loop.time() + _LOOP_SECONDS
        await asyncio.sleep(_LOOP_SECONDS)
        late.observe(max(0.0, loop.time() - due))
