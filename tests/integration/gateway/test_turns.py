"""Turns, session ends and commands from outside, and what became of them."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest

from lithify.events import Command, Reject, SessionEnded, Turn
from tests.support.gateway import NOW, World

TURN = {"user_id": "ada", "session_id": "s1", "role": "user", "content": "I am vegetarian."}


async def test_one_turn_is_published_with_id_and_time_made(world: World) -> None:
    answer = await world.http.post("/v1/turns", json=TURN)
    assert answer.status_code == 202
    [published] = world.publisher.events
    assert isinstance(published, Turn)
    assert published.text() == "I am vegetarian."
    assert published.occurred_at == NOW
    [accepted] = answer.json()["accepted"]
    assert accepted["id"] == published.id


async def test_many_turns_keep_order_and_ids(world: World) -> None:
    turns = [TURN | {"id": f"t{i}", "index": i, "occurred_at": "2026-03-02T11:00:00+08:00"} for i in range(100)]
    answer = await world.http.post("/v1/turns", json=turns)
    assert answer.status_code == 202
    assert [event.id for event in world.publisher.events] == [f"t{i}" for i in range(100)]
    assert world.publisher.events[0].occurred_at == datetime(2026, 3, 2, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("body", "field", "word"),
    [
        (TURN | {"role": "robot"}, "role", "robot"),
        (TURN | {"content": 5}, "content", "int"),
        ({k: v for k, v in TURN.items() if k != "role"}, None, "role"),
        (TURN | {"user_id": ""}, "user_id", "length"),
        (TURN | {"user_id": "a\x00b"}, "user_id", "nul"),
        (TURN | {"tenant": "a/b"}, "tenant", "match"),
        (TURN | {"occurred_at": "2026-03-02T12:00:00"}, "occurred_at", "timezone"),
        (TURN | {"occurred_at": "yesterday"}, "occurred_at", "RFC3339"),
        (TURN | {"type": "command"}, None, "type"),
        ([TURN, TURN | {"index": -1}], "[1].index", ">= 0"),
        ([TURN, 7], "[1]", "object"),
        ([], None, "1 to 100"),
        ([TURN] * 101, None, "101"),
    ],
)
async def test_wrong_turns_are_refused_whole_with_field_and_reason(
    world: World, body: Any, field: str | None, word: str
) -> None:
    answer = await world.http.post("/v1/turns", json=body)
    assert answer.status_code == 422, answer.text
    error = answer.json()["error"]
    assert error["code"] == "invalid"
    if field is not None:
        assert error["field"] == field, error
    assert word.lower() in (error["message"] + str(error.get("field"))).lower(), error
    assert world.publisher.events == []


async def test_a_body_that_is_not_json_is_refused(world: World) -> None:
    for body in (b"", b"{", b"\xff\xfe"):
        answer = await world.http.post("/v1/turns", content=body)
        assert answer.status_code == 422, body


async def test_an_empty_turn_is_taken_in_and_counted_later(world: World) -> None:
    for content in ("", None, [], [{"type": "image"}]):
        answer = await world.http.post("/v1/turns", json=TURN | {"content": content})
        assert answer.status_code == 202, answer.text


async def test_a_broker_that_is_down_is_503_with_retry_after(world: World) -> None:
    world.publisher.down = True
    for path, body in [
        ("/v1/turns", TURN),
        ("/v1/commands", {"user_id": "ada", "session_id": "s1", "command": "remember", "text": "x"}),
        ("/v1/sessions/s1/end", {"user_id": "ada"}),
    ]:
        answer = await world.http.post(path, json=body)
        assert answer.status_code == 503
        assert int(answer.headers["Retry-After"]) > 0
        assert answer.json()["error"]["code"] == "unavailable"


async def test_session_ends_and_commands_are_published(world: World) -> None:
    ended = await world.http.post("/v1/sessions/a%2Fb/end", json={"user_id": "ada", "tenant": "acme"})
    command = {"user_id": "ada", "session_id": "s1", "command": "correct", "attribute": "home", "value": "utrecht"}
    corrected = await world.http.post("/v1/commands", json=command)
    assert (ended.status_code, corrected.status_code) == (202, 202)
    end, correct = world.publisher.events
    assert isinstance(end, SessionEnded)
    assert (end.session_id, end.tenant, end.computed) == ("a/b", "acme", False)
    assert isinstance(correct, Command)
    assert correct.value == "utrecht"
    misspelt = await world.http.post("/v1/sessions/s1/end", json={"user": "ada"})
    assert misspelt.status_code == 422


async def test_outcomes_tell_what_became_of_a_turn_c56(world: World) -> None:
    world.rows.subject("ada")
    decided = world.rows.decided("ada", "t1", "stored", stored=2, rejects=(Reject(code="question", span=(0, 3)),))
    world.rows.turn("ada", "t1", "five sentences", outcome="stored", stored=2, decided=decided)
    world.rows.turn("ada", "t2", "hm", outcome="no_facts")
    world.rows.turn("ada", "t3", "", outcome="skipped")
    world.rows.turn("ada", "t4", "x", outcome="failed_permanent")
    world.rows.turn("ada", "t5", "y")
    seen = {}
    for turn in ("t1", "t2", "t3", "t4", "t5"):
        answer = await world.http.get(f"/v1/turns/{turn}", params={"user_id": "ada"})
        seen[turn] = answer.json()
    assert seen["t1"] == {"id": "t1", "outcome": "stored", "stored": 2, "rejects": ["question"]}
    assert [seen[turn]["outcome"] for turn in ("t2", "t3", "t4", "t5")] == [
        "no_facts",
        "skipped",
        "failed_permanent",
        "accepted",
    ]


async def test_a_published_turn_is_accepted_before_it_is_stored_and_an_unknown_one_is_404(world: World) -> None:
    await world.http.post("/v1/turns", json=TURN | {"id": "t9"})
    mine = await world.http.get("/v1/turns/t9", params={"user_id": "ada"})
    assert mine.json() == {"id": "t9", "outcome": "accepted"}
    for user, turn in [("bob", "t9"), ("ada", "t10")]:
        other = await world.http.get(f"/v1/turns/{turn}", params={"user_id": user})
        assert other.status_code == 404
    other = await world.http.get("/v1/turns/t9", params={"user_id": "ada", "tenant": "acme"})
    assert other.status_code == 404


async def test_a_command_has_an_outcome_and_is_no_line_of_the_conversation(world: World) -> None:
    world.rows.subject("ada")
    world.rows.turn("ada", "cmd-1", "my flat has no lift", role="command", outcome="stored", stored=1)
    block = await world.http.post("/v1/context", json={"user_id": "ada", "session_id": "s1"})
    assert "lift" not in block.json()["block"]
    answer = await world.http.get("/v1/turns/cmd-1", params={"user_id": "ada"})
    assert answer.json() == {"id": "cmd-1", "outcome": "stored", "stored": 1}


@pytest.mark.parametrize("turn", ["a/b", "../x", "é", "😀", "a b", "a?b", "a#b", "%41"])
async def test_turn_ids_round_trip_in_the_path_c82(world: World, turn: str) -> None:
    await world.http.post("/v1/turns", json=TURN | {"id": turn})
    answer = await world.http.get(f"/v1/turns/{quote(turn, safe='').replace('.', '%2E')}", params={"user_id": "ada"})
    assert answer.json()["id"] == turn
