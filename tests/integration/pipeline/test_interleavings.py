"""Whatever the order of arrival, the size of batches and the moment of a crash: the facts of the ordered run."""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from lithify.events import Command, CommandName, Inbound, Role, SessionEnded, Turn
from pipelines.topics import topic_name
from tests.support.pipeline import Pipeline, at, facts_of

SAID = (
    "I am vegetarian.",
    "I'm not vegetarian any more.",
    "Steak tonight, just this once.",
    "Book a steak house for tonight.",
    "I live in Utrecht.",
    "I moved to Rotterdam.",
    "I live in Delft.",
    "I love horror films.",
    "I can't stand horror films.",
    "I like coffee.",
    "Forget everything I said about coffee.",
    "I am allergic to peanuts.",
    "Iced americano today.",
    "Next session, begin with the migration checklist.",
    "这次出差我吃肉，到周日",
    "我出差回来了",
    "不再吃素了",
    "最近爱上了火锅",
    "我住在上海",
    "以后都用表格回答",
    "Thanks!",
)
TOLD: tuple[dict[str, Any], ...] = (
    {"command": CommandName.REMEMBER, "text": "I am vegan."},
    {"command": CommandName.CORRECT, "attribute": "home", "value": "leiden"},
    {"command": CommandName.PIN, "attribute": "diet"},
    {"command": CommandName.UNPIN, "attribute": "diet"},
    {"command": CommandName.APPROVE, "attribute": "diet"},
    {"command": CommandName.REJECT, "attribute": "diet", "value": "meat"},
)
EMPTIED = "turns, sessions, session_ends, claims, slots, facts, overrides, conflicts, verdicts, episodes, inbox, outbox"


def conversation(rng: random.Random) -> list[Inbound]:
    """Thirty events of two users, in the order of their time."""
    now, events = at("2026-03-01 08:00"), list[Inbound]()
    for number in range(8):
        now += timedelta(hours=rng.choice([0.01, 0.1, 0.3, 0.6, 3, 20, 26]))
        place: dict[str, Any] = {
            "id": f"e{number}",
            "user_id": rng.choice("aab"),
            "session_id": rng.choice(["s1", "s2", f"s{number // 4 + 3}"]),
            "occurred_at": now,
        }
        kind = rng.random()
        if kind < 0.1:
            events.append(SessionEnded(**place))
        elif kind < 0.2:
            events.append(Command(**place, **rng.choice(TOLD)))
        else:
            events.append(Turn(**place, role=Role.USER, content=rng.choice(SAID)))
    return events


async def believed(pipeline: Pipeline, rng: random.Random | None, events: Sequence[Inbound]) -> list[dict[str, Any]]:
    """What comes of `events`: in order, or under the disorder that `rng` makes."""
    pipeline.rows(f"truncate {EMPTIED}")
    pipeline.log.clear()
    pipeline.read.clear()
    if rng is None:
        pipeline.publish(*events)
        await pipeline.run()
    else:
        await disorder(pipeline, rng, events)
    return facts_of(pipeline)


async def disorder(pipeline: Pipeline, rng: random.Random, events: Sequence[Inbound]) -> None:
    """Duplicates and late events, batches of any size in any order, crashes before the offset is committed."""
    waiting = [*events, *rng.sample(list(events), 6)]
    rng.shuffle(waiting)
    while waiting or unread(pipeline):
        chance = rng.random()
        if waiting and chance < 0.3:
            pipeline.publish(waiting.pop())
        elif chance < 0.4:
            await pipeline.workers[0].periodics[0].run(pipeline.pool)
        await _work(pipeline, rng)
        pipeline.relay()


async def _work(pipeline: Pipeline, rng: random.Random) -> None:
    worker = rng.choice(pipeline.workers)
    start = pipeline.read[worker.name]
    records = pipeline.log[topic_name(pipeline.settings, worker.source)][start : start + rng.choice([1, 2, 5, 50])]
    if records:
        await pipeline.processor(worker).process(records)
        crashed = rng.random() < 0.15
        pipeline.read[worker.name] += 0 if crashed else len(records)


def unread(pipeline: Pipeline) -> bool:
    """Whether any worker has something left to do."""
    return any(
        pipeline.read[worker.name] < len(pipeline.log[topic_name(pipeline.settings, worker.source)])
        for worker in pipeline.workers
    )


@pytest.mark.parametrize("seed", [13, 21, 22, 23, 31, 32])
async def test_c93_neither_order_nor_crashes_change_a_fact(rules: Pipeline, seed: int) -> None:
    events = conversation(random.Random(seed))
    ordered = await believed(rules, None, events)
    assert ordered
    assert await believed(rules, random.Random(1000 * seed), events) == ordered
