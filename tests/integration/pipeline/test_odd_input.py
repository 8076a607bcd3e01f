"""Whatever is published has a clear outcome, harms nobody else, and never holds the partition."""

import json
import random
from typing import Any

import pytest

from lithify.events import Turn
from pipelines.topics import Topic
from tests.support.pipeline import Pipeline, at


def said(content: str, **more: Any) -> Turn:
    fields: dict[str, Any] = {"id": "t1", "role": "user", "user_id": "ana", "session_id": "s1"} | more
    return Turn(occurred_at=at("2026-03-01 10:00"), content=content, **fields)


def event(**changed: Any) -> bytes:
    """A turn as any producer may write it, with anything in it."""
    fields = {
        "type": "turn",
        "id": "t1",
        "user_id": "ana",
        "session_id": "s1",
        "occurred_at": "2026-03-01T10:00:00Z",
        "role": "user",
        "content": "I am vegetarian.",
    }
    return json.dumps(fields | changed).encode()


def command(name: str, **changed: Any) -> bytes:
    """A command of the same user."""
    fields = {
        "type": "command",
        "command": name,
        "id": "c1",
        "user_id": "ana",
        "session_id": "s1",
        "occurred_at": "2026-03-01T11:00:00Z",
    }
    return json.dumps(fields | changed).encode()


def believed(pipeline: Pipeline) -> set[tuple[str, str, str]]:
    rows = pipeline.rows(
        "select subject, attribute, value from facts where sys_to is null and valid_to is null and not corrected"
    )
    return {(row["subject"], row["attribute"], row["value"]) for row in rows}


def causes(pipeline: Pipeline) -> list[tuple[str, str]]:
    return [(letter.worker, letter.cause) for letter in pipeline.bodies(Topic.DEAD_LETTERS, "dead_letter")]


async def test_c82_two_tenants_may_use_the_same_event_ids(rules: Pipeline) -> None:
    rules.publish(said("I am vegetarian.", tenant="a"), said("I live in Utrecht.", tenant="b"))
    await rules.run()
    claims = rules.rows("select c.tenant, c.attribute, s.tenant as owner from claims c join subjects s using (subject_key)")
    assert sorted(tuple(row.values()) for row in claims) == [("a", "diet", "a"), ("b", "home", "b")]
    assert [row["stored"] for row in rules.rows("select stored from turns")] == [1, 1]


async def test_c81_a_command_does_not_reach_the_fact_of_another_user(rules: Pipeline) -> None:
    rules.publish(said("I live in Utrecht."))
    await rules.run()
    [fact] = rules.rows("select fact_id from facts")
    named = command("pin", user_id="bob", fact_id=str(fact["fact_id"]))
    rules.publish(named, said("Good morning.", id="t2"))
    await rules.run()
    assert rules.rows("select outcome from turns where turn_id = 'c1'") == [{"outcome": "no_facts"}]
    assert len(rules.rows("select 1 from slots")) == 1
