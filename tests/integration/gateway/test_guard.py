"""Who may ask: host, token, size; and what is said while parts are down."""

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest
from pydantic import SecretStr

from lithify.events.api import MAX_BODY_BYTES
from tests.support.gateway import World, gateway_over, make_settings
from tests.support.servers import Database

TOKEN = "a token of the test"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8088", "localhost:8088", "[::1]:8088", "[::1]"])
async def test_loopback_hosts_are_served(world: World, host: str) -> None:
    assert (await world.http.get("/healthz", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("host", ["evil.example.test", "127.0.0.1.evil.example.test", "10.0.0.5", "", "localhost.evil"])
async def test_a_name_that_was_rebound_to_loopback_is_refused(world: World, host: str) -> None:
    answer = await world.http.get("/v1/facts", params={"user_id": "ada"}, headers={"Host": host})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "forbidden_host"


@pytest.mark.parametrize("origin", ["https://evil.example.test", "null", "http://127.0.0.1.evil.example.test"])
async def test_a_page_from_elsewhere_cannot_write(world: World, origin: str) -> None:
    turn = {"user_id": "ada", "session_id": "s1", "role": "user", "content": "hi"}
    answer = await world.http.post("/v1/turns", json=turn, headers={"Origin": origin})
    assert answer.status_code == 403
    assert world.publisher.events == []
    local = await world.http.post("/v1/turns", json=turn, headers={"Origin": "http://localhost:3000"})
    assert local.status_code == 202


async def test_with_a_token_everything_but_healthz_needs_it(database: Database) -> None:
    settings = make_settings(database.gateway_url, gateway_host="192.0.2.7", gateway_token=SecretStr(TOKEN))
    async with gateway_over(database, settings=settings) as world:
        world.http.headers["Host"] = "memory.example.test"
        for wrong in (
            {},
            {"Authorization": "Bearer wrong"},
            {"Authorization": f"Basic {TOKEN}"},
            {"Authorization": TOKEN},
        ):
            for path in ("/v1/facts?user_id=ada", "/readyz", "/metrics", "/docs", "/openapi.json"):
                answer = await world.http.get(path, headers=wrong)
                assert answer.status_code == 401, (path, wrong)
        assert (await world.http.get("/healthz")).status_code == 200
        right = {"Authorization": f"Bearer {TOKEN}"}
        assert (await world.http.get("/v1/facts?user_id=ada", headers=right)).status_code == 200


async def test_bodies_are_bounded_declared_or_not(world: World) -> None:
    declared = await world.http.post("/v1/turns", content=b"x" * (MAX_BODY_BYTES + 1))

    async def stream() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"x" * (MAX_BODY_BYTES // 2)

    streamed = await world.http.post("/v1/turns", content=stream())
    for answer in (declared, streamed):
        assert answer.status_code == 413
        assert answer.json()["error"]["code"] == "too_large"


async def test_a_database_that_is_down_is_never_an_empty_answer(database: Database) -> None:
    settings = make_settings("postgresql://lithify_gateway@127.0.0.1:1/none", pool_timeout_seconds=0.2)
    async with gateway_over(database, settings=settings) as world:
        for method, path, body in [
            ("GET", "/v1/facts?user_id=ada", None),
            ("GET", "/v1/turns/t1?user_id=ada", None),
            ("GET", "/v1/explain/diet?user_id=ada", None),
            ("POST", "/v1/context", {"user_id": "ada"}),
        ]:
            answer = await world.http.request(method, path, json=body)
            assert answer.status_code == 503, path
            assert answer.headers["Retry-After"]
            assert answer.json()["error"]["code"] == "unavailable"
        ready = await world.http.get("/readyz")
        assert ready.status_code == 503
        assert ready.json()["database"].startswith("unreachable")
        assert ready.json()["broker"] == "ok"
        assert (await world.http.get("/healthz")).status_code == 200


async def test_ready_names_the_part_that_is_missing(world: World) -> None:
    assert (await world.http.get("/readyz")).json() == {"ready": True, "database": "ok", "broker": "ok"}
    world.publisher.down = True
    answer = await world.http.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["broker"] == "unreachable"


async def test_a_cut_connection_heals_by_itself(database: Database, world: World) -> None:
    assert (await world.http.get("/v1/facts?user_id=ada")).status_code == 200
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'lithify_gateway'"
            " and datname = current_database()"
        )
    assert (await world.http.get("/v1/facts?user_id=ada")).status_code == 200


async def test_a_small_pool_serves_many_requests_and_holds_nothing_c120(database: Database) -> None:
    settings = make_settings(database.gateway_url, pool_size=2)
    async with gateway_over(database, settings=settings) as world:
        world.rows.subject("ada")
        world.rows.fact("ada", "diet", "vegetarian")
        users = ["ada" if i % 2 else "nobody" for i in range(20)]
        answers = await asyncio.gather(*[world.http.post("/v1/context", json={"user_id": user}) for user in users])
        assert [answer.status_code for answer in answers] == [200] * 20
        with psycopg.connect(database.superuser_url) as connection:
            row = connection.execute(
                "select count(*) from pg_stat_activity where datname = current_database()"
                " and usename = 'lithify_gateway' and state like 'idle in transaction%'"
            ).fetchone()
        assert row == (0,)


async def test_errors_of_the_framework_have_the_same_shape(world: World) -> None:
    for method, path, status in [("GET", "/nowhere", 404), ("DELETE", "/v1/facts", 405)]:
        answer = await world.http.request(method, path)
        assert answer.status_code == status
        assert set(answer.json()) == {"error"}


async def test_metrics_count_requests_by_route_not_by_id(world: World) -> None:
    await world.http.get("/v1/turns/some-id", params={"user_id": "ada"})
    text = (await world.http.get("/metrics")).text
    assert 'route="/v1/turns/{turn_id:path}",status="404"' in text
    assert "some-id" not in text


async def test_openapi_describes_models_with_examples(world: World) -> None:
    document = (await world.http.get("/openapi.json")).json()
    schemas = document["components"]["schemas"]
    assert "ContextRequest" in schemas
    post = document["paths"]["/v1/turns"]["post"]
    assert post["requestBody"]["content"]["application/json"]["examples"]["one"]["value"]["role"] == "user"
    assert "503" in post["responses"]
    dangling = {ref for ref in _refs(document) if ref.rpartition("/")[2] not in schemas}
    assert dangling == set()


def _refs(node: object) -> set[str]:
    if isinstance(node, dict):
        own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
        return own.union(*(_refs(value) for value in node.values()))
    if isinstance(node, list):
        return set().union(*(_refs(value) for value in node))
    return set()
