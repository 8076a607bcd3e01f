"""Whether everything that can be recalled by similarity is embedded; for demo and benchmarks, which want it settled."""

import asyncio
import time

from pipelines.settings import Settings
from pipelines.store.pool import make_pool
from pipelines.store.scheduler import due

_LOOK_SECONDS = 0.1


def wait_for_vectors(settings: Settings, seconds: float) -> bool:
    """Wait until every fact and episode has its vector.

    Args:
        settings: of the workers.
        seconds: the longest wait.

    Returns:
        Whether it came to that.
    """
    return asyncio.run(_wait(settings, time.monotonic() + seconds))


async def _wait(settings: Settings, deadline: float) -> bool:
    pool = make_pool(settings, "vectors")
    await pool.open(wait=True, timeout=settings.pool_timeout_seconds)
    try:
        while await due(pool, "scheduler.missing_vectors", model=settings.embedder):
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_LOOK_SECONDS)
        return True
    finally:
        await pool.close()
