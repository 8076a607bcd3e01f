"""The failure boundary: one bad event costs nothing but itself."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec
import psycopg
import pytest

from lithify.events import Command, CommandName, DeadLetter, encode
from pipelines.deadlettercap import TooManyDeadLetters
from pipelines.effects import Effects
from pipelines.failures import Defer, Transient
from pipelines.runtime.parked import parked_release
from pipelines.runtime.worker import Batch
from pipelines.store.unit_of_work import UnitOfWork
from pipelines.topics import Topic
from tests.integration.pipeline.test_stages import DAYS, republish_now, turn
from tests.support.letters import originals
from tests.support.pipeline import Pipeline, at
from workers.importance.scoring import Scored


def letters(pipeline: Pipeline) -> list[DeadLetter]:
    found: list[DeadLetter] = pipeline.bodies(Topic.DEAD_LETTERS, "dead_letter")
    return found


def breaking(pipeline: Pipeline, turn_id: str, error: Callable[[], Exception], stage: int = 0) -> None:
    """Let one worker fail whenever a batch holds one turn."""
    worker = pipeline.workers[stage]
    handle = worker.handle

    async def broken(unit: UnitOfWork, batch: Batch[Scored]) -> Effects:
        if any(item.receipt.event_id == turn_id for item in batch.fresh):
            raise error()
        return await handle(unit, batch)

    worker.handle = broken  # type: ignore[method-assign]


async def test_c92_bad_events_go_to_the_dead_letters_and_good_ones_through(pipeline: Pipeline) -> None:
    naive = msgspec.json.encode(msgspec.to_builtins(DAYS[1]) | {"type": "turn", "occurred_at": "2026-03-01T10:00:00"})
    bad = [b"{", b'{"type": "turn"}', naive]
    pipeline.publish(DAYS[0], bad[0], DAYS[1], bad[1], DAYS[2], bad[2])
    await pipeline.run()
    found = letters(pipeline)
    assert [letter.cause for letter in found] == ["not_json", "invalid_event", "invalid_event"]
    assert [letter.offset for letter in found] == [1, 3, 5]
    assert [one.value for one in await originals(pipeline.settings, found)] == bad
    assert pipeline.rows("select count(*) as n from dead_letter_keys") == [{"n": 1}]
    assert len(pipeline.rows("select * from turns")) == 3


async def test_c62_a_nul_byte_is_cleaned_and_its_neighbours_stay(pipeline: Pipeline) -> None:
    turns = [turn(n, f"2026-03-01 10:{n:02}", f"word {n}") for n in range(30)]
    turns[7] = turn(7, "2026-03-01 10:07", "ok\x00done", metadata={"a": ["\x00"]})
    pipeline.publish(*turns)
    await pipeline.run()
    assert letters(pipeline) == []
    assert pipeline.rows("select content from turns where turn_id = 't7'") == [{"content": "okdone"}]
    assert len(pipeline.rows("select * from turns where reflected_at is not null")) == 30


async def test_an_id_used_twice_for_other_content_is_refused(pipeline: Pipeline) -> None:
    pipeline.publish(DAYS[0], turn(1, "2026-03-01 10:00", "diet=vegan"))
    await pipeline.run()
    pipeline.publish(turn(1, "2026-03-01 10:00", "diet=meat"), turn(1, "2026-03-01 10:00", "x", user_id="ben"))
    await pipeline.run()
    assert [letter.cause for letter in letters(pipeline)] == ["id_reused"] * 3
    assert pipeline.rows("select value from facts where sys_to is null") == [{"value": "vegetarian"}]


@pytest.mark.parametrize(
    ("error", "cause"),
    [(lambda: KeyError("defect"), "unexpected"), (lambda: psycopg.DataError("refused"), "rejected_by_store")],
)
async def test_the_event_that_breaks_a_batch_is_found(
    pipeline: Pipeline, error: Callable[[], Exception], cause: str
) -> None:
    breaking(pipeline, "t3", error)
    pipeline.publish(*DAYS)
    await pipeline.run()
    [letter] = letters(pipeline)
    assert (letter.cause, letter.offset) == (cause, 2)
    [original] = await originals(pipeline.settings, [letter])
    assert original.value == encode(DAYS[2])
    assert letter.attempts == 2
    assert original.stack is not None
    assert "in broken" in original.stack
    assert len(pipeline.rows("select * from turns")) == len(DAYS) - 1
    assert len(pipeline.rows("select * from inbox where worker = 'importance'")) == len(DAYS) - 1


async def test_past_the_cap_no_event_is_dead_that_comes_again(pipeline: Pipeline) -> None:
    cap = {"dead_letter_cap": 1, "dead_letter_cap_share": 0.0}
    pipeline.settings = pipeline.settings.model_copy(update=cap)
    worker = pipeline.workers[0]
    handle = worker.handle
    breaking(pipeline, "t2", lambda: KeyError("defect"))
    breaking(pipeline, "t4", lambda: KeyError("defect"))
    pipeline.publish(*DAYS)
    with pytest.raises(TooManyDeadLetters, match="2 of the last 2"):
        await pipeline.run()
    worker.handle = handle  # type: ignore[method-assign]  # a release without the defect
    await pipeline.run()
    assert letters(pipeline) == []
    assert pipeline.rows("select * from dead_events") == []
    assert len(pipeline.rows("select * from turns where reflected_at is not null")) == len(DAYS)


async def test_a_transient_fault_writes_nothing_and_asks_for_the_batch_again(pipeline: Pipeline) -> None:
    breaking(pipeline, "t3", lambda: psycopg.OperationalError("gone"))
    pipeline.publish(*DAYS)
    with pytest.raises(Transient):
        await pipeline.run()
    assert pipeline.rows("select * from turns") == []
    assert pipeline.rows("select * from inbox") == []
    assert pipeline.rows("select * from outbox") == []


async def test_a_deferred_event_is_parked_and_comes_back_when_due(pipeline: Pipeline) -> None:
    worker = pipeline.workers[0]
    handle = worker.handle
    breaking(pipeline, "t1", lambda: Defer(datetime.now(UTC) - timedelta(seconds=1), "quota"))
    pipeline.publish(*DAYS[:3])
    await pipeline.run()
    assert [row["event_id"] for row in pipeline.rows("select * from deferred")] == ["t1"]
    assert len(pipeline.rows("select * from turns")) == 2
    worker.handle = handle  # type: ignore[method-assign]
    await parked_release("importance", pipeline.settings).run(pipeline.pool)
    await pipeline.run()
    assert pipeline.rows("select * from deferred") == []
    assert len(pipeline.rows("select * from turns where reflected_at is not null")) == 3


async def test_work_of_an_erased_epoch_is_dropped(pipeline: Pipeline) -> None:
    importance, *others = pipeline.workers
    pipeline.workers = [importance]
    pipeline.publish(DAYS[0])
    await pipeline.run()
    pipeline.rows("update subjects set epoch = epoch + 1")
    pipeline.workers = [importance, *others]
    await pipeline.run()
    assert pipeline.rows("select * from facts") == []
    pipeline.publish(turn(50, "2026-03-02 10:00", "diet=vegan"))
    await pipeline.run()
    assert pipeline.rows("select value from facts where sys_to is null") == [{"value": "vegan"}]


async def test_work_of_an_unknown_subject_is_dropped(pipeline: Pipeline) -> None:
    importance, *others = pipeline.workers
    pipeline.workers = [importance]
    pipeline.publish(DAYS[0])
    await pipeline.run()
    pipeline.rows("delete from subjects")
    pipeline.workers = others
    await pipeline.run()
    assert pipeline.rows("select * from facts") == []


async def test_c17_the_same_words_twice_are_one_fact_with_two_mentions(pipeline: Pipeline) -> None:
    pipeline.publish(DAYS[0], DAYS[0], turn(20, "2026-03-02 10:00", "diet=vegetarian", "s9"))
    await pipeline.run()
    assert pipeline.rows("select value, mentions from facts where sys_to is null") == [
        {"value": "vegetarian", "mentions": 2}
    ]


async def test_c13_one_claim_touches_one_slot(pipeline: Pipeline) -> None:
    pipeline.publish(*(turn(n, "2026-03-01 10:00", f"fact{n}=v{n}") for n in range(60)))
    await pipeline.run()
    before = pipeline.rows("select fact_id, sys_from from facts order by fact_id")
    pipeline.publish(turn(100, "2026-03-02 10:00", "laptop=14-inch", speaker="mia"))
    await pipeline.run()
    after = pipeline.rows("select fact_id, sys_from from facts where subject = 'user' order by fact_id")
    assert after == before


async def test_c42_two_workers_at_once_make_one_fact(pipeline: Pipeline) -> None:
    importance, extraction, conflict, _ = pipeline.workers
    pipeline.workers = [importance, extraction]
    pipeline.publish(DAYS[0], turn(30, "2026-03-01 10:01", "diet=vegetarian"))
    await pipeline.run()
    first, second = pipeline.log["lithify-claims"]
    await asyncio.gather(pipeline.processor(conflict).process([first]), pipeline.processor(conflict).process([second]))
    assert pipeline.rows("select value, mentions from facts where sys_to is null") == [
        {"value": "vegetarian", "mentions": 2}
    ]


async def test_a_user_turn_knows_the_assistant_turn_before(pipeline: Pipeline) -> None:
    asked = turn(1, "2026-03-01 10:00", "3 June?", role="assistant")
    answered = turn(2, "2026-03-01 10:01", "yes")
    pipeline.publish(asked)
    await pipeline.run()
    pipeline.publish(answered, turn(3, "2026-03-01 10:02", "and more"))
    await pipeline.run()
    scored = {body.turn_id: body for body in pipeline.bodies(Topic.SCORED, "turn_scored")}
    assert scored["t2"].before.content == "3 June?"
    assert scored["t3"].before is None


async def test_a_turn_that_died_on_its_way_is_not_published_again(pipeline: Pipeline) -> None:
    breaking(pipeline, "t1", lambda: KeyError("defect"), stage=2)
    pipeline.publish(*DAYS[:2])
    await pipeline.run()
    assert pipeline.rows("select turn_id, outcome from turns where reflected_at is not null order by 1") == [
        {"turn_id": "t1", "outcome": "dead"},
        {"turn_id": "t2", "outcome": "no_facts"},
    ]
    await republish_now(pipeline)
    assert not pipeline.relay()


async def test_whoever_sent_a_dead_event_can_be_told(pipeline: Pipeline) -> None:
    breaking(pipeline, "t3", lambda: KeyError("defect"))
    forget = Command(
        id="c1", user_id="ana", session_id="s1", occurred_at=at("2026-03-01 10:00"), command=CommandName.FORGET
    )
    pipeline.publish(*DAYS[:3], forget)
    await pipeline.run()
    rows = pipeline.rows("select event_id, worker, cause from dead_events order by event_id")
    assert [(row["event_id"], row["cause"]) for row in rows] == [("c1", "not_supported"), ("t3", "unexpected")]
    pipeline.publish(turn(1, "2026-03-01 10:00", "diet=meat"))
    await pipeline.run()
    assert len(pipeline.rows("select * from dead_events")) == 2, "under a reused id the first event lives"
