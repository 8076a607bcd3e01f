"""Whatever role, database or environment say of a session, events are read as they are, and none is lost."""

import asyncio
from collections.abc import AsyncIterator, Mapping

import psycopg
import pytest
from psycopg import sql

from ops.local.postgres import SUPERUSER, Cluster
from pipelines.failures import Cause, Poison, Transient, classify
from pipelines.store.migrate import MigrationError, migrate
from pipelines.store.unit_of_work import unit_of_work
from pipelines.topics import Topic
from tests.integration.pipeline.test_stages import turn
from tests.support.pipeline import Pipeline, open_pool, settings_for
from tests.support.servers import Database
from workers.assembly import WORKERS

TEXTS = ("I am vegetarian.", "我住在上海。", "My name is Zoë.")


@pytest.fixture
async def pipeline(database: Database) -> AsyncIterator[Pipeline]:
    settings = settings_for(database)
    pool = await open_pool(settings)
    yield Pipeline(settings, pool, database.superuser_url, [make(settings) for make in WORKERS.values()])
    await pool.close()


async def is_read(database: Database) -> None:
    """Whether a pipeline makes of the texts what it always does; nothing may be dead."""
    settings = settings_for(database)
    pool = await open_pool(settings)
    run = Pipeline(settings, pool, database.superuser_url, [make(settings) for make in WORKERS.values()])
    run.publish(*(turn(number, f"2026-03-01 10:{number:02}", text) for number, text in enumerate(TEXTS)))
    await run.run()
    await pool.close()
    assert run.bodies(Topic.DEAD_LETTERS, "dead_letter") == []
    values = {row["value"] for row in run.rows("select value from facts where sys_to is null")}
    assert [row["content"] for row in run.rows("select content from turns order by turn_id")] == list(TEXTS)
    assert {"vegetarian", "shanghai", "zoë"} <= {value.lower() for value in values}, values


@pytest.mark.parametrize(
    "setting",
    [
        "datestyle = 'German, DMY'",
        "client_encoding = 'LATIN1'",
        "intervalstyle = 'iso_8601'",
        "extra_float_digits = -10",
        "timezone = 'Asia/Kathmandu'",
        "default_transaction_isolation = 'serializable'",
        "row_security = off",
    ],
)
async def test_c121_a_setting_of_the_role_changes_nothing(database: Database, setting: str) -> None:
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute(f"alter role lithify_worker in database {database.name} set {setting}".encode())
    await is_read(database)


@pytest.mark.parametrize(
    "environment",
    [
        {"PGCLIENTENCODING": "latin1"},
        {"PGDATESTYLE": "SQL"},
        {"PGTZ": "Asia/Tokyo"},
        {"PGOPTIONS": "-c datestyle=Postgres -c extra_float_digits=-5"},
    ],
)
async def test_c121_a_variable_of_the_environment_changes_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch, environment: Mapping[str, str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    await is_read(database)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_c121_a_database_that_cannot_hold_every_text_is_refused(postgres: Cluster, encoding: str) -> None:
    name = f"encoded_{encoding.lower()}"
    with psycopg.connect(postgres.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        statement = (
            "create database {} encoding {} locale_provider libc locale 'C' template template0 owner lithify_owner"
        )
        connection.execute(sql.SQL(statement).format(sql.Identifier(name), sql.Literal(encoding)))
    with pytest.raises(MigrationError, match=encoding):
        migrate(postgres.url("lithify_owner", name))


async def test_c121_a_right_that_is_missing_is_waited_for(pipeline: Pipeline) -> None:
    pipeline.publish(turn(1, "2026-03-01 10:00", "I am vegetarian."))
    pipeline.rows("revoke insert on turns from lithify_worker")
    with pytest.raises(Transient, match="permission denied"):
        await pipeline.run()
    pipeline.rows("grant insert on turns to lithify_worker")
    await pipeline.run()
    assert pipeline.bodies(Topic.DEAD_LETTERS, "dead_letter") == []
    assert pipeline.rows("select outcome from turns") == [{"outcome": "stored"}]


async def test_a_row_that_is_out_of_scope_is_the_fault_of_what_writes_it(pipeline: Pipeline) -> None:
    async with unit_of_work(pipeline.pool, pipeline.settings, "importance", {"mine"}) as unit:
        rows = [{"tenant": "t", "subject_key": "another's", "user_id": "u"}]
        with pytest.raises(psycopg.errors.InsufficientPrivilege) as caught:
            await unit.fetch("delivery.register_subjects", rows=rows)
    failure = classify(caught.value)
    assert isinstance(failure, Poison)
    assert failure.cause is Cause.UNEXPECTED


async def test_c121_a_session_that_the_server_ended_is_no_fault_of_the_batch(pipeline: Pipeline) -> None:
    worker = pipeline.workers[0]
    handle, idle = worker.handle, True

    async def slow(unit: object, batch: object) -> object:
        if idle:
            await unit._connection.execute("set local idle_in_transaction_session_timeout = '200ms'")  # type: ignore[attr-defined]
            await asyncio.sleep(1.0)
        return await handle(unit, batch)  # type: ignore[arg-type]

    worker.handle = slow  # type: ignore[method-assign,assignment]
    pipeline.publish(turn(1, "2026-03-01 10:00", "I am vegetarian."))
    for _ in range(3):
        with pytest.raises(Transient):
            await pipeline.run()
    idle = False
    await pipeline.run()
    assert pipeline.bodies(Topic.DEAD_LETTERS, "dead_letter") == []
    assert pipeline.rows("select outcome from turns") == [{"outcome": "stored"}]


async def test_c121_a_type_that_changes_under_prepared_statements_is_waited_for(pipeline: Pipeline) -> None:
    for number in range(12):
        pipeline.publish(turn(number, f"2026-03-01 10:{number:02}", "I am vegetarian."))
        await pipeline.run()
    pipeline.rows("alter table subjects alter epoch type bigint")
    pipeline.publish(turn(20, "2026-03-01 10:30", "I am vegan now."))
    for _ in range(20):
        try:
            await pipeline.run()
        except Transient:
            continue
        break
    assert pipeline.bodies(Topic.DEAD_LETTERS, "dead_letter") == []
    assert pipeline.rows("select outcome from turns where turn_id = 't20'") == [{"outcome": "stored"}]
