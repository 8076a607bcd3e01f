"""A bad setting stops the start of every process, with its key, its value and the reason."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.brokers import WITHOUT_BROKER
from tests.support.pipeline import KEYS

pytestmark = WITHOUT_BROKER
ROOT = Path(__file__).parents[2]
GOOD = {
    **KEYS,
    "LITHIFY_KAFKA_BOOTSTRAP": "127.0.0.1:1",
    "LITHIFY_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
    "PYTHONPATH": str(ROOT),
}
WRONG_USAGE = 2
BAD = [
    ("LITHIFY_PARTITIONS", "0", "greater than or equal to 1"),
    ("LITHIFY_PARTITIONS", "many", "valid integer"),
    ("LITHIFY_BATCH_SIZE", "5000", "less than or equal to 500"),
    ("LITHIFY_TOPIC_PREFIX", "my.topics", "should match pattern"),
    ("LITHIFY_LOG_LEVEL", "LOUD", "should match pattern"),
    ("LITHIFY_KAFKA_BOOTSTRAP", None, "required"),
    ("LITHIFY_DATABASE_URL", None, "required"),
    ("LITHIFY_GATEWAY_HOST", "0.0.0.0", "not loopback"),  # noqa: S104 - it must be refused
]
COMMANDS = [["run", "importance"], ["gateway"], ["migrate"], ["topics", "apply"], ["reflect"]]


def _start(command: list[str], changed: dict[str, str | None]) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in (GOOD | changed).items() if value is not None}
    return subprocess.run(
        [sys.executable, "-m", "workers", *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(("key", "value", "reason"), BAD)
def test_a_bad_setting_is_named_with_value_and_reason(key: str, value: str | None, reason: str) -> None:
    run = _start(["run", "importance"], {key: value})
    assert run.returncode == WRONG_USAGE
    assert run.stderr.startswith("bad settings:\n")
    line = next(line for line in run.stderr.splitlines() if key in line or reason in line)
    assert reason in line
    assert (value or "(not set)") in line
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_refuses_it(command: list[str]) -> None:
    run = _start(command, {"LITHIFY_POOL_SIZE": "1"})
    assert run.returncode == WRONG_USAGE
    assert "LITHIFY_POOL_SIZE = '1': " in run.stderr


def test_every_fault_is_told_at_once() -> None:
    run = _start(["run", "conflict"], {"LITHIFY_POOL_SIZE": "1", "LITHIFY_BATCH_SIZE": "0"})
    assert {"LITHIFY_POOL_SIZE", "LITHIFY_BATCH_SIZE"} <= {line.split()[0] for line in run.stderr.splitlines()[1:]}


def test_a_secret_is_never_shown() -> None:
    run = _start(["run", "importance"], {"LITHIFY_DEAD_LETTER_KEY": "hunter2", "LITHIFY_PSEUDONYM_KEY": "short"})
    assert run.returncode == WRONG_USAGE
    assert "LITHIFY_DEAD_LETTER_KEY = ***: expected a Fernet key" in run.stderr
    assert "hunter2" not in run.stderr + run.stdout
    assert "short" not in run.stderr + run.stdout


def test_an_unknown_worker_is_refused() -> None:
    run = _start(["run", "oracle"], {})
    assert run.returncode == WRONG_USAGE
    assert "no worker 'oracle'" in run.stderr
