"""Extraction killed in the middle of a call: the call is made once more, no turn is lost, nobody waited."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.replay import publish
from ops.local.stack import Stack
from pipelines.settings import load_settings
from tests.support.memory import MemoryProbe
from tests.support.model_pipeline import said
from tests.support.processes import PATIENCE, eventually
from tests.support.stub_openai import Bad, Stub, stub_openai

VEGGIE = "After a year of doubts I have ended up basically veggie."


@pytest.fixture
def stub() -> Iterator[Stub]:
    with stub_openai() as server:
        yield server


def test_a_kill_repeats_one_call_and_loses_no_turn(tmp_path: Path, environment: dict[str, str], stub: Stub) -> None:
    model = {"URL": stub.url, "NAME": "stub", "WAIT_SECONDS": "0", "MIN_IMPORTANCE": "1", "TIMEOUT_SECONDS": "600"}
    changed = environment | {f"LITHIFY_MODEL_{key}": value for key, value in model.items()}
    stub.coming.append(Bad.HANG)
    with Stack(tmp_path, environment=changed | {"LITHIFY_EMBEDDER": "none"}, fsync=False) as stack:
        settings, probe = load_settings(stack.settings_env | {"LITHIFY_EMBEDDER": "none"}), MemoryProbe.of(stack)

        def outcome(turn_id: str) -> str:
            rows = probe.rows(f"select outcome from turns where turn_id = '{turn_id}'")
            return str(rows[0]["outcome"]) if rows else ""

        publish([said(VEGGIE)], settings, 10.0)
        assert stub.arrived.wait(PATIENCE)
        publish([said("I live in Utrecht.", "t2")], settings, 10.0)
        assert eventually(lambda: outcome("t2") == "stored"), "the partition does not wait for the model"
        assert outcome("t1") == "accepted"
        stack.kill("extraction")
        probe.rows("update model_queue set due_at = clock_timestamp() returning 1")  # the lease is over
        assert eventually(lambda: outcome("t1") == "stored")
        assert [len(texts) for texts in stub.turns_asked()] == [1, 1]
        assert probe.rows("select outcome from model_calls") == [{"outcome": "ok"}]
        assert probe.rows("select 1 from model_queue") == []
        assert probe.rows("select value from facts where sys_to is null order by value") == [
            {"value": "utrecht"},
            {"value": "vegetarian"},
        ]
