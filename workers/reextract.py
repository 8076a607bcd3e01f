"""`reextract`: queue turns for the model again. What is queued, the extraction worker asks about."""

from collections.abc import AsyncIterator
from datetime import datetime

from pipelines.settings import Settings
from pipelines.store.pool import Pool
from pipelines.store.scheduler import due
from pipelines.store.unit_of_work import unit_of_work

WORKER = "extraction"
_PAGE = 500


async def requeue(
    settings: Settings, pool: Pool, tenant: str | None, since: datetime | None, *, write: bool
) -> dict[str, int]:
    """Make turns due for the model again, user by user.

    Args:
        settings: of the process.
        pool: of the role lithify_worker.
        tenant: only this one's turns; None: all.
        since: read all user turns that matter again from this instant (aware) on; None: only what failed.
        write: False only counts.

    Returns:
        `failed`: turns whose reading failed, for now or for good; `again`: others, by `since`.
    """
    found = {"failed": 0, "again": 0}
    async for subject in _subjects(pool):
        async with unit_of_work(pool, settings, WORKER, {subject}) as unit:
            rows = await unit.fetch("model.requeue_failed", tenant=tenant, write=write)
            found["failed"] += rows[0]["turns"]
            if since is not None:
                importance = settings.model_min_importance
                rows = await unit.fetch(
                    "model.requeue_since", tenant=tenant, since=since, importance=importance, write=write
                )
                found["again"] += rows[0]["turns"]
    return found


async def _subjects(pool: Pool) -> AsyncIterator[str]:
    after = ""
    while rows := await due(pool, "scheduler.subjects_after", after=after, page=_PAGE):
        for row in rows:
            yield row["subject_key"]
        after = rows[-1]["subject_key"]
