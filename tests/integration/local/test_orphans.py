"""What a killed supervisor may leave is ended before the database is served again."""

import subprocess
import sys
from pathlib import Path

import pytest

from ops.local.orphans import end_orphans
from tests.support.processes import PATIENCE

SLEEP = "import sys, time; print(flush=True); time.sleep(600)"
DEAF = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); {SLEEP}"


@pytest.mark.parametrize("program", [SLEEP, DEAF])
def test_a_process_that_works_in_the_folder_is_ended(tmp_path: Path, program: str) -> None:
    (tmp_path / "postmaster.pid").write_text("1\n")
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as orphan:
        assert orphan.stdout is not None
        orphan.stdout.readline()
        end_orphans(tmp_path, patience=PATIENCE if program is SLEEP else 2.0)
        assert orphan.wait(PATIENCE) != 0
    assert not (tmp_path / "postmaster.pid").exists()


def test_a_process_elsewhere_is_left_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    command = [sys.executable, "-c", SLEEP]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        (data / "postmaster.pid").write_text(f"{other.pid}\n")
        end_orphans(data)
        assert other.poll() is None
        other.kill()
    assert not (data / "postmaster.pid").exists()
