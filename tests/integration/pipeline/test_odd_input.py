"""Whatever is published has a clear outcome, harms nobody else, and never holds the partition."""

import json
import random
from typing import Any

import pytest

from lithify.events import SessionEnded, Turn
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
    claims = rules.rows(
        "select c.tenant, c.attribute, s.tenant as owner from claims c join subjects s using (subject_key)"
    )
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


@pytest.mark.parametrize(
    "changed",
    [
        {"trace_id": "a\0b"},
        {"timezone": "Europe/\0Berlin"},
        {"content": "I am \0vegetarian."},
        {"metadata": {"a\0": ["b\0"]}},
        {"speaker": " \0 "},
        {"content": [1, None, {"text": {"a": 1}}, ["x"], {"type": "image"}, {"text": "I am vegetarian."}]},
        {"occurred_at": "9999-12-31T23:59:59-12:00"},
        {
            "id": "\U0001f600" * 512,
            "user_id": "\u7528" * 512,
            "session_id": "\u00e9" * 512,
            "tenant": "\U0001f601" * 128,
        },
        {"session_id": "a,b'; drop table turns; --"},
        {"content": "I am vegetarian. " * 60_000},
    ],
    ids=str,
)
async def test_c62_an_odd_field_costs_no_turn(rules: Pipeline, changed: dict[str, Any]) -> None:
    rules.publish(event(**changed))
    await rules.run()
    assert believed(rules) == {("user", "diet", "vegetarian")}
    assert causes(rules) == []


@pytest.mark.parametrize(
    "wrong",
    [
        event(timezone="Mars/Olympus"),
        event(timezone="../../etc/passwd"),
        event(timezone=" "),
        event(occurred_at="0001-01-01T00:00:00Z"),
        event(occurred_at="0001-01-01T00:00:00+14:00"),
        event(index=2**40),
        event(content={"a": 1}),
        command("correct", attribute="diet", value="vegan", timezone="Mars/Olympus"),
        command("remember", subject=" ", attribute="diet", value="vegan"),
        command(
            "remember", attribute="".join(map(chr, random.Random(5).sample(range(0x4E00, 0x9000), 6000))), value="v"
        ),
        command("remember", subject="".join(map(chr, random.Random(5).sample(range(0x4E00, 0x9000), 6000))), text="x"),
    ],
    ids=lambda value: value[:200].decode()[-40:],
)
async def test_c92_what_no_worker_can_process_is_refused_at_the_door(rules: Pipeline, wrong: bytes) -> None:
    rules.publish(wrong, said("I live in Utrecht.", id="t2", user_id="bob"))
    await rules.run()
    assert causes(rules) == [("importance", "invalid_event")]
    assert rules.rows("select turn_id, outcome from turns") == [{"turn_id": "t2", "outcome": "stored"}]


async def test_c92_a_turn_that_a_later_worker_cannot_process_is_dead_and_not_published_again(rules: Pipeline) -> None:
    rules.publish(said("I am vegetarian."))
    scored = rules.processor(rules.workers[0])
    await scored.process(rules.log["lithify-turns"])
    rules.rows("update outbox set value = replace(value::text, '\"importance\":', '\"importance\":9')::json")
    rules.relay()
    rules.read["importance"] = 1
    await rules.run()
    assert causes(rules) == [("extraction", "invalid_event")]
    assert rules.rows("select outcome, reflected_at is null as open from turns") == [{"outcome": "dead", "open": False}]


async def test_c39_what_is_told_and_what_is_said_are_one_value(rules: Pipeline) -> None:
    rules.publish(
        command("correct", attribute="home", value="Utrecht"),
        said("I live in Utrecht.", id="t2"),
        command("remember", id="c3", attribute="Diet", value="素食"),
        said("I am vegetarian.", id="t4"),
        command("remember", id="c5", subject="Ravi", attribute="diet", value="Vegan"),
    )
    await rules.run()
    assert believed(rules) == {("user", "home", "utrecht"), ("user", "diet", "vegetarian"), ("ravi", "diet", "vegan")}
    fact = rules.rows("select fact_id from facts where attribute = 'home' and sys_to is null")[0]["fact_id"]
    rules.publish(command("correct", id="c6", occurred_at="2026-03-02T11:00:00Z", fact_id=str(fact), value="Delft"))
    rules.publish(event(id="t7", session_id="s7", occurred_at="2026-03-03T10:00:00Z", content="I live in Delft."))
    await rules.run()
    assert ("user", "home", "delft") in believed(rules)
    assert rules.rows("select 1 from overrides") == []


async def test_c67_a_word_without_end_is_no_value(rules: Pipeline) -> None:
    rules.publish(said("I like " + "x" * 1_000_000))
    await rules.run()
    assert rules.rows("select outcome from turns") == [{"outcome": "no_facts"}]


async def test_an_episode_does_not_quote_what_was_only_supposed(rules: Pipeline) -> None:
    texts = [
        "I work at Globex and I'm allergic to peanuts.",
        "假如我在Initech上班，我就住在柏林。",
        "I eat steak every day, just kidding.",
    ]
    rules.publish(*(said(text, id=f"t{number}", index=number) for number, text in enumerate(texts)))
    rules.publish(SessionEnded(id="e", user_id="ana", session_id="s1", occurred_at=at("2026-03-01 10:10")))
    await rules.run()
    [episode] = rules.rows("select summary from episodes")
    assert "Globex" in episode["summary"]
    assert "Initech" not in episode["summary"]
    assert "steak" not in episode["summary"]


@pytest.mark.parametrize("name", ["metadata", "anything", "content"])
async def test_c65_a_field_nested_too_deeply_does_not_hold_the_partition(rules: Pipeline, name: str) -> None:
    deep = event().replace(b'"role"', f'"{name}": {"[" * 50_000}{"]" * 50_000}, "role"'.encode())
    rules.publish(deep, said("I live in Utrecht.", id="t2"))
    await rules.run()
    assert {("user", "home", "utrecht")} <= believed(rules)
