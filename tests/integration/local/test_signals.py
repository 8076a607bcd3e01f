"""`python -m ops.local` as a process: what it prints, and what is left when it ends in any way."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ops.local.stack import WORKERS
from tests.support.processes import PATIENCE, eventually, processes_of


class Up:
    """A running `python -m ops.local up` without workers."""

    def __init__(self, folder: Path) -> None:
        self.data_dir = folder / "data"
        self.places = {name: folder / name for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME")}
        for place in self.places.values():
            place.mkdir(exist_ok=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LITHIFY_")}
        self.environment = environment | {name: str(place) for name, place in self.places.items()}
        self.errors = folder / "stderr"
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                self.command("up", "--without", ",".join(WORKERS)),
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "ops.local", *words, "--data-dir", str(self.data_dir)]

    def settings(self) -> dict[str, str]:
        """Wait until it is up; returns what it printed."""
        assert eventually(lambda: "all parts are up" in self.errors.read_text()), self.errors.read_text()
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline()]
        while not lines[-1].startswith("export LITHIFY_SESSION_TIMEOUT_SECONDS"):
            lines.append(self.process.stdout.readline())
        return dict(shlex.split(line)[1].split("=", 1) for line in lines)

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def left_outside(self) -> set[Path]:
        """What lies in the places that programs like to write to, those shared with other programs by name."""
        shared = (("/tmp", "pixeltable*"), ("/tmp", ".s.PGSQL*"), ("/dev/shm", "PostgreSQL*"))  # noqa: S108
        found = {path for place in self.places.values() for path in place.rglob("*")}
        return found | {path for place, pattern in shared for path in Path(place).glob(pattern)}


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    running = Up(tmp_path)
    yield running
    if running.process.poll() is None:
        running.process.kill()
        running.process.wait()
    assert running.process.stdout is not None
    running.process.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything_in_order(up: Up, number: int) -> None:
    up.settings()
    assert len(processes_of(up.data_dir)) > 2
    before = up.left_outside()
    assert up.end(number) == 0
    assert processes_of(up.data_dir) == {}
    assert not (up.data_dir / "postgres" / "data" / "postmaster.pid").exists()
    assert eventually(lambda: up.left_outside() <= before)  # another PostgreSQL may be starting just now
    assert sorted(path.name for path in up.data_dir.iterdir()) == [
        "lock",
        "ports.json",
        "postgres",
        "secrets.json",
    ]
    assert up.errors.read_text().endswith("supervisor  | stopped\n")


def test_a_signal_during_the_start_leaves_nothing(up: Up) -> None:
    assert eventually((up.data_dir / "secrets.json").exists)
    up.end(signal.SIGTERM)
    assert eventually(lambda: processes_of(up.data_dir) == {})


def test_killing_the_supervisor_ends_its_processes_and_the_next_start_works(up: Up, tmp_path: Path) -> None:
    first = up.settings()
    with psycopg.connect(first["LITHIFY_OWNER_DATABASE_URL"]) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS n")
    assert up.end(signal.SIGKILL) == -signal.SIGKILL
    assert eventually(lambda: processes_of(up.data_dir) == {})
    up.errors.unlink()
    again = Up(tmp_path)
    try:
        with psycopg.connect(again.settings()["LITHIFY_OWNER_DATABASE_URL"]) as connection:
            assert connection.execute("SELECT n FROM kept").fetchone() == (1,)
    finally:
        again.end(signal.SIGTERM)
        assert again.process.stdout is not None
        again.process.stdout.close()


def test_the_printed_settings_are_those_of_env(up: Up) -> None:
    printed = up.settings()
    run = subprocess.run(up.command("env"), env=up.environment, capture_output=True, text=True, check=True)
    assert dict(shlex.split(line)[1].split("=", 1) for line in run.stdout.splitlines()) == printed
    assert json.loads((up.data_dir / "settings.json").read_text()) == printed


def test_env_without_a_stack_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ops.local", "env", "--data-dir", str(tmp_path / "none")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (1, "")
    assert "no stack is up" in run.stderr
