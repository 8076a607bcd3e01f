"""A backup made while turns flow, put back, and what came since replayed: the facts of a run never interrupted."""

import json
import threading
from collections import deque
from pathlib import Path
from typing import Any

import psycopg
import pytest

from benchmarks.locomo import SYNTHETIC, load_dialogues
from benchmarks.replay import publish, replay
from benchmarks.results import WORKERS
from lithify.events import Turn
from ops.local.stack import Stack
from pipelines.settings import load_settings
from tests.support.invoking import invoke
from tests.support.memory import MemoryProbe
from tests.support.processes import PATIENCE, eventually

PAUSE = 0.05
"""Between two turns while the backup is made, in seconds: all stages have something under way."""
PROCESSES = (*WORKERS, "gateway")


@pytest.fixture(scope="module")
def environment(environment: dict[str, str]) -> dict[str, str]:
    """Sessions end soon, for their episodes to be compared too."""
    return environment | {"LITHIFY_SESSION_QUIET_SECONDS": "1", "LITHIFY_EMBEDDER": "none"}


@pytest.fixture(scope="module")
def turns() -> list[Turn]:
    return [turn for copy in range(6) for dialogue in load_dialogues(SYNTHETIC) for turn in dialogue.turns(f"-{copy}")]


@pytest.fixture(scope="module")
def backup(stack: Stack, probe: MemoryProbe, tmp_path_factory: pytest.TempPathFactory, turns: list[Turn]) -> Path:
    """Made in the middle of a run; the run goes on to its end."""
    folder = tmp_path_factory.mktemp("backups") / "monday"
    settings = load_settings(stack.settings_env)
    first, rest = turns[: len(turns) // 4], deque(turns[len(turns) // 4 :])
    replay(first, settings)
    made = threading.Event()

    def flow() -> None:
        while len(rest) > len(turns) // 4 and not made.is_set():
            publish([rest.popleft()], settings)
            made.wait(PAUSE)

    flowing = threading.Thread(target=flow)
    flowing.start()
    assert eventually(lambda: len(probe.turns()) > len(first)), "the flow does not reach the database"
    done = invoke(stack.settings_env, "backup", str(folder), "--json")
    made.set()
    flowing.join(PATIENCE)
    assert done.exit_code == 0, done.stderr
    assert len(first) < json.loads(done.stdout)["rows"]["turns"] < len(turns), "nothing was under way"
    replay(turns, settings)
    return folder


@pytest.fixture(scope="module")
def uninterrupted(stack: Stack, probe: MemoryProbe, backup: Path) -> dict[str, Any]:  # noqa: ARG001
    """What is believed in the end."""
    return _settled(probe)


def _settled(probe: MemoryProbe) -> dict[str, Any]:
    """What is believed once every session has ended and every turn has been reflected."""

    def quiet() -> bool:
        row = probe.rows(
            "select (select count(*) from turns where reflected_at is null) as turns,"
            " (select count(*) from outbox) as outbox,"
            " (select count(*) from sessions where end_sent_for is distinct from last_turn_id) as sessions,"
            " (select count(*) from sessions) - (select count(*) from episodes) as episodes"
        )[0]
        return set(row.values()) == {0}

    assert eventually(quiet)
    episodes = probe.rows("select episode_id, ended_at, summary, turn_ids from episodes order by episode_id")
    ended = probe.rows("select turn_id, outcome, stored, decided::text as decided from turns order by turn_id")
    return {"believed": probe.folded(), "episodes": episodes, "turns": ended}


def _stop(stack: Stack, probe: MemoryProbe) -> None:
    for name in PROCESSES:
        stack.kill(name, hold=True)
    gone = "select count(*) as n from pg_stat_activity where usename in ('lithify_worker', 'lithify_gateway')"
    assert eventually(lambda: probe.rows(gone)[0]["n"] == 0)


def _start(stack: Stack) -> None:
    for name in PROCESSES:
        stack.restart(name)


def test_a_restore_is_refused_while_workers_run(stack: Stack, backup: Path) -> None:
    done = invoke(stack.settings_env, "restore", str(backup), "--force")
    assert done.exit_code == 4
    assert "stop them first" in done.stderr


def test_what_came_after_the_backup_comes_again(
    stack: Stack, probe: MemoryProbe, backup: Path, uninterrupted: dict[str, Any]
) -> None:
    versions = probe.rows("select slot_id, version from slots order by slot_id")
    _stop(stack, probe)
    refused = invoke(stack.settings_env, "restore", str(backup))
    assert refused.exit_code == 4
    assert "--force" in refused.stderr
    done = invoke(stack.settings_env, "restore", str(backup), "--force", "--json")
    assert done.exit_code == 0, done.stderr
    replayed = json.loads(done.stdout)["replayed"]
    assert replayed["events"] > replayed["known"] > 0
    _start(stack)
    again = _settled(probe)
    assert again["believed"] == uninterrupted["believed"]
    assert again["episodes"] == uninterrupted["episodes"]
    assert [row["turn_id"] for row in again["turns"]] == [row["turn_id"] for row in uninterrupted["turns"]]
    assert {row["outcome"] for row in again["turns"]} == {row["outcome"] for row in uninterrupted["turns"]}
    after = {row["slot_id"]: row["version"] for row in probe.rows("select slot_id, version from slots")}
    assert all(after[row["slot_id"]] > row["version"] for row in versions), "consumers of facts would ignore it"


def test_an_emptied_database_is_filled_again_from_the_topic(
    stack: Stack, probe: MemoryProbe, uninterrupted: dict[str, Any]
) -> None:
    _stop(stack, probe)
    with psycopg.connect(probe.url, autocommit=True) as connection:
        names = connection.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
        kept = {"schema_migrations"}
        connection.execute(f"truncate {', '.join(name for (name,) in names if name not in kept)}".encode())
    _start(stack)
    done = invoke(stack.settings_env, "replay", "--from", "earliest", "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["known"] < told["events"], "some turns are on the topic twice"
    again = _settled(probe)
    assert again["believed"] == uninterrupted["believed"] == probe.refolded()
    assert again["episodes"] == uninterrupted["episodes"]


def test_a_replay_of_what_was_applied_changes_nothing(
    stack: Stack, probe: MemoryProbe, uninterrupted: dict[str, Any]
) -> None:
    done = invoke(stack.settings_env, "replay", "--from", "earliest", "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["known"] == told["events"] > 0
    assert _settled(probe)["believed"] == uninterrupted["believed"]
