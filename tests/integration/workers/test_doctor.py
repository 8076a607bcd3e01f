"""`doctor` finds what is wrong, and says how to mend it."""

import json
import uuid
from collections.abc import Mapping

import psycopg
import pytest
from confluent_kafka import Producer

from ops.local.postgres import SUPERUSER, Cluster
from pipelines.identity import subject_key
from pipelines.settings import load_settings
from pipelines.store.unit_of_work import unit_of_work
from tests.support.invoking import invoke
from tests.support.pipeline import KEYS, open_pool
from tests.support.processes import PATIENCE
from tests.support.servers import Database

Found = dict[str, list[dict[str, str]]]
UNREACHABLE = 3


@pytest.fixture
def healthy(database: Database, broker: str) -> dict[str, str]:
    """Settings with which all is well, and the topics made."""
    settings = {
        **KEYS,
        "LITHIFY_KAFKA_BOOTSTRAP": broker,
        "LITHIFY_TOPIC_PREFIX": f"doctor-{uuid.uuid4().hex[:8]}",
        "LITHIFY_DATABASE_URL": database.worker_url,
        "LITHIFY_OWNER_DATABASE_URL": database.owner_url,
        "LITHIFY_EMBEDDER": "none",
    }
    assert invoke(settings, "topics", "apply").exit_code == 0
    return settings


def examine(settings: Mapping[str, str], *options: str, state: int) -> Found:
    """What `doctor` finds, by check; fails if it ends with another exit state."""
    done = invoke(settings, "doctor", "--json", *options)
    while state != UNREACHABLE and '"unreachable"' in done.stdout:
        done = invoke(settings, "doctor", "--json", *options)  # a server is held up by other work; it comes back
    assert done.exit_code == state, done.output
    told = json.loads(done.stdout)
    assert told["ok"] is (state == 0)
    found: Found = {}
    for item in told["findings"]:
        assert item["remedy"] or item["status"] == "ok", item
        found.setdefault(item["check"], []).append(item)
    return found


def bad(found: Found, status: str = "fail") -> dict[str, str]:
    """Checks that found something so bad, with what and what to do."""
    return {
        name: f"{item['detail']} -> {item['remedy']}"
        for name, items in found.items()
        for item in items
        if item["status"] == status
    }


def test_a_healthy_deployment_has_nothing_to_mend(healthy: dict[str, str]) -> None:
    found = examine(healthy, state=0)
    assert bad(found) == bad(found, "unreachable") == {}
    assert {"database role", "row-level security", "topics", "brokers", "policy", "schemas", "dead letters"} <= set(
        found
    )
    assert {"database clock", "broker clock"} <= set(found)
    warned = {name for name in bad(found, "warn") if not name.startswith("group ")}
    assert warned <= {"pg_dump"}, "nothing but workers that do not run, and programs this machine may lack"
    assert examine(healthy, "--strict", state=1)


def test_a_superuser_is_no_worker(healthy: dict[str, str], database: Database) -> None:
    found = examine(healthy | {"LITHIFY_DATABASE_URL": database.superuser_url}, state=1)
    assert "bypasses row-level security" in bad(found)["database role"]
    assert "lithify_worker" in bad(found)["database role"]


def test_c119_a_database_without_extension_and_schema_is_named_with_its_remedy(
    healthy: dict[str, str], postgres: Cluster
) -> None:
    name = f"bare_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(postgres.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        connection.execute(f"create database {name} owner lithify_owner template template0".encode())
    bare = healthy | {
        "LITHIFY_DATABASE_URL": postgres.url("lithify_worker", name),
        "LITHIFY_OWNER_DATABASE_URL": postgres.url("lithify_owner", name),
    }
    found = bad(examine(bare, state=1))
    assert "create extension vector" in found["database extension"]
    assert "python -m workers migrate" in found["database schema"]
    assert "0001_initial" in found["database migrations"]
    migrated = invoke(bare, "migrate")
    assert migrated.exit_code == 4
    assert "create extension vector" in migrated.stderr
    with psycopg.connect(postgres.url(SUPERUSER, name), autocommit=True) as connection:
        connection.execute("create extension vector")
    assert invoke(bare, "migrate", "--dry-run").exit_code == 1
    assert invoke(bare, "migrate").exit_code == 0
    assert invoke(bare, "migrate", "--dry-run").exit_code == 0
    assert bad(examine(bare, state=0)) == {}


