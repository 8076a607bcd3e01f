"""The nightly run: everything that fell due up to an instant, over all users. Resumable, and safe to repeat."""

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from lithify.domain.ids import derive
from pipelines.effects import Effects
from pipelines.settings import Settings
from pipelines.store.pool import Pool
from pipelines.store.queries import query
from pipelines.store.scheduler import due
from pipelines.store.unit_of_work import unit_of_work
from pipelines.topics import DEAD_LETTER_DAYS
from workers.reflection.due import Reflector

WORKER = "reflection"
_log = logging.getLogger(__name__)
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Run:
    """What one run did."""

    as_of: datetime
    slots: int
    changed: int
    """Slots whose stored rows differed from their fold: 0 unless a policy changed or an event was missed."""
    resumed: bool
    pruned: int
    """Inbox rows and model replies past their retention that were removed."""
    destroyed: int
    """Keys of dead letters past their retention."""
    checked: int
    """Slots that the oracle folded anew."""
    mismatches: int
    """Of these, those that differ from what is stored: always 0, unless something is wrong."""


async def reflect_nightly(
    settings: Settings,
    pool: Pool,
    reflector: Reflector,
    as_of: datetime,
    progress: Callable[[int], None] = lambda _: None,
) -> Run:
    """Fold every slot that is due and publish its state.

    Slots are taken in the order in which they fell due; each subject's are one transaction. A slot that is done is no
    longer due, so a run that was cut off is simply taken up again.

    Args:
        settings: of the process.
        pool: of the role lithify_worker.
        reflector: what folds and publishes.
        as_of: the instant (aware) up to which changes are due.
        progress: called with the number of slots done so far.
    """
    resumed = await _begin(pool, as_of)
    done = changed = 0
    while rows := await due(pool, "scheduler.due_slots", as_of=as_of, page=_PAGE):
        for subject in _by_subject(rows):
            async with unit_of_work(pool, settings, WORKER, {subject}) as unit:
                await unit.lock_known([subject])
                effects = Effects()
                slots = await reflector.due_of(unit, subject, as_of)
                differed = await reflector.reflect(unit, effects, slots, as_of)
                await unit.apply(effects)
                await unit.fetch("reflection.note_progress", as_of=as_of, done=len(slots), changed=differed)
            done, changed = done + len(slots), changed + differed
            progress(done)
    checked, mismatches = await ask_oracle(settings, pool, reflector, as_of)
    pruned, destroyed = await _prune(pool, settings), await _destroy_keys(pool)
    await _finish(pool, as_of, checked, mismatches)
    return Run(as_of, done, changed, resumed, pruned, destroyed, checked, mismatches)


async def ask_oracle(settings: Settings, pool: Pool, reflector: Reflector, as_of: datetime) -> tuple[int, int]:
    """Fold a sample of all slots from their evidence, another one each day, and compare; nothing is written.

    Returns:
        How many were folded, and how many differ from what is stored.
    """
    share = int(settings.oracle_percent * 100)
    checked = mismatches = 0
    for row in await due(pool, "scheduler.sample_slots", seed=as_of.toordinal(), share=share):
        async with unit_of_work(pool, settings, WORKER, {row["subject_key"]}) as unit:
            await unit.lock_known([row["subject_key"]])
            differing = await reflector.differing(unit, row["slots"])
        checked += len(row["slots"])
        mismatches += len(differing)
        for slot_id in differing:
            _log.error("oracle: slot %s differs from a fold of its evidence", slot_id)
    return checked, mismatches


def _by_subject(rows: list[dict[str, str]]) -> dict[str, int]:
    subjects: dict[str, int] = defaultdict(int)
    for row in rows:
        subjects[row["subject_key"]] += 1
    return subjects


async def _begin(pool: Pool, as_of: datetime) -> bool:
    async with pool.connection() as connection:
        params = {"run_id": derive("reflection", as_of.isoformat()), "as_of": as_of}
        cursor = await connection.execute(query("reflection.begin_run").encode(), params)
        return await cursor.fetchone() is None


async def _finish(pool: Pool, as_of: datetime, checked: int, mismatches: int) -> None:
    async with pool.connection() as connection:
        await connection.execute(
            query("reflection.finish_run").encode(), {"as_of": as_of, "checked": checked, "mismatches": mismatches}
        )


async def _prune(pool: Pool, settings: Settings) -> int:
    inbox = await due(pool, "scheduler.prune_inbox", days=settings.inbox_retention_days)
    replies = await due(pool, "scheduler.prune_model_calls", days=settings.model_calls_retention_days)
    return int(inbox[0]["pruned"]) + int(replies[0]["pruned"])


async def _destroy_keys(pool: Pool) -> int:
    rows = await due(pool, "scheduler.destroy_dead_letter_keys", days=DEAD_LETTER_DAYS)
    return int(rows[0]["destroyed"])
