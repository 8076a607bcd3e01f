"""What cannot be processed lands in the dead letters, readable with their key; what can be saved is; work goes on."""

import asyncio
import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from lithify.client import Lithify, TurnOutcome
from lithify.events import DeadLetter, user_key
from ops.local.stack import Stack
from pipelines.envelope import PlainCodec, open_event
from pipelines.failures import Cause
from pipelines.kafka import PARTITIONER
from pipelines.settings import load_settings
from pipelines.topics import Topic, topic_name
from tests.support.letters import originals
from tests.support.memory import MemoryProbe
from tests.support.processes import PATIENCE, eventually
from tests.support.topics import messages

USER = "erin"
GOOD: dict[str, Any] = {
    "type": "turn",
    "id": "good",
    "user_id": USER,
    "session_id": "s1",
    "occurred_at": "2026-03-02T09:00:00Z",
    "role": "user",
    "content": "I live in Utrecht.",
}


@dataclass(frozen=True, slots=True)
class Bad:
    """An event that cannot be processed."""

    name: str
    value: bytes
    cause: Cause
    detail: str
    """Part of it."""


def _json(value: Mapping[str, Any]) -> bytes:
    """As Python's own module writes it: NUL and lone surrogates become escapes."""
    return json.dumps(value).encode()


def _without(name: str) -> bytes:
    return _json({key: value for key, value in GOOD.items() if key != name} | ({} if name == "id" else {"id": "bad"}))


BAD = [
    Bad("not_json", b'{"type": "turn", ', Cause.NOT_JSON, ""),
    Bad("not_text", b"\xff\xfe\x00", Cause.NOT_JSON, ""),
    Bad("empty", b"", Cause.NOT_JSON, "empty"),
    Bad("missing_id", _without("id"), Cause.INVALID_EVENT, "`id`"),
    Bad("missing_role", _without("role"), Cause.INVALID_EVENT, "`role`"),
    Bad("wrong_type", _json(GOOD | {"id": "b1", "content": 5}), Cause.INVALID_EVENT, "$.content"),
    Bad("unknown_role", _json(GOOD | {"id": "b2", "role": "robot"}), Cause.INVALID_EVENT, "$.role"),
    Bad(
        "naive_time", _json(GOOD | {"id": "b3", "occurred_at": "2026-03-02T09:00:00"}), Cause.INVALID_EVENT, "timezone"
    ),
    Bad("newer", _json(GOOD | {"id": "b4", "v": 99}), Cause.VERSION_UNKNOWN, "version 99"),
    Bad("newer_shape", _json({"type": "mood", "v": 2, "id": "b5"}), Cause.VERSION_UNKNOWN, "version 2"),
    Bad("nul_id", _json(GOOD | {"id": "b6\x00"}), Cause.INVALID_ID, "id: id_nul"),
    Bad("nul_id_odd_text", _json(GOOD | {"id": "b7\x00", "content": "\ud800"}), Cause.INVALID_ID, "id: id_nul"),
    Bad("surrogate_user", _json(GOOD | {"id": "b8", "user_id": "\ud800"}), Cause.INVALID_ID, "user_id: id_surrogate"),
    Bad("slash_tenant", _json(GOOD | {"id": "b9", "tenant": "a/b"}), Cause.INVALID_EVENT, "$.tenant"),
    Bad("id_reused", _json(GOOD | {"content": "I live in Ghent."}), Cause.ID_REUSED, "good"),
]
SAVED = {
    "nul_text": ("I live in Delft\x00.", "I live in Delft."),
    "surrogate_text": ("Hi \ud800, I work at Norden.", "Hi \ufffd, I work at Norden."),
}
SKIPPED = {"no_text": "", "blank": "  \n", "null": None, "no_parts": [], "picture": [{"type": "image", "url": "x"}]}
LAST = GOOD | {"id": "last", "content": "I'm allergic to walnuts."}


