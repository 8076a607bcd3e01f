"""Parked work: what a handler deferred is published again when it is due."""

from pipelines.runtime.worker import Periodic
from pipelines.settings import Settings
from pipelines.store.pool import Pool
from pipelines.store.scheduler import due
from pipelines.store.unit_of_work import unit_of_work

_SECONDS = 5.0


def parked_release(worker: str, settings: Settings) -> Periodic:
    """The recurring release of one worker's parked events."""

    async def release(pool: Pool) -> None:
        rows = await due(pool, "scheduler.due_parked", worker=worker)
        subjects = {row["subject_key"] for row in rows}
        if not subjects:
            return
        async with unit_of_work(pool, settings, worker, subjects) as unit:
            await unit.fetch("delivery.release", worker=worker)

    return Periodic("release parked work", _SECONDS, release)
