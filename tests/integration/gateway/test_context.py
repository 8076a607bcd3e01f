"""Context blocks over real rows."""

from tests.support.gateway import World


async def test_facts_and_overrides_of_the_user_reach_the_block(world: World) -> None:
    world.rows.subject("ada", version=7)
    world.rows.fact("ada", "diet", "vegetarian")
    world.rows.fact("ada", "allergy", "peanut")
    world.rows.override("ada", "diet", "meat", session_id="s1", session_started_at="2026-03-02T11:00Z")

    answer = await world.http.post("/v1/context", json={"user_id": "ada", "session_id": "s1", "query": "diet?"})

    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["version"] == 7
    assert "- diet: meat (for this session; usually vegetarian" in body["block"]
    assert "allergy: peanut" in body["block"]
    assert [notice["code"] for notice in body["notices"]] == ["no_embedder"]


async def test_an_unknown_user_has_an_empty_block(world: World) -> None:
    answer = await world.http.post("/v1/context", json={"user_id": "nobody"})
    assert answer.status_code == 200
    assert answer.json().get("items", []) == []
    assert answer.json()["version"] == 0