@pytest.fixture(scope="module")
def memory(stack: Stack, probe: MemoryProbe) -> Iterator[Lithify]:
    """A client of the gateway, after everything was published to one partition and the last event decided."""
    events = [_json(GOOD), *(bad.value for bad in BAD)]
    events += [_json(GOOD | {"id": name, "content": content}) for name, (content, _) in SAVED.items()]
    events += [_json(GOOD | {"id": name, "content": content}) for name, content in SKIPPED.items()]
    producer = Producer(
        {"bootstrap.servers": stack.settings_env["LITHIFY_KAFKA_BOOTSTRAP"], "partitioner": PARTITIONER}
    )
    for value in [*events, _json(LAST)]:
        producer.produce(_topic(stack, Topic.TURNS), value, user_key("default", USER))
    assert producer.flush(PATIENCE) == 0
    with Lithify(stack.settings_env["LITHIFY_GATEWAY_URL"], timeout=PATIENCE) as client:
        client.wait_for(USER, LAST["id"], timeout=PATIENCE)
        assert eventually(lambda: probe.rows("select 1 from outbox") == []), "dead letters are still to be published"
        yield client


@pytest.fixture(scope="module")
def letters(stack: Stack, memory: Lithify) -> list[DeadLetter]:
    memory.turn_outcome(USER, LAST["id"])
    found = []
    for value in messages(stack.settings_env["LITHIFY_KAFKA_BOOTSTRAP"], _topic(stack, Topic.DEAD_LETTERS)):
        body = open_event(value, PlainCodec()).body
        assert isinstance(body, DeadLetter)
        found.append(body)
    return found


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)
def test_a_bad_event_is_kept_with_its_cause(stack: Stack, letters: list[DeadLetter], bad: Bad) -> None:
    opened = asyncio.run(originals(load_settings(stack.settings_env), letters))
    matching = [letter for letter, original in zip(letters, opened, strict=True) if original.value == bad.value]
    assert [(letter.cause, letter.worker, letter.topic) for letter in matching] == [
        (str(bad.cause), "importance", _topic(stack, Topic.TURNS))
    ]
    assert bad.detail in matching[0].detail


def test_nothing_else_is_a_dead_letter(letters: list[DeadLetter]) -> None:
    assert len(letters) == len(BAD)


def test_a_dead_letter_shows_nothing_of_the_event(stack: Stack, letters: list[DeadLetter]) -> None:
    assert letters
    for value in messages(stack.settings_env["LITHIFY_KAFKA_BOOTSTRAP"], _topic(stack, Topic.DEAD_LETTERS)):
        assert b"Ghent" not in value
        assert USER.encode() not in value


@pytest.mark.parametrize("name", SAVED)
def test_odd_characters_in_a_text_are_cleaned(memory: Lithify, probe: MemoryProbe, name: str) -> None:
    assert memory.turn_outcome(USER, name).outcome == "stored"
    rows = probe.rows(f"select content from turns where turn_id = '{name}'")
    assert [row["content"] for row in rows] == [SAVED[name][1]]


@pytest.mark.parametrize("name", SKIPPED)
def test_a_turn_without_text_is_skipped(memory: Lithify, name: str) -> None:
    assert memory.turn_outcome(USER, name) == TurnOutcome(id=name, outcome="skipped")


def test_skipped_turns_and_dead_letters_are_counted(letters: list[DeadLetter], data_dir: Path) -> None:
    def counted(metric: str) -> float:
        return sum(value for name, value in _metrics(data_dir, "importance").items() if name.startswith(metric))

    assert eventually(lambda: counted('lithify_skipped_total{worker="importance"}') == len(SKIPPED))
    assert eventually(lambda: counted("lithify_dead_letters_total{") == len(letters))


def test_the_good_events_around_them_are_processed(memory: Lithify) -> None:
    held = {(fact.attribute, fact.value) for fact in memory.facts(USER).facts}
    assert {("allergy", "walnut"), ("employer", "norden")} <= held


def _topic(stack: Stack, topic: Topic) -> str:
    return topic_name(load_settings(stack.settings_env), topic)


def _metrics(folder: Path, worker: str) -> dict[str, float]:
    port = json.loads((folder / "ports.json").read_text())[f"{worker}-health"]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}
