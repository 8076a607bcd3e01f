"""The outbox relay on a real broker: everything once, in order, and nothing lost while the broker is away."""

import asyncio
import json
import secrets
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import psycopg
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from pipelines.kafka import make_producer
from pipelines.runtime.relay import PAGE_BYTES, Relay
from pipelines.runtime.worker import Progress
from pipelines.settings import Settings
from pipelines.store.pool import Pool
from tests.support.pipeline import open_pool, settings_for
from tests.support.processes import PATIENCE
from tests.support.servers import Database


@pytest.fixture
def topic(broker: str) -> str:
    name = f"relay-{uuid.uuid4().hex}"
    admin = AdminClient({"bootstrap.servers": broker})
    for future in admin.create_topics([NewTopic(name, 1, 1)]).values():
        future.result(PATIENCE)
    return name


def fill(database: Database, topic: str, numbers: range) -> None:
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        for number in numbers:
            connection.execute(
                "insert into outbox (lane, topic, key, value, subject_key) values ('w', %s, 'k', %s, 'k')",
                (topic, str(number)),
            )


def left(database: Database) -> int:
    with psycopg.connect(database.superuser_url) as connection:
        row = connection.execute("select count(*) from outbox").fetchone()
        return int(row[0]) if row else -1


async def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    async with asyncio.timeout(seconds):
        while not await asyncio.to_thread(condition):
            await asyncio.sleep(0.05)


def consume(broker: str, topic: str, count: int) -> list[int]:
    consumer = Consumer(
        {
            "bootstrap.servers": broker,
            "group.id": uuid.uuid4().hex,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    consumer.assign([TopicPartition(topic, 0, 0)])  # a group would take half its session time-out to form
    found: list[int] = []
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            found.append(int(message.value() or b""))
        if len(found) >= count and message is None:
            break
    consumer.close()
    return found


@asynccontextmanager
async def relaying(settings: Settings, pool: Pool, copies: int = 1) -> AsyncIterator[list[Relay]]:
    relays = [Relay("w", settings, pool, Progress()) for _ in range(copies)]
    tasks = [asyncio.create_task(relay.run()) for relay in relays]
    try:
        yield relays
    finally:
        for relay in relays:
            relay.stop()
        await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE)


async def test_rows_are_published_in_order_and_removed(database: Database, broker: str, topic: str) -> None:
    settings = settings_for(database, kafka_bootstrap=broker)
    pool = await open_pool(settings)
    fill(database, topic, range(700))
    async with relaying(settings, pool) as [relay]:
        await until(lambda: left(database) == 0)
        fill(database, topic, range(700, 705))
        relay.wake()
        await until(lambda: left(database) == 0)
    await pool.close()
    assert await asyncio.to_thread(consume, broker, topic, 705) == list(range(705))


async def test_of_two_relays_of_a_lane_one_works(database: Database, broker: str, topic: str) -> None:
    settings = settings_for(database, kafka_bootstrap=broker)
    pool = await open_pool(settings)
    async with relaying(settings, pool, copies=2):
        for start in range(0, 200, 20):
            fill(database, topic, range(start, start + 20))
            await asyncio.sleep(0.02)
        await until(lambda: left(database) == 0)
    await pool.close()
    assert await asyncio.to_thread(consume, broker, topic, 200) == list(range(200))


async def test_a_lower_id_that_commits_late_is_not_passed_over(database: Database, broker: str, topic: str) -> None:
    settings = settings_for(database, kafka_bootstrap=broker)
    pool = await open_pool(settings)
    with psycopg.connect(database.superuser_url) as slow:
        slow.execute(
            "insert into outbox (lane, topic, key, value, subject_key) values ('w', %s, 'k', '1', 'k')", (topic,)
        )
        async with relaying(settings, pool):
            fill(database, topic, range(2, 3))
            await until(lambda: left(database) == 0)
            slow.commit()
            await until(lambda: left(database) == 0)
    await pool.close()
    assert await asyncio.to_thread(consume, broker, topic, 2) == [2, 1]


async def test_a_client_that_stands_still_is_replaced(
    database: Database, broker: str, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the old client held is sent by the new one, in order and once."""
    settings = settings_for(database, kafka_bootstrap=broker)
    nowhere = settings_for(database, kafka_bootstrap="127.0.0.1:1")
    made = 0

    def make(_: Settings) -> Producer:
        """One that stands still, then one that may take its time."""
        nonlocal made
        made += 1
        monkeypatch.setattr("pipelines.runtime.relay._STALLED_SECONDS", 1.0 if made == 1 else PATIENCE)
        return make_producer(nowhere if made == 1 else settings)

    monkeypatch.setattr("pipelines.runtime.relay.make_producer", make)
    pool = await open_pool(settings)
    fill(database, topic, range(20))
    async with relaying(settings, pool):
        await until(lambda: left(database) == 0)
    await pool.close()
    assert await asyncio.to_thread(consume, broker, topic, 20) == list(range(20))


async def test_without_a_broker_rows_wait(database: Database) -> None:
    settings = settings_for(database, kafka_bootstrap="127.0.0.1:1")
    pool = await open_pool(settings)
    fill(database, "nowhere", range(3))
    relay = Relay("w", settings, pool, Progress())
    task = asyncio.create_task(relay.run())
    await asyncio.sleep(1)
    assert left(database) == 3
    relay.stop()
    await asyncio.wait_for(task, PATIENCE)
    assert left(database) == 3
    await pool.close()


async def test_a_lost_database_line_is_survived(database: Database, broker: str, topic: str) -> None:
    settings = settings_for(database, kafka_bootstrap=broker)
    pool = await open_pool(settings)
    async with relaying(settings, pool) as [relay]:
        await until(lambda: held(database) == 1)
        with psycopg.connect(database.superuser_url, autocommit=True) as connection:
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
        fill(database, topic, range(5))
        relay.wake()
        await until(lambda: left(database) == 0)
    await pool.close()
    assert await asyncio.to_thread(consume, broker, topic, 5) == list(range(5))


def held(database: Database) -> int:
    with psycopg.connect(database.superuser_url) as connection:
        row = connection.execute(
            "select count(*) from pg_locks join pg_database d on d.oid = database"
            " where locktype = 'advisory' and datname = current_database()"
        ).fetchone()
        return int(row[0]) if row else -1


async def test_c67_a_page_of_large_events_is_short(database: Database, topic: str, broker: str) -> None:
    size, count = 1_000_000, 20
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        for number in range(count):
            value = json.dumps({"number": number, "text": secrets.token_hex(size // 2)})
            connection.execute(
                "insert into outbox (lane, topic, key, value, subject_key) values ('w', %s, 'k', %s, 'k')",
                (topic, value),
            )
    settings = settings_for(database, kafka_bootstrap=broker)
    pool = await open_pool(settings)
    relay = Relay("w", settings, pool, Progress())
    async with pool.connection() as connection:
        await connection.execute("set local role lithify_relay")
        page = await relay._read_page(connection)
    await pool.close()
    assert 1 < len(page) <= PAGE_BYTES // size + 1
    assert [json.loads(row["value"])["number"] for row in page] == list(range(len(page)))
