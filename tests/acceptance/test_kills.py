"""Each worker killed once, mid-run: what is believed in the end is what an undisturbed run believes."""

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.locomo import SYNTHETIC, load_dialogues
from benchmarks.replay import publish, replay
from benchmarks.results import WORKERS
from lithify.events import Turn
from ops.local.stack import Stack
from pipelines.settings import load_settings
from tests.support.brokers import own_topics
from tests.support.memory import MemoryProbe, Rows
from tests.support.processes import eventually

COPIES = 12
RATE = 60.0
"""Turns a second: slow enough for a worker to be in the middle of them when it is killed."""


@pytest.fixture(scope="module")
def turns() -> list[Turn]:
    dialogues = load_dialogues(SYNTHETIC)
    return [turn for copy in range(COPIES) for dialogue in dialogues for turn in dialogue.turns(f"-{copy}")]


@pytest.fixture(scope="module")
def shared(environment: dict[str, str]) -> dict[str, str]:
    """Both stacks pseudonymise alike, so that their ids compare."""
    return environment | {"LITHIFY_PSEUDONYM_KEY": "the same for both stacks"}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, shared: dict[str, str], turns: list[Turn]) -> Rows:
    with _stack(tmp_path_factory.mktemp("undisturbed"), shared) as stack:
        replay(turns, load_settings(stack.settings_env))
        return MemoryProbe.of(stack).folded()


@contextmanager
def _stack(folder: Path, environment: dict[str, str]) -> Iterator[Stack]:
    with Stack(folder, environment=own_topics(environment), fsync=False) as stack:
        yield stack


def test_the_same_facts_after_each_worker_was_killed(
    tmp_path: Path, shared: dict[str, str], turns: list[Turn], undisturbed: Rows
) -> None:
    with _stack(tmp_path, shared) as stack:
        probe, size = MemoryProbe.of(stack), math.ceil(len(turns) / len(WORKERS))
        portions = [turns[start : start + size] for start in range(0, len(turns), size)]
        killed = [_kill_midway(stack, probe, *each) for each in zip(WORKERS, portions, strict=True)]
        assert eventually(lambda: all(_applied(probe, worker) == len(turns) for worker in WORKERS))
        stack.wait_up(*WORKERS)
        assert all(stack.pid(worker) != pid for worker, pid in zip(WORKERS, killed, strict=True))
        ids = sorted(turn.id for turn in turns)
        assert probe.inbox() == dict.fromkeys(WORKERS, ids)
        disturbed = probe.folded()
    assert {table: len(rows) for table, rows in undisturbed.items() if rows}.keys() == {
        "facts",
        "overrides",
        "verdicts",
    }
    assert disturbed == undisturbed


def _kill_midway(stack: Stack, probe: MemoryProbe, worker: str, turns: Sequence[Turn]) -> int:
    """Publish these turns, the last one after the worker that had begun with them was killed; returns its old id."""
    settings, begun = load_settings(stack.settings_env), _applied(probe, worker)
    publishing = threading.Thread(target=publish, args=(turns[:-1], settings, RATE))
    publishing.start()
    assert eventually(lambda: _applied(probe, worker) > begun)
    pid = stack.pid(worker)
    stack.kill(worker)
    publishing.join()
    publish(turns[-1:], settings)
    return pid


def _applied(probe: MemoryProbe, worker: str) -> int:
    query = f"select count(*) as n from inbox where worker = '{worker}' and event_id in (select turn_id from turns)"
    return int(probe.rows(query)[0]["n"])