async def test_the_key_of_another_database_is_noticed(healthy: dict[str, str]) -> None:
    settings = load_settings(healthy)
    pool = await open_pool(settings)
    key = subject_key(settings.pseudonym_key, "default", "ana")
    async with unit_of_work(pool, settings, "importance", {key}) as unit:
        await unit.lock({("default", key): "ana"})
    await pool.close()
    assert bad(examine(healthy, state=0)) == {}
    found = examine(healthy | {"LITHIFY_PSEUDONYM_KEY": "quite another key"}, state=1)
    assert "is not the one" in bad(found)["pseudonym key"]


def test_work_that_nobody_takes_up_is_noticed(healthy: dict[str, str], database: Database) -> None:
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute(
            "insert into outbox (lane, topic, key, value, subject_key, created_at)"
            " values ('conflict', 't', 'k', '{}', '-', now() - interval '1 hour')"
        )
        connection.execute(
            "insert into deferred (worker, tenant, event_id, subject_key, due_at, attempts, reason, topic, key, value)"
            " values ('extraction', 't', 'e', '-', now() - interval '1 hour', 1, 'r', 't', 'k', '{}')"
        )
    found = bad(examine(healthy, state=0), "warn")
    assert "1 rows of conflict" in found["outbox"]
    assert "1 of extraction" in found["parked work"]


def test_missing_topics_and_other_partitions_are_told(healthy: dict[str, str]) -> None:
    other = examine(healthy | {"LITHIFY_TOPIC_PREFIX": "nowhere"}, state=1)
    assert "python -m workers topics apply" in bad(other)["topics"]
    more = examine(healthy | {"LITHIFY_PARTITIONS": "7"}, state=0)
    assert "4 partitions, the settings say 7" in bad(more, "warn")["topics"]


def test_a_producer_with_another_partitioner_is_noticed(healthy: dict[str, str]) -> None:
    producer = Producer({"bootstrap.servers": healthy["LITHIFY_KAFKA_BOOTSTRAP"]})
    for number in range(4):
        producer.produce(f"{healthy['LITHIFY_TOPIC_PREFIX']}-turns", b"{}", b"default/ana", partition=number)
    assert producer.flush(PATIENCE) == 0
    assert "murmur2_random" in bad(examine(healthy, state=0), "warn")["partitioner"]


def test_servers_that_are_down_are_unreachable_and_the_rest_is_still_checked(healthy: dict[str, str]) -> None:
    down = {"LITHIFY_KAFKA_BOOTSTRAP": "127.0.0.1:1", "LITHIFY_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
    found = examine(healthy | down, state=UNREACHABLE)
    assert {"broker", "database"} <= set(bad(found, "unreachable"))
    assert found["policy"][0]["status"] == "ok"


def test_files_that_cannot_be_used_are_named(healthy: dict[str, str]) -> None:
    found = bad(examine(healthy | {"LITHIFY_POLICY_PATH": "/nowhere.toml", "LITHIFY_EMBEDDER": "none"}, state=1))
    assert "/nowhere.toml" in found["policy"]


def test_a_model_that_does_not_answer_is_a_warning(healthy: dict[str, str]) -> None:
    model = {"LITHIFY_MODEL_URL": "http://127.0.0.1:1/v1", "LITHIFY_MODEL_NAME": "small"}
    assert "127.0.0.1:1" in bad(examine(healthy | model, state=0), "warn")["model"]


def test_bad_settings_end_it(healthy: dict[str, str]) -> None:
    done = invoke(healthy | {"LITHIFY_PARTITIONS": "many"}, "doctor")
    assert done.exit_code == 2
    assert "LITHIFY_PARTITIONS" in done.stderr
