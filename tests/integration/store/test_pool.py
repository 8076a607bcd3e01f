"""Connections: given back whatever happens, and whole batches again where they get in each other's way."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator

import psycopg
import pytest

from ops.local.postgres import Cluster
from pipelines.failures import Transient
from pipelines.store.unit_of_work import unit_of_work
from tests.integration.pipeline.test_stages import turn
from tests.support.pipeline import Pipeline, open_pool, settings_for
from tests.support.processes import PATIENCE
from tests.support.proxy import Proxy
from tests.support.servers import Database
from workers.assembly import conflict, extraction, importance, reflection


@pytest.fixture
async def pipeline(database: Database) -> AsyncIterator[Pipeline]:
    settings = settings_for(database)
    pool = await open_pool(settings)
    workers = (importance(settings), extraction(settings), conflict(settings), reflection(settings))
    yield Pipeline(settings, pool, database.superuser_url, workers)
    await pool.close()


async def test_c120_connections_are_given_back_whatever_happens(database: Database) -> None:
    settings = settings_for(database, pool_size="2")
    pool = await open_pool(settings)

    async def use(number: int) -> str:
        async with unit_of_work(pool, settings, "w", {"k"}) as unit:
            await unit.fetch("delivery.read_subjects", subjects=["nobody"])
            if number % 2:
                raise LookupError("no hit")
        return "done"

    results = await asyncio.gather(*(use(number) for number in range(20)), return_exceptions=True)
    assert [result for result in results if result != "done" and not isinstance(result, LookupError)] == []
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "select count(*) as n from pg_stat_activity where datname = current_database()"
            " and state like 'idle in transaction%' and pid <> pg_backend_pid()"
        )
        assert await cursor.fetchone() == {"n": 0}
    assert pool.get_stats()["pool_size"] <= 2
    await pool.close()


async def test_c121_tasks_that_are_cancelled_leave_the_pool_whole(database: Database) -> None:
    settings = settings_for(database, pool_size="3", pool_timeout_seconds="20")
    pool = await open_pool(settings)
    rng = random.Random(121)

    async def use() -> None:
        async with unit_of_work(pool, settings, "w", {"k"}) as unit:
            await unit._connection.execute("select pg_sleep(0.05)")
            with contextlib.suppress(psycopg.Error):
                await unit._connection.execute("select 1 / 0")

    for _ in range(10):
        tasks = [asyncio.create_task(use()) for _ in range(12)]
        await asyncio.sleep(rng.uniform(0, 0.12))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    async with asyncio.timeout(20):
        await asyncio.gather(*(use() for _ in range(6)), return_exceptions=True)
        held = [await pool.getconn() for _ in range(3)]
    assert {connection.info.transaction_status for connection in held} == {psycopg.pq.TransactionStatus.IDLE}
    for connection in held:
        await pool.putconn(connection)
    await pool.close()


async def test_c122_workers_over_the_same_users_in_any_order_wedge_nobody(pipeline: Pipeline) -> None:
    rng = random.Random(122)
    users = [f"u{number}" for number in range(12)]
    for start in range(0, 160, 20):
        rng.shuffle(users)
        for number in range(start, start + 20):
            pipeline.publish(turn(number, f"2026-03-01 10:{number % 60:02}", "diet=vegan", user_id=users[number % 12]))
    [first, *_] = pipeline.workers
    records = next(iter(pipeline.log.values()))

    async def work(batch: int) -> None:
        while True:
            try:
                return await pipeline.processor(first).process(records[batch * 20 : batch * 20 + 20])
            except Transient:
                continue

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(work(batch) for batch in range(8)))
    assert pipeline.rows("select count(*) as n from turns") == [{"n": 160}]


async def test_c119_a_database_without_schema_is_waited_for(postgres: Cluster, database: Database) -> None:
    settings = settings_for(database, database_url=postgres.url("lithify_worker", "template1"))
    pool = await open_pool(settings)
    worker = importance(settings)
    waiting = Pipeline(settings, pool, database.superuser_url, (worker,))
    waiting.publish(turn(1, "2026-03-01 10:00", "diet=vegan"))
    with pytest.raises(Transient):
        await waiting.run()
    await pool.close()


async def test_a_pool_grows_again_after_lines_were_dead_but_open(database: Database, postgres: Cluster) -> None:
    with Proxy(postgres.port) as proxy:
        url = database.worker_url.replace(f":{postgres.port}/", f":{proxy.port}/")
        pool = await open_pool(settings_for(database, database_url=url, pool_timeout_seconds="3"))
        proxy.half_close(True)
        with pytest.raises(Exception, match="couldn't get a connection"):
            async with pool.connection():
                pass
        proxy.half_close(False)
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    async with pool.connection() as connection:
                        await connection.execute("select 1")
                        break
                except Exception:  # noqa: BLE001, S112 - whatever it is, it must end
                    continue
        await pool.close()
