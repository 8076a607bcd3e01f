"""What the exporter counts in the database is what is there, and what it cannot read is absent."""

import math
from collections.abc import Iterator

import psycopg
import pytest

from pipelines import metrics
from pipelines.metrics import Measured
from pipelines.observe.census import Census
from pipelines.observe.exporter import ClusterCollector
from pipelines.store.pool import make_pool
from pipelines.topics import WORKER_SOURCES
from tests.integration.pipeline.test_nightly import nightly, reflector
from tests.integration.pipeline.test_processor import breaking
from tests.integration.pipeline.test_stages import DAYS
from tests.support.pipeline import Pipeline, at, settings_for
from tests.support.servers import Database
from workers.reflection.nightly import ask_oracle

Counted = dict[tuple[str, tuple[str, ...]], float]


@pytest.fixture
def census(pipeline: Pipeline) -> Iterator[Census]:
    made = Census(pipeline.settings)
    yield made
    made.close()


def counted(census: Census) -> Counted:
    return {(measured.name, labels): value for measured, labels, value in census.read()}


def one(found: Counted, measured: Measured, *labels: str) -> float:
    return found[measured.name, labels]


def test_an_empty_database_has_zeros_where_it_is_known_to_hold_nothing(census: Census) -> None:
    found = counted(census)
    for worker in WORKER_SOURCES:
        assert one(found, metrics.OUTBOX_EVENTS, worker) == one(found, metrics.OUTBOX_AGE_SECONDS, worker) == 0
        assert one(found, metrics.PARKED_EVENTS, worker) == one(found, metrics.PARKED_OVERDUE_SECONDS, worker) == 0
    for measured in (metrics.OPEN_TURNS, metrics.OVERRIDES_ALIVE, metrics.CONTENDERS_ALIVE, metrics.CONTENDERS_NEAR):
        assert one(found, measured) == 0
    assert (metrics.ORACLE_MISMATCHES.name, ()) not in found, "no run has told yet: unknown, not 0"
    assert one(found, metrics.REFLECTION_AGE_SECONDS) >= 0, "a run that never was is missed some time too"


async def test_the_outbox_and_open_turns_are_counted_with_their_age(pipeline: Pipeline, census: Census) -> None:
    pipeline.publish(*DAYS)
    worker = pipeline.workers[0]
    await pipeline.processor(worker).process(pipeline.log["lithify-turns"])
    pipeline.rows("update outbox set created_at = created_at - interval '90 s' where id = (select min(id) from outbox)")
    found = counted(census)
    assert one(found, metrics.OUTBOX_EVENTS, "importance") == one(found, metrics.OPEN_TURNS) == len(DAYS)
    assert 90 <= one(found, metrics.OUTBOX_AGE_SECONDS, "importance") < 150
    await pipeline.run()
    assert one(counted(census), metrics.OPEN_TURNS) == 0


async def test_overrides_and_contenders_are_counted_while_they_live(pipeline: Pipeline, census: Census) -> None:
    pipeline.publish(*DAYS)
    await pipeline.run()
    assert one(counted(census), metrics.OVERRIDES_ALIVE) == 0, "the only one has lapsed"
    pipeline.rows("update overrides set ends_at = clock_timestamp() + interval '1 hour' where sys_to is null")
    contenders = '[{"posterior": 0.7, "threshold": 0.85}, {"posterior": 0.3, "threshold": 0.85}]'
    pipeline.rows(f"update slots set contenders = '{contenders}' where attribute = 'diet'")
    found = counted(census)
    assert one(found, metrics.OVERRIDES_ALIVE) == 1
    assert one(found, metrics.CONTENDERS_NEAR) == 1
    others = pipeline.rows("select sum(jsonb_array_length(contenders)) as n from slots where attribute <> 'diet'")
    assert one(found, metrics.CONTENDERS_ALIVE) == 2 + others[0]["n"]


async def test_the_nightly_run_is_told_with_what_its_oracle_found(pipeline: Pipeline, census: Census) -> None:
    pipeline.publish(*DAYS)
    await pipeline.run()
    assert one(counted(census), metrics.REFLECTION_DUE_SLOTS) > 0
    pipeline.settings = pipeline.settings.model_copy(update={"oracle_percent": 100.0})
    run = await nightly(pipeline, at("2027-01-01 00:00"))
    found = counted(census)
    assert run.slots > 0
    assert one(found, metrics.REFLECTION_RUN_SLOTS) == run.slots
    assert one(found, metrics.REFLECTION_DUE_SLOTS) == 0
    assert one(found, metrics.ORACLE_CHECKED) == run.checked > 0
    assert one(found, metrics.ORACLE_MISMATCHES) == 0
    pipeline.rows("update facts set value = 'changed by hand' where attribute = 'home' and sys_to is null")
    await nightly(pipeline, at("2027-01-02 00:00"))
    assert one(counted(census), metrics.ORACLE_MISMATCHES) == 1


def test_a_database_that_is_away_leaves_its_series_out(database: Database) -> None:
    settings = settings_for(database, database_url="postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(psycopg.OperationalError):
        Census(settings).read()
    collector = ClusterCollector(settings)
    families = {family.name: family.samples for family in collector.collect()}
    collector.close()
    up = {sample.labels["source"]: sample.value for sample in families[metrics.EXPORTER_UP.name]}
    assert up == {"database": 0.0, "kafka": 0.0}
    assert {sample.value for sample in families[metrics.LAG_KNOWN.name]} == {0.0}
    told = {name for name, samples in families.items() if samples}
    assert told == {metrics.EXPORTER_UP.name, metrics.LAG_KNOWN.name}


async def test_c120_a_pool_tells_who_waits_and_that_all_is_given_back(database: Database) -> None:
    pool = make_pool(settings_for(database, pool_size="2"), "c120")
    await pool.open(wait=True)
    async with pool.connection(), pool.connection():
        assert (use("limit"), use("size"), use("in_use")) == (2, 2, 2)
    assert (use("in_use"), use("waiting")) == (0, 0)
    await pool.close()
    assert math.isnan(use("limit")), "a closed pool is not told of"


def use(what: str) -> float:
    value = metrics.REGISTRY.get_sample_value(f"lithify_pool_{what}", {"pool": "c120"})
    return math.nan if value is None else value


def claims() -> float:
    return sum(
        sample.value for sample in next(iter(metrics.CLAIMS.collect())).samples if sample.name.endswith("_total")
    )


async def test_what_was_not_committed_is_not_counted(pipeline: Pipeline) -> None:
    breaking(pipeline, "t7", lambda: RuntimeError("a defect"), stage=2)
    before = claims()
    pipeline.publish(*DAYS)
    await pipeline.run()
    stored = pipeline.rows("select count(*) as n from claims")[0]["n"]
    assert claims() - before == stored > 0, "the batch was tried as a whole, then event by event"


async def test_what_the_oracle_compares_is_not_counted(pipeline: Pipeline) -> None:
    pipeline.publish(*DAYS)
    await pipeline.run()
    pipeline.rows("delete from verdicts")
    before = sum(sample.value for sample in next(iter(metrics.VERDICTS.collect())).samples)
    pipeline.settings = pipeline.settings.model_copy(update={"oracle_percent": 100.0})
    await ask_oracle(pipeline.settings, pipeline.pool, reflector(pipeline), at("2027-01-01 00:00"))
    assert sum(sample.value for sample in next(iter(metrics.VERDICTS.collect())).samples) == before
