"""A worker that has work and does none is found out by its own look at the log."""

import asyncio
import time
from contextlib import suppress

from pipelines.observe.lag import LagReader
from pipelines.runtime.health import health
from pipelines.runtime.watch import StallWatch
from pipelines.runtime.worker import Progress
from pipelines.topics import Topic
from tests.integration.observe.conftest import Log
from tests.support.processes import PATIENCE

STALL = 1.0


async def eventually(progress: Progress, ok: bool) -> bool:
    """Whether health becomes so in time."""
    loop = asyncio.get_running_loop()
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if health(progress, loop.time(), STALL).ok is ok:
            return True
        await asyncio.sleep(0.1)
    return False


async def test_c94_unread_work_without_progress_is_unhealthy_until_something_is_committed(log: Log) -> None:
    progress, reader = Progress(), LagReader(log.settings, {"importance": Topic.TURNS})
    watch = StallWatch("importance", reader.read, progress, lambda: frozenset({0, 1}), STALL / 6)
    task = asyncio.create_task(watch.run())
    try:
        await asyncio.sleep(STALL * 2)
        assert health(progress, asyncio.get_running_loop().time(), STALL).ok, "idle"
        await asyncio.to_thread(log.produce, Topic.TURNS, 1)
        assert await eventually(progress, ok=False)
        await asyncio.to_thread(log.commit, "importance", Topic.TURNS, 1, 1)
        assert await eventually(progress, ok=True)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await asyncio.to_thread(reader.close)
