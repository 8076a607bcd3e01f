"""A line to PostgreSQL that is dead but open: a request is answered all the same, and later ones get new lines."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from ops.local.postgres import Cluster
from tests.support.gateway import World, gateway_over, make_settings
from tests.support.processes import PATIENCE
from tests.support.proxy import Proxy
from tests.support.servers import Database
from workers.gateway.database import Reader
from workers.gateway.faults import UnavailableError


@pytest.fixture
def proxy(postgres: Cluster) -> Iterator[Proxy]:
    with Proxy(postgres.port) as proxy:
        yield proxy


@pytest.fixture
async def world(database: Database, postgres: Cluster, proxy: Proxy) -> AsyncIterator[World]:
    """A gateway behind the proxy that has read before."""
    url = database.gateway_url.replace(f":{postgres.port}/", f":{proxy.port}/")
    settings = make_settings(url, gateway_answer_seconds=2.0, pool_timeout_seconds=3.0, pool_size=2)
    async with gateway_over(database, settings=settings) as world:
        await answered(world)
        yield world


async def answered(world: World) -> None:
    """Ask until there is an answer."""
    async with asyncio.timeout(PATIENCE):
        while (await world.http.get("/v1/facts?user_id=ada")).status_code != 200:
            pass


async def test_requests_are_answered_with_503_and_the_pool_recovers(world: World, proxy: Proxy) -> None:
    proxy.half_close(True)
    async with asyncio.timeout(PATIENCE):
        answers = await asyncio.gather(*(world.http.get("/v1/facts?user_id=ada") for _ in range(6)))
        ready = await world.http.get("/readyz")
    assert {(answer.status_code, answer.json()["error"]["code"]) for answer in answers} == {(503, "unavailable")}
    assert all(answer.headers["Retry-After"] for answer in answers)
    assert (ready.status_code, ready.json()["database"][:11]) == (503, "unreachable")
    proxy.half_close(False)
    await answered(world)
    async with asyncio.timeout(PATIENCE):
        while (await world.http.get("/readyz")).json()["database"] != "ok":
            pass


async def test_a_line_that_dies_in_the_middle_of_a_request_is_not_waited_for(world: World, proxy: Proxy) -> None:
    async def look(reader: Reader) -> Any:
        proxy.half_close(True)
        return await reader.all("enter_scope")

    async with asyncio.timeout(PATIENCE):
        with pytest.raises(UnavailableError, match="did not answer within 2 s"):
            await world.deps.database.read(world.rows.who("ada"), look)
    proxy.half_close(False)
    await answered(world)
