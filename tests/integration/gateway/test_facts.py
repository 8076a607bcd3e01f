"""Facts, their provenance, and explanations."""

from datetime import datetime, timedelta
from typing import Any

from psycopg.types.json import Jsonb

from tests.support.gateway import NOW, World, uid


async def get(world: World, path: str, **params: Any) -> Any:
    """The answer about ada."""
    shown = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in params.items()}
    answer = await world.http.get(path, params={"user_id": "ada"} | shown)
    assert answer.status_code == 200, answer.text
    return answer.json()


def values(body: Any) -> list[str]:
    """Values of the facts shown."""
    return [fact["value"] for fact in body.get("facts", [])]


async def test_what_holds_what_held_and_everything(world: World) -> None:
    world.rows.subject("ada", version=4)
    moved = NOW - timedelta(days=5)
    world.rows.fact("ada", "home", "utrecht", valid_to=moved)
    world.rows.fact("ada", "home", "rotterdam", valid_from=moved)
    world.rows.fact("ada", "home", "tomorrow", valid_from=NOW + timedelta(days=1))
    assert values(await get(world, "/v1/facts")) == ["rotterdam"]
    assert values(await get(world, "/v1/facts", as_of=NOW - timedelta(days=9))) == ["utrecht"]
    assert values(await get(world, "/v1/facts", history="true")) == ["utrecht", "rotterdam", "tomorrow"]
    assert (await get(world, "/v1/facts"))["version"] == 4


async def test_known_at_tells_what_was_believed(world: World) -> None:
    world.rows.subject("ada")
    corrected_at = NOW - timedelta(days=2)
    world.rows.fact("ada", "home", "utrecht", sys_from=NOW - timedelta(days=20), sys_to=corrected_at)
    world.rows.fact("ada", "home", "utrecht", sys_from=corrected_at, corrected=True)
    world.rows.fact("ada", "home", "leiden", sys_from=corrected_at)
    assert values(await get(world, "/v1/facts")) == ["leiden"]
    assert values(await get(world, "/v1/facts", as_of=NOW - timedelta(days=9))) == ["leiden"]
    assert values(await get(world, "/v1/facts", known_at=NOW - timedelta(days=9))) == ["utrecht"]


async def test_an_override_ends_on_every_read_path_at_the_same_instant_c51(world: World) -> None:
    world.rows.subject("ada")
    end = NOW + timedelta(days=1)
    world.rows.fact("ada", "diet", "vegetarian")
    world.rows.override("ada", "diet", "meat", ends_at=end)
    for at, running in [(end - timedelta(microseconds=1), True), (end, False)]:
        listed = await get(world, "/v1/facts", as_of=at)
        assert bool(listed.get("overrides")) is running
        block = await world.http.post("/v1/context", json={"user_id": "ada", "as_of": at.isoformat()})
        assert ("meat" in block.json()["block"]) is running


async def test_overrides_of_a_session_contenders_and_hints(world: World) -> None:
    world.rows.subject("ada")
    contender = {
        "value": "meat",
        "text": "meat",
        "polarity": "positive",
        "posterior": 0.7,
        "days": 2,
        "needed_days": 3,
        "threshold": 0.85,
        "first_support": "2026-03-01T00:00:00Z",
        "last_support": "2026-03-02T00:00:00Z",
        "ends_at": "2026-04-01T00:00:00Z",
        "claim_ids": ["c1"],
    }
    hint = {"code": "contender", "value": "meat", "polarity": "positive", "against": None, "since": "2026-03-01T00:00Z"}
    world.rows.slot("ada", "diet", contenders=Jsonb([contender]), hints=Jsonb([hint | {"since": NOW.isoformat()}]))
    world.rows.override("ada", "diet", "meat", session_id="s1", session_started_at=NOW)
    body = await get(world, "/v1/facts", session_id="s1")
    assert [item["value"] for item in body["overrides"]] == ["meat"]
    assert body["contenders"][0]["needed_days"] == 3
    assert body["hints"][0]["code"] == "contender"
    assert "overrides" not in await get(world, "/v1/facts", session_id="s2")
    assert "contenders" not in await get(world, "/v1/facts", as_of=NOW + timedelta(days=60))


def evidence(world: World) -> tuple[str, str]:
    """A fact with all that it rests on; returns ids of fact and claim."""
    world.rows.subject("ada")
    world.rows.turn("ada", "t1", "我 am vegetarian", outcome="stored")
    body = {"value": "vegetarian", "polarity": "positive", "basis": "self_statement", "cue": "none", "span": [5, 15]}
    claim = world.rows.claim("ada", "diet", "vegetarian", "t1", body=Jsonb(body))
    fact = world.rows.fact("ada", "diet", "vegetarian", claim_ids=Jsonb([str(claim)]))
    trace = Jsonb({"days": 1})
    world.rows.verdict("ada", "diet", "vegetarian", fact_id=fact, claim_ids=Jsonb([str(claim)]), trace=trace)
    world.rows.conflict("ada", "diet", uid("c2"), fact)
    return str(fact), str(claim)


async def test_a_fact_is_shown_with_the_words_it_rests_on(world: World) -> None:
    fact, claim = evidence(world)
    body = await get(world, f"/v1/facts/{fact}")
    assert body["fact"]["value"] == "vegetarian"
    [quoted] = body["claims"]
    assert quoted["id"] == claim
    assert (quoted["turn_id"], quoted["quote"], quoted["span"]) == ("t1", "vegetarian", [5, 15])
    assert [verdict["kind"] for verdict in body["verdicts"]] == ["established"]
    assert [conflict["claim_value"] for conflict in body["conflicts"]] == ["meat"]


async def test_a_slot_is_explained_by_any_of_its_names(world: World) -> None:
    fact, _ = evidence(world)
    override = world.rows.override("ada", "diet", "meat")
    for name in (fact, str(override), str(world.rows.slot("ada", "diet")), "diet", "user%2Fdiet"):
        body = await get(world, f"/v1/explain/{name}")
        assert (body["subject"], body["attribute"]) == ("user", "diet")
        assert body["verdicts"][0]["trace"] == {"days": 1}
        assert "vegetarian" in body["verdicts"][0]["sentence"]
        assert body["claims"][0]["quote"] == "vegetarian"
        assert [item["value"] for item in body["overrides"]] == ["meat"]


async def test_sentences_come_in_the_language_asked_for(world: World) -> None:
    fact, _ = evidence(world)
    for path in (f"/v1/facts/{fact}", "/v1/explain/diet"):
        [verdict] = (await get(world, path, lang="zh"))["verdicts"]
        assert "饮食" in verdict["sentence"]


async def test_unknown_names_are_404_and_wrong_times_are_422(world: World) -> None:
    evidence(world)
    for path in ("/v1/facts/nonsense", f"/v1/facts/{uid('other')}", "/v1/explain/nonsense", f"/v1/explain/{uid('x')}"):
        answer = await world.http.get(path, params={"user_id": "ada"})
        assert answer.status_code == 404, path
        assert answer.json()["error"]["code"] == "not_found"
    for name in ("as_of", "known_at"):
        answer = await world.http.get("/v1/facts", params={"user_id": "ada", name: "2026-03-02T12:00:00"})
        assert answer.status_code == 422
        assert answer.json()["error"]["field"] == name
    missing = await world.http.get("/v1/facts")
    assert missing.status_code == 422
    assert missing.json()["error"]["field"] == "user_id"
