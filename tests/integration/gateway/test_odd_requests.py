"""Requests that nobody should send are answered with a reason, never with a 500 and never with silence."""

import pytest

from tests.support.gateway import World, gateway_over
from tests.support.servers import Database
from workers.gateway.parts import load_understanding

TURN = {"user_id": "ada", "session_id": "s1", "role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"as_of": "0001-01-01T00:00:00+14:00"}, "as_of"),
        ({"as_of": "9999-12-31T23:59:59-12:00"}, "as_of"),
        ({"turns": [{"role": "user", "content": "I live in Paris", "timezone": "Mars/X"}]}, "turns[0].timezone"),
        ({"turns": [{"role": "user", "content": "hi", "occurred_at": "0001-01-01T00:00:00Z"}]}, "turns[0].occurred_at"),
    ],
)
async def test_a_context_at_an_impossible_time_is_refused(database: Database, asked: object, field: str) -> None:
    assert isinstance(asked, dict)
    async with gateway_over(database, understand=load_understanding()) as world:
        answer = await world.http.post("/v1/context", json={"user_id": "ada"} | asked)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)


@pytest.mark.parametrize("path", ["/v1/facts?user_id=ada&as_of=0001-01-01T00:00:00Z", "/v1/explain/%00?user_id=ada"])
async def test_c82_an_impossible_question_is_refused(world: World, path: str) -> None:
    assert (await world.http.get(path)).status_code == 422


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"timezone": "Mars/X"}, "timezone"),
        ({"occurred_at": "0001-01-01T00:00:00Z"}, "occurred_at"),
        ({"index": 2**40}, "index"),
    ],
)
async def test_c70_a_turn_that_workers_would_refuse_is_not_accepted(
    world: World, changed: dict[str, object], field: str
) -> None:
    answer = await world.http.post("/v1/turns", json=[TURN, TURN | changed])
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, f"[1].{field}")
    assert world.publisher.events == []


async def test_a_command_that_this_release_cannot_carry_out_is_not_accepted(world: World) -> None:
    forget = {"user_id": "ada", "session_id": "s1", "command": "forget", "attribute": "diet"}
    answer = await world.http.post("/v1/commands", json=forget)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "command")
    assert world.publisher.events == []


async def test_c65_a_body_nested_too_deeply_is_refused(world: World) -> None:
    answer = await world.http.post("/v1/turns", content=b"[" * 100_000)
    assert answer.status_code == 422


async def test_c63_half_an_emoji_costs_a_character(world: World) -> None:
    body = b'{"user_id": "ada", "session_id": "s1", "role": "user", "content": "hi \\ud83d"}'
    assert (await world.http.post("/v1/turns", content=body)).status_code == 202
    assert [getattr(event, "content", None) for event in world.publisher.events] == ["hi \ufffd"]
    refused = await world.http.post("/v1/turns", content=body.replace(b"ada", b"ada\\ud83d"))
    assert refused.status_code == 422


async def test_a_fact_is_found_with_its_verdicts_however_its_id_is_spelled(world: World) -> None:
    world.rows.subject("ada")
    fact = world.rows.fact("ada", "diet", "vegetarian")
    world.rows.verdict("ada", "diet", "vegetarian", fact_id=fact)
    answer = await world.http.get(f"/v1/facts/{str(fact).upper()}", params={"user_id": "ada"})
    assert len(answer.json()["verdicts"]) == 1


async def test_a_speaker_without_a_visible_name_is_the_user(database: Database) -> None:
    turn = {"role": "user", "content": "I live in Paris.", "speaker": " \0"}
    async with gateway_over(database, understand=load_understanding()) as world:
        answer = await world.http.post("/v1/context", json={"user_id": "ada", "turns": [turn]})
    assert "Paris (provisional)" in answer.json()["block"]
