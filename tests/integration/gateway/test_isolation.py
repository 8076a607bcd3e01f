"""No endpoint shows one user's rows to another (C79, C81). Endpoints are enumerated, so that a new one is covered."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.routing import APIRoute
from psycopg.types.json import Jsonb

from lithify.domain.slots.state import VerdictKind
from lithify.events import Decision
from tests.support.gateway import NOW, World, gateway_over
from tests.support.servers import Database
from workers.gateway.app import create_app
from workers.gateway.database import Reader
from workers.gateway.scope import Who

SECRET = "marmalade"
PUBLIC = {"/healthz", "/readyz", "/metrics"}
WRITES = {"/v1/turns", "/v1/commands", "/v1/sessions/{session_id:path}/end"}


def routes(world: World) -> Iterator[tuple[str, str]]:
    """Every method and path that the application itself declares."""
    app = create_app(world.deps)
    for path, operations in app.openapi()["paths"].items():
        for method in operations:
            yield method.upper(), path


def fill(world: World) -> dict[str, list[str]]:
    """Rows of ada in every table; returns ids that name them, by path parameter."""
    rows = world.rows
    rows.subject("ada", version=3)
    rows.subject("bob", version=1)
    fact = rows.fact("ada", "diet", SECRET, claim_ids=Jsonb(["c"]))
    override = rows.override("ada", "home", SECRET)
    told = Decision(
        slot_id="s",
        subject="user",
        attribute="diet",
        kind=VerdictKind.ESTABLISHED,
        rule="empty_slot",
        at=NOW,
        value=SECRET,
    )
    decided = rows.decided("ada", "t1", "stored", stored=1, decisions=(told,))
    rows.turn("ada", "t1", f"I love {SECRET}", outcome="stored", stored=1, decided=decided)
    claim = rows.claim("ada", "diet", SECRET, "t1")
    rows.verdict("ada", "diet", SECRET, fact_id=fact, claim_ids=Jsonb([str(claim)]))
    rows.conflict("ada", "diet", claim, fact, claim_value=SECRET)
    episode = rows.episode("ada", "e", f"talked about {SECRET}")
    rows.embedding("ada", episode, "tiny", [1, 0], "episode")
    named = [str(fact), str(override), str(rows.slot("ada", "diet")), str(claim), "diet", "user/diet", "t1"]
    return {"fact_id": named, "what": named, "turn_id": named, "session_id": ["s1"]}


def bodies(user: str) -> dict[str, Any]:
    """A request body that every POST endpoint understands its part of."""
    return {
        "/v1/context": {"user_id": user, "session_id": "s1", "query": f"diet {SECRET}"[:4]},
        "/v1/turns": {"user_id": user, "session_id": "s1", "role": "user", "content": "hello"},
        "/v1/commands": {"user_id": user, "session_id": "s1", "command": "remember", "text": "hello"},
        "/v1/sessions/{session_id}/end": {"user_id": user},
    }


async def ask(world: World, method: str, path: str, ids: dict[str, list[str]], user: str) -> list[tuple[int, str]]:
    """All answers of one endpoint to one user, over all ids."""
    urls = [path]
    for name, values in ids.items():
        urls = (
            [url.replace("{" + name + "}", value) for url in urls for value in values] if "{" + name in path else urls
        )
    answers = []
    for url in dict.fromkeys(urls):
        if method == "POST":
            response = await world.http.post(url, json=bodies(user)[path])
        else:
            response = await world.http.request(method, url, params={"user_id": user, "history": "true"})
        answers.append((response.status_code, response.text))
    return answers


def plain(path: str) -> str:
    """A path without converters."""
    return path.replace(":path", "")


async def test_no_endpoint_shows_ada_to_bob(world: World) -> None:
    ids = fill(world)
    seen_by_ada = set()
    for method, path in [(method, plain(path)) for method, path in routes(world)]:
        for status, text in await ask(world, method, path, ids, "bob"):
            assert SECRET not in text, (method, path, text)
            assert status in {200, 202, 404}, (method, path, status, text)
            if "{" in path and method == "GET":
                assert status == 404, (path, text)
        if any(SECRET in text for _, text in await ask(world, method, path, ids, "ada")):
            seen_by_ada.add(path)
    # The same requests by ada do find it: the test would notice a leak.
    assert seen_by_ada == {
        "/v1/context",
        "/v1/facts",
        "/v1/facts/{fact_id}",
        "/v1/explain/{what}",
        "/v1/turns/{turn_id}",
    }


async def test_every_endpoint_is_known_to_this_test(world: World) -> None:
    app = create_app(world.deps)
    declared = {plain(path) for _, path in routes(world)}
    mounted = {plain(route.path) for route in app.routes if isinstance(route, APIRoute)}
    assert mounted <= declared | PUBLIC, "an endpoint is left out of the OpenAPI description"
    posts = {plain(path) for method, path in routes(world) if method == "POST"}
    assert posts == set(bodies("x")), "give the new endpoint a body here"


async def test_a_query_that_forgets_its_user_still_sees_one_user_only(world: World) -> None:
    """Row-level security is the second wall behind the conditions of the queries."""
    fill(world)

    async def all_values(reader: Reader) -> list[str]:
        cursor = await reader._connection.execute("select value from facts union all select content from turns")
        return [row["value"] for row in await cursor.fetchall()]

    assert await world.deps.database.read(world.rows.who("bob"), all_values) == []
    assert sorted(await world.deps.database.read(world.rows.who("ada"), all_values)) == [f"I love {SECRET}", SECRET]


async def test_the_scope_ends_with_the_transaction(database: Database) -> None:
    async with gateway_over(database) as world:
        fill(world)
        ada = world.rows.who("ada")
        await world.deps.database.read(ada, lambda reader: reader.all("facts", known_at=None))
        nobody = Who("default", "nobody", "-")
        forged = Who(ada.tenant, ada.user_id, "x','y")
        for who in (nobody, forged):
            assert await world.deps.database.read(who, lambda reader: reader.all("facts", known_at=None)) == []


@pytest.mark.parametrize(
    "user",
    [
        "6f1c1f2e-6e8f-4f7e-9d0a-0c7a1f2b3c4d",
        "a-b",
        "main",
        "o'neil+x@example.test",
        "用户一",
        "😀",
        "../x",
        "x" * 300,
        "A",
        "a",
        "é",
        "e\u0301",
        "x' OR 1=1 --",
        "a,b",
        "a/b",
        "%2e%2e",
        "..",
    ],
)
async def test_ids_that_validate_do_not_break_reading_c82_c83(world: World, user: str) -> None:
    world.rows.subject(user)
    world.rows.fact(user, "diet", "vegetarian")
    world.rows.turn(user, user, "hello", session_id=user, outcome="no_facts", occurred_at=NOW)
    found = await world.http.get("/v1/facts", params={"user_id": user})
    assert [fact["value"] for fact in found.json()["facts"]] == ["vegetarian"]
    block = await world.http.post("/v1/context", json={"user_id": user, "session_id": user})
    assert "user: hello" in block.json()["block"]


async def test_no_two_ids_collide_c82(world: World) -> None:
    users = ["A", "a", "é", "e\u0301", "main", "main ", "a/b", "a", "default/a"]
    keys = {world.rows.who(user).subject_key for user in users}
    assert len(keys) == len(set(users))
    world.rows.subject("A")
    world.rows.fact("A", "diet", "vegetarian")
    other = await world.http.get("/v1/facts", params={"user_id": "a"})
    assert other.json().get("facts", []) == []
