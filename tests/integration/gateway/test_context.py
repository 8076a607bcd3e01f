"""Context blocks over real rows."""

from datetime import timedelta
from threading import Event
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from psycopg.types.json import Jsonb

from tests.support.gateway import NOW, World, gateway_over
from tests.support.processes import PATIENCE
from tests.support.servers import Database
from workers.gateway.parts import load_understanding
from workers.gateway.similarity import Similarity


class TinyEmbedder:
    """Two dimensions: food is one, everything else the other."""

    name = "tiny"
    dimension = 2
    floor = 0.5

    def __init__(self) -> None:
        self.may_answer = Event()
        self.may_answer.set()

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Food words point along the first axis."""
        assert self.may_answer.wait(PATIENCE)
        return np.array([1, 0] if "supper" in text else [0, 1], np.float32)


async def ask(world: World, **asked: Any) -> dict[str, Any]:
    """The context block of ada."""
    answer = await world.http.post("/v1/context", json={"user_id": "ada"} | asked)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def codes(body: dict[str, Any]) -> list[str]:
    """Codes of the notices."""
    return [notice["code"] for notice in body.get("notices", [])]


async def test_facts_and_overrides_of_the_user_reach_the_block(world: World) -> None:
    world.rows.subject("ada", version=7)
    world.rows.fact("ada", "diet", "vegetarian")
    world.rows.fact("ada", "allergy", "peanut")
    world.rows.override("ada", "diet", "meat", session_id="s1", session_started_at=NOW, stated_end=False)

    body = await ask(world, session_id="s1", query="diet?")

    assert body["version"] == 7
    assert "- diet: meat (for this session; usually vegetarian" in body["block"]
    assert "allergy: peanut" in body["block"]
    assert codes(body) == ["no_embedder"]
    elsewhere = await ask(world, session_id="s2", query="diet?")
    assert "- diet: vegetarian" in elsewhere["block"]


async def test_an_unknown_user_has_an_empty_block(world: World) -> None:
    body = await ask(world)
    assert body.get("items", []) == []
    assert body["version"] == 0


async def test_what_the_user_just_said_shadows_the_fact_and_is_not_stored(database: Database) -> None:
    async with gateway_over(database, understand=load_understanding()) as world:
        world.rows.subject("ada")
        world.rows.fact("ada", "diet", "vegetarian")
        said = [{"role": "user", "content": "I'm vegan now."}]

        body = await ask(world, session_id="s1", turns=said)

        assert "provisional" in {item["kind"] for item in body["items"]}, body["block"]
        assert "vegan (provisional" in body["block"]
        assert "vegetarian" in body["block"]
        later = await ask(world, session_id="s1")
        assert "vegan" not in later["block"]


async def test_a_decided_turn_is_not_read_again(database: Database) -> None:
    async with gateway_over(database, understand=load_understanding()) as world:
        world.rows.subject("ada")
        world.rows.fact("ada", "diet", "vegetarian")
        world.rows.turn("ada", "t1", "I'm vegan now.", outcome="stored")
        body = await ask(world, session_id="s1", turns=[{"role": "user", "content": "I'm vegan now."}])
        assert "provisional" not in {item["kind"] for item in body["items"]}
        assert body["block"].count("vegan now") == 1

        world.rows.turn("ada", "t2", "I'm vegan now!", outcome="accepted")
        body = await ask(world, session_id="s1")
        assert "provisional" in {item["kind"] for item in body["items"]}


async def test_recalled_memory_in_a_turn_is_neither_read_nor_shown_c31(database: Database) -> None:
    async with gateway_over(database, understand=load_understanding()) as world:
        world.rows.subject("ada")
        recalled = '<lithify-memory version="1">\nI am vegan.\n</lithify-memory> thanks for that!'
        body = await ask(world, session_id="s1", turns=[{"role": "user", "content": recalled}])
        assert "vegan" not in body["block"]
        assert "thanks for that!" in body["block"]
        assert body["block"].count("<lithify-memory") == 1


async def test_constraints_that_do_not_fit_are_an_error(world: World) -> None:
    world.rows.subject("ada")
    world.rows.fact("ada", "constraint", "never book " + "flights " * 100)
    answer = await world.http.post("/v1/context", json={"user_id": "ada", "budget_tokens": 100})
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "budget_too_small"
    assert answer.json()["error"]["field"] == "budget_tokens"


async def test_a_query_that_is_close_in_meaning_wakes_a_fact(database: Database) -> None:
    async with gateway_over(database, similarity=Similarity(TinyEmbedder(), PATIENCE)) as world:
        world.rows.subject("ada")
        world.rows.embedding("ada", world.rows.fact("ada", "diet", "vegetarian"), "tiny", [1, 0])
        world.rows.embedding("ada", world.rows.fact("ada", "home", "utrecht"), "tiny", [0, 1])
        world.rows.embedding("ada", world.rows.fact("ada", "diet", "old"), "another", [1, 0, 0])
        body = await ask(world, query="what for supper")
        assert "vegetarian" in body["block"]
        assert "utrecht" not in body["block"]
        assert codes(body) == []


async def test_a_slow_embedder_is_not_waited_for(database: Database) -> None:
    embedder = TinyEmbedder()
    embedder.may_answer.clear()
    slow = Similarity(embedder, within_seconds=0.05)
    async with gateway_over(database, similarity=slow) as world:
        world.rows.subject("ada")
        world.rows.embedding("ada", world.rows.fact("ada", "diet", "vegetarian"), "tiny", [1, 0])
        body = await ask(world, query="diet for supper")
        assert codes(body) == ["embedder_slow"]
        assert "vegetarian" in body["block"]
    embedder.may_answer.set()
    slow.close()


@pytest.mark.parametrize("query", ["!!!", "😀", "…", " "])
async def test_a_query_without_words_is_not_a_query_for_everything_c61(world: World, query: str) -> None:
    world.rows.subject("ada")
    world.rows.fact("ada", "diet", "vegetarian")
    world.rows.fact("ada", "home", "utrecht")
    assert (await ask(world, query=query)).get("items", []) == []


@pytest.mark.parametrize("query", ["!!!", "😀", "…", " "])
async def test_a_query_without_words_is_near_nothing_whatever_the_model_says_c61(
    database: Database, query: str
) -> None:
    async with gateway_over(database, similarity=Similarity(TinyEmbedder(), PATIENCE)) as world:
        world.rows.subject("ada")
        world.rows.embedding("ada", world.rows.fact("ada", "home", "utrecht"), "tiny", [0, 1])
        assert "utrecht" in (await ask(world, query="anything else"))["block"]
        assert (await ask(world, query=query)).get("items", []) == []


async def test_a_state_is_read_again_only_when_its_version_has_moved(world: World) -> None:
    world.rows.subject("ada", version=1)
    world.rows.fact("ada", "diet", "vegetarian")
    assert "vegetarian" in (await ask(world))["block"]
    world.rows.fact("ada", "home", "utrecht")
    assert "utrecht" not in (await ask(world))["block"]
    world.rows.subject("ada", version=2)
    assert "utrecht" in (await ask(world))["block"]


async def test_a_vector_that_comes_later_is_used_at_once(database: Database) -> None:
    async with gateway_over(database, similarity=Similarity(TinyEmbedder(), PATIENCE)) as world:
        world.rows.subject("ada")
        fact = world.rows.fact("ada", "diet", "vegetarian")
        assert "vegetarian" not in (await ask(world, query="what for supper"))["block"]
        world.rows.embedding("ada", fact, "tiny", [1, 0])
        assert "vegetarian" in (await ask(world, query="what for supper"))["block"]


async def test_a_producer_whose_clock_runs_ahead_is_heard(world: World) -> None:
    world.rows.subject("ada")
    ahead = NOW + timedelta(minutes=2)
    world.rows.turn("ada", "t1", "the very last words", occurred_at=ahead)
    world.rows.fact("ada", "diet", "vegan", valid_from=ahead)
    body = await ask(world, session_id="s1")
    assert "the very last words" in body["block"]
    assert "vegan" in body["block"]
    earlier = await ask(world, session_id="s1", as_of=NOW.isoformat())
    assert "the very last words" not in earlier["block"]


async def test_as_of_reads_what_held_then(world: World) -> None:
    world.rows.subject("ada")
    old, new = NOW - timedelta(days=20), NOW - timedelta(days=5)
    world.rows.fact("ada", "home", "utrecht", valid_from=old, valid_to=new)
    world.rows.fact("ada", "home", "rotterdam", valid_from=new)
    assert "rotterdam" in (await ask(world))["block"]
    before = await ask(world, as_of=(NOW - timedelta(days=10)).isoformat())
    assert "utrecht" in before["block"]
    assert "rotterdam" not in before["block"]


async def test_hints_that_stand_are_worth_asking(world: World) -> None:
    world.rows.subject("ada")
    hint = {
        "code": "contender",
        "value": "meat",
        "polarity": "positive",
        "against": "vegetarian",
        "since": "2026-03-01T00:00:00Z",
    }
    world.rows.slot("ada", "diet", hints=Jsonb([hint]))
    body = await ask(world)
    assert "- Ask whether meat is for good (diet of the user; stored: vegetarian)." in body["block"]


async def test_the_answer_follows_the_language_of_the_turns(world: World) -> None:
    world.rows.subject("ada")
    world.rows.fact("ada", "diet", "vegetarian", text="素食")
    body = await ask(world, session_id="s1", turns=[{"role": "user", "content": "今晚吃什么好呢?"}])
    assert body["lang"] == "zh"
    assert "饮食: 素食" in body["block"]


async def test_wrong_input_names_the_field(world: World) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"budget_tokens": "many"}, "budget_tokens"),
        ({"budget_tokens": 0}, "budget_tokens"),
        ({"as_of": "2026-03-02T12:00:00"}, "as_of"),
        ({"lang": "fr"}, "lang"),
        ({"turns": [{"role": "user"}]}, "turns[0]"),
        ({"user_id": ""}, "user_id"),
        ({"tenant": "a/b"}, "tenant"),
        ({"session_id": "a\x00b"}, "session_id"),
    ]
    for asked, field in wrong:
        answer = await world.http.post("/v1/context", json={"user_id": "ada"} | asked)
        assert answer.status_code == 422, asked
        assert answer.json()["error"]["field"] == field, answer.text
    misspelt = await world.http.post("/v1/context", json={"user_id": "ada", "budget": 5})
    assert "budget" in misspelt.json()["error"]["message"]


async def test_a_turn_with_a_secret_is_known_again_and_shown_without_it(world: World) -> None:
    world.rows.subject("ada")
    world.rows.turn("ada", "t1", "my password is [password]")

    sent = [{"role": "user", "content": "my password is Wint3r!"}, {"role": "user", "content": "call 13800138000"}]
    body = await ask(world, session_id="s1", turns=sent, query="was it Wint3r! or 13800138000?")

    assert body["block"].count("my password is [password]") == 1
    assert "call [phone ****8000]" in body["block"]
    assert "Wint3r!" not in body["block"]
