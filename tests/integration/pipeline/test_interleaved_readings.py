"""Turns that a model reads again, at whatever moment, in whatever batches: what counts in the end is the same."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from lithify.events import Inbound, Role, Turn
from pipelines.topics import topic_name
from tests.integration.pipeline.test_interleavings import EMPTIED, SAID, conversation, unread
from tests.support.model_pipeline import ModelPipeline, model_pipeline
from tests.support.pipeline import at
from tests.support.servers import Database
from tests.support.stub_openai import Bad, Stub, statement, stub_openai
from workers.extraction import closing

_READ = {
    "I am vegetarian.": ("vegetarian", "diet"),
    "I live in Utrecht.": ("Utrecht", "home"),
    "I moved to Rotterdam.": ("Rotterdam", "home"),
    "I love horror films.": ("horror films", "likes"),
    "I like coffee.": ("coffee", "likes"),
    "Iced americano today.": ("Iced americano", "drink"),
    "我住在上海": ("上海", "home"),
    "最近爱上了火锅": ("火锅", "likes"),
}
"""What the model finds in some of the turns; in all others it overlooks what the rules found."""
_EMPTIED = f"{EMPTIED}, model_queue, model_calls"
_BAD = [None, None, None, Bad.EMPTY, Bad.UNAVAILABLE, Bad.NOT_JSON, Bad.LAST_TURN_MISSING]


def half_blind(turn: dict[str, Any]) -> list[dict[str, Any]]:
    text = turn["text"]
    if text not in _READ:
        return []
    words, attribute = _READ[text]
    return [statement(text.rstrip("."), words, attribute, words.lower())]


async def in_order(pipeline: ModelPipeline, events: Sequence[Inbound]) -> None:
    for event in events:
        pipeline.publish(event)
        await pipeline.run()
        await pipeline.ask()


async def in_disorder(pipeline: ModelPipeline, stub: Stub, rng: random.Random, events: Sequence[Inbound]) -> None:
    """Workers that fall behind one another, a model that is asked now and then and answers well now and then."""
    waiting = list(events)
    while waiting or unread(pipeline) or _queued(pipeline):
        if waiting and rng.random() < 0.3:
            pipeline.publish(waiting.pop(0))
        if rng.random() < 0.15:
            bad = rng.choice(_BAD)
            stub.coming.extend([bad] if bad else [])
            await pipeline.later(workers=False)
        worker = rng.choice(pipeline.workers)
        start = pipeline.read[worker.name]
        records = pipeline.log[topic_name(pipeline.settings, worker.source)][start : start + rng.choice([1, 5, 50])]
        if records:
            await pipeline.processor(worker).process(records)
            pipeline.read[worker.name] += 0 if rng.random() < 0.15 else len(records)
        pipeline.relay()


def _queued(pipeline: ModelPipeline) -> bool:
    return bool(pipeline.rows("select 1 from model_queue where state = 'waiting' limit 1"))


def counts(pipeline: ModelPipeline) -> dict[str, list[dict[str, Any]]]:
    """What counts, without the ids and generations that tell how it came about."""
    return {
        "claims": pipeline.rows(
            "select turn_id, subject, attribute, kind, body->>'value' as value from claims where current"
            " order by 1, 3, 5"
        ),
        "facts": pipeline.rows(
            "select subject_key, attribute, value, valid_from, valid_to, corrected from facts where sys_to is null"
            " order by 1, 2, 3, 4"
        ),
        "turns": pipeline.rows("select turn_id, outcome, stored from turns order by 1"),
    }


@pytest.mark.parametrize("seed", [21, 40])
async def test_what_counts_does_not_depend_on_when_the_model_was_asked(
    database: Database, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(closing, "MOST_CLOSED", 10.0)  # how many facts are active depends on the moment
    events = [event for event in conversation(random.Random(seed)) if isinstance(event, Turn)]
    extra = [
        Turn(id=f"x{n}", user_id="a", session_id="s1", occurred_at=at("2026-03-20 08:00"), role=Role.USER, content=text)
        for n, text in enumerate(random.Random(seed).sample(SAID, 6))
    ]
    with stub_openai(half_blind) as stub:
        async with model_pipeline(
            database, stub.url, extraction_mode="model", model_attempts="100", model_timeout_seconds="20"
        ) as pipeline:
            await in_order(pipeline, [*events, *extra])
            ordered = counts(pipeline)
            assert ordered["claims"]
            pipeline.rows(f"truncate {_EMPTIED}")
            pipeline.log.clear()
            pipeline.read.clear()
            await in_disorder(pipeline, stub, random.Random(1000 * seed), [*events, *extra])
            assert counts(pipeline) == ordered
