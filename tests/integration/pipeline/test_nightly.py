"""The nightly run publishes what time has changed, once, and can be cut off and repeated."""

import asyncio
from datetime import datetime
from typing import Any

import msgspec
import pytest

from lithify.domain.policy import Policy
from pipelines.slots.folding import Folded, Folder
from pipelines.topics import Topic
from tests.integration.pipeline.conftest import CATALOG
from tests.integration.pipeline.test_interleavings import EMPTIED
from tests.integration.pipeline.test_stages import DAYS, turn
from tests.support.pipeline import Pipeline, at, facts_of
from workers.reflection.due import Reflector
from workers.reflection.nightly import Run, reflect_nightly
from workers.reflection.worker import ReflectionWorker


def reflector(pipeline: Pipeline) -> Reflector:
    worker = pipeline.workers[-1]
    assert isinstance(worker, ReflectionWorker)
    return worker._reflector


async def nightly(pipeline: Pipeline, as_of: datetime) -> Run:
    run = await reflect_nightly(pipeline.settings, pipeline.pool, reflector(pipeline), as_of)
    pipeline.relay()
    return run


def published(pipeline: Pipeline, attribute: str) -> list[list[str]]:
    """Override values of each published state of a slot, in order."""
    bodies = [body for body in pipeline.bodies(Topic.FACTS, "slot_changed") if body.attribute == attribute]
    assert [body.version - bodies[0].version for body in bodies] == list(range(len(bodies)))
    return [[override["value"] for override in body.overrides] for body in bodies]


async def test_a_lapse_is_published_when_due_and_changes_no_row(pipeline: Pipeline) -> None:
    pipeline.publish(DAYS[0])
    await pipeline.run()
    pipeline.publish(DAYS[2])
    await pipeline.run()
    before = facts_of(pipeline)
    assert published(pipeline, "diet") == [[], ["meat"]]

    early = await nightly(pipeline, at("2026-03-05 18:29"))
    assert early.slots == 0
    due = await nightly(pipeline, at("2026-03-06 00:00"))
    assert (due.slots, due.changed, due.resumed) == (1, 0, False)
    assert published(pipeline, "diet") == [[], ["meat"], []]
    assert facts_of(pipeline) == before


async def test_a_second_run_has_nothing_to_do(pipeline: Pipeline) -> None:
    pipeline.publish(*DAYS)
    await pipeline.run()
    as_of = at("2027-01-01 00:00")
    first = await nightly(pipeline, as_of)
    second = await nightly(pipeline, as_of)
    assert first.slots > 0
    assert (second.slots, second.resumed) == (0, True)


async def test_a_run_that_is_cut_off_is_taken_up_again(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    for user in ("ana", "ben", "eve"):
        fact = turn(1, "2026-03-01 10:00", "diet=vegan", user_id=user)
        choice = turn(2, "2026-03-02 10:00", "diet=meat choice temporary", user_id=user)
        pipeline.publish(*(msgspec.structs.replace(item, id=f"{item.id}-{user}") for item in (fact, choice)))
    await pipeline.run()
    as_of, work = at("2026-03-03 00:00"), reflector(pipeline)
    reflect, calls = work.reflect, []

    async def cut_off(*args: object) -> int:
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return await reflect(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(work, "reflect", cut_off)
        with pytest.raises(KeyboardInterrupt):
            await reflect_nightly(pipeline.settings, pipeline.pool, work, as_of)
    run = await nightly(pipeline, as_of)
    assert (run.slots, run.resumed) == (2, True)
    lapsed = [body for body in pipeline.bodies(Topic.FACTS, "slot_changed") if body.as_of == as_of]
    assert len(lapsed) == 3


async def test_old_inbox_rows_are_pruned(pipeline: Pipeline) -> None:
    pipeline.publish(*DAYS)
    await pipeline.run()
    pipeline.rows("update inbox set received_at = received_at - interval '101 days' where event_id in ('t1', 't2')")
    run = await nightly(pipeline, at("2026-03-10 00:00"))
    assert run.pruned == 8
    assert len(pipeline.rows("select * from inbox")) == 4 * (len(DAYS) - 2)


class PausedFolder(Folder):
    """Stops between what it has read and what it will write, until it may go on."""

    def __init__(self) -> None:
        super().__init__(CATALOG, Policy())
        self.has_read, self.may_write = asyncio.Event(), asyncio.Event()

    async def fold(self, *arguments: Any, **options: Any) -> list[Folded]:
        """Fold, then wait."""
        folded = await super().fold(*arguments, **options)
        self.has_read.set()
        await self.may_write.wait()
        return folded


@pytest.mark.parametrize("said", ["diet=vegan change", "home=utrecht", "likes=tea;diet=fish"])
async def test_c43_a_fact_added_during_reflection_survives(pipeline: Pipeline, said: str) -> None:
    """Reflection writes the rows that differ, never a snapshot, and a slot is written by one worker at a time."""
    pipeline.publish(DAYS[0], DAYS[2])
    await pipeline.run()
    importance, extraction, conflict, _ = pipeline.workers
    pipeline.workers = [importance, extraction]
    new = turn(50, "2026-03-05 20:00", said, "s9")
    pipeline.publish(new)
    await pipeline.run()
    [*_, record] = pipeline.log["lithify-claims"]

    folder = PausedFolder()
    paused = Reflector(folder, pipeline.codec)
    as_of = at("2026-03-06 00:00")
    reflection = asyncio.create_task(reflect_nightly(pipeline.settings, pipeline.pool, paused, as_of))
    await folder.has_read.wait()
    added = asyncio.create_task(pipeline.processor(conflict).process([record]))
    await asyncio.wait([added], timeout=0.3)
    assert not added.done(), "what is read under the lock of a subject is still true when it is written"
    folder.may_write.set()
    await asyncio.gather(reflection, added)

    after = facts_of(pipeline)
    pipeline.rows(f"truncate {EMPTIED}")
    pipeline.log.clear()
    pipeline.read.clear()
    pipeline.workers = [importance, extraction, conflict]
    pipeline.publish(DAYS[0], DAYS[2], new)
    await pipeline.run()
    assert {row["value"] for row in after} >= {"vegetarian", "meat", said.partition("=")[2].split()[0].split(";")[0]}
    assert after == facts_of(pipeline)
