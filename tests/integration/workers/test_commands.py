"""The operators' commands, as processes: what they do, what they say, and with which exit state."""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from tests.support.pipeline import KEYS
from tests.support.servers import Database

ROOT = Path(__file__).parents[3]
UNREACHABLE = 3


def workers(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LITHIFY_")}
    settings = {f"LITHIFY_{key.upper()}": value for key, value in environment.items()}
    return subprocess.run(
        [sys.executable, "-m", "workers", *arguments],
        cwd=ROOT,
        env=clean | settings,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def environment(database: Database, broker: str = "127.0.0.1:1") -> dict[str, str]:
    return {
        "kafka_bootstrap": broker,
        "topic_prefix": f"commands-{uuid.uuid4().hex[:8]}",
        "database_url": database.worker_url,
        "owner_database_url": database.owner_url,
        "pseudonym_key": KEYS["LITHIFY_PSEUDONYM_KEY"],
        "dead_letter_key": KEYS["LITHIFY_DEAD_LETTER_KEY"],
        "embedder": "none",
        "pool_timeout_seconds": "60",
    }


@pytest.mark.parametrize("command", [["run", "importance"], ["gateway"], ["migrate"], ["topics", "apply"], ["reflect"]])
def test_bad_settings_stop_every_command(command: list[str]) -> None:
    done = workers(*command, partitions="many")
    assert done.returncode == 2
    assert "LITHIFY_KAFKA_BOOTSTRAP = (not set): Field required" in done.stderr
    assert "LITHIFY_PARTITIONS = 'many': Input should be a valid integer" in done.stderr
    assert "Traceback" not in done.stderr


def test_migrate_says_what_it_did(database: Database) -> None:
    done = workers("migrate", **environment(database))
    assert (done.returncode, done.stdout) == (0, "the schema is up to date\n")


def test_migrate_needs_the_owner(database: Database) -> None:
    settings = environment(database)
    del settings["owner_database_url"]
    done = workers("migrate", **settings)
    assert done.returncode == 2
    assert "LITHIFY_OWNER_DATABASE_URL = (not set)" in done.stderr


def topics(command: str, settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Again while the broker is held up by other work."""
    done = workers("topics", command, **settings)
    while done.returncode == UNREACHABLE:
        done = workers("topics", command, **settings)
    return done


def test_topics_are_missing_then_created_then_there(database: Database, broker: str) -> None:
    settings = environment(database, broker)
    missing = topics("check", settings)
    assert missing.returncode == 1
    assert missing.stdout.startswith("missing: ")
    assert topics("apply", settings).stdout.startswith("created: ")
    assert topics("apply", settings).stdout == "all topics are there\n"
    assert topics("check", settings).returncode == 0


def test_without_a_broker_topics_fail_with_a_reason(database: Database) -> None:
    done = workers("topics", "check", **environment(database))
    assert done.returncode == UNREACHABLE
    assert "topics: broker: " in done.stderr
    assert "Traceback" not in done.stderr


def test_reflect_prints_what_it_did(database: Database) -> None:
    done = workers("reflect", "--as-of", "2026-03-04T00:00:00+08:00", "--json", **environment(database))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "as_of": "2026-03-04T00:00:00+08:00",
        "slots": 0,
        "changed": 0,
        "resumed": False,
        "pruned": 0,
        "destroyed": 0,
        "checked": 0,
        "mismatches": 0,
    }


@pytest.mark.parametrize(("text", "reason"), [("soon", "expected ISO 8601"), ("2026-03-04", "expected an offset")])
def test_reflect_refuses_an_instant_it_cannot_read(database: Database, text: str, reason: str) -> None:
    done = workers("reflect", "--as-of", text, **environment(database))
    assert done.returncode == 2
    assert reason in done.stderr


def test_an_unknown_worker_is_named_with_those_there_are(database: Database) -> None:
    done = workers("run", "dream", **environment(database))
    assert done.returncode == 2
    assert "no worker 'dream'; there are importance, extraction, conflict, reflection" in done.stderr
