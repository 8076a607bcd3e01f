"""The supervisor with stand-ins for parts: small Python programs."""

import io
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ops.local.console import Console
from ops.local.errors import StackError
from ops.local.part import Backoff, Part, Step
from ops.local.supervisor import Supervisor
from tests.support.processes import PATIENCE, eventually, runs

QUICK = Backoff(first=0.05, longest=0.1, attempts=3)
SERVE = "import pathlib, sys, time; print('serving', flush=True); pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
"""Says so before its sign is there, by which the test knows that it serves."""
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SERVE}"
DRAIN = (
    "import signal, sys; "
    "signal.signal(signal.SIGTERM, lambda *_: (print('drained', flush=True), sys.exit(0))); " + SERVE
)


@pytest.fixture
def output() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def supervisor(output: io.StringIO) -> Iterator[Supervisor]:
    supervisor = Supervisor(Console(output), QUICK)
    yield supervisor
    supervisor.kill_all()


def part(folder: Path, name: str, program: str, *, steps: tuple[Step, ...] = (), within: float = PATIENCE) -> Part:
    """A stand-in that is ready once it has written its file."""
    sign = folder / name
    argv = (sys.executable, "-c", program, str(sign))
    return Part(name, argv, dict(os.environ), sign.exists, ready_within=within, steps=steps, stop_within=PATIENCE)


def drained(output: io.StringIO) -> list[str]:
    """Parts that said so, in order."""
    return [line.split("|")[0].strip() for line in output.getvalue().splitlines() if "drained" in line]


def step(name: str, program: str, within: float = PATIENCE) -> Step:
    return Step(name, (sys.executable, "-c", program), dict(os.environ), within)


def test_parts_start_together_and_stop(supervisor: Supervisor, output: io.StringIO, tmp_path: Path) -> None:
    supervisor.start([part(tmp_path, "one", DRAIN), part(tmp_path, "two", DRAIN)])
    pids = [supervisor.pid("one"), supervisor.pid("two")]
    supervisor.stop()
    assert not any(runs(pid) for pid in pids)
    assert eventually(lambda: supervisor.logs("one") == ["serving", "drained"])
    assert eventually(lambda: "two         | drained\n" in output.getvalue())


def test_the_last_started_group_stops_first(supervisor: Supervisor, output: io.StringIO, tmp_path: Path) -> None:
    supervisor.start([part(tmp_path, "server", DRAIN)])
    supervisor.start([part(tmp_path, "worker", DRAIN)])
    supervisor.stop()
    assert eventually(lambda: drained(output) == ["worker", "server"])


def test_a_part_that_does_not_stop_is_killed(supervisor: Supervisor, output: io.StringIO, tmp_path: Path) -> None:
    supervisor.start([replace(part(tmp_path, "one", STUBBORN), stop_within=0.5)])
    pid = supervisor.pid("one")
    supervisor.stop()
    assert not runs(pid)
    assert "one did not stop in time and is killed" in output.getvalue()


def test_a_killed_part_comes_back(supervisor: Supervisor, output: io.StringIO, tmp_path: Path) -> None:
    supervisor.start([part(tmp_path, "one", SERVE)])
    before = supervisor.pid("one")
    supervisor.kill("one")
    supervisor.wait_up(["one"])
    assert supervisor.pid("one") != before
    assert eventually(lambda: supervisor.logs("one") == ["serving", "serving"])
    assert "one was ended by SIGKILL; starting it again in 0.1 s" in output.getvalue()
    assert eventually(lambda: "one is up again" in output.getvalue())


def test_a_held_part_stays_down_until_restart(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.start([part(tmp_path, "one", SERVE)])
    supervisor.kill("one", hold=True)
    time.sleep(0.4)  # it would come back after 0.05 s
    assert eventually(lambda: supervisor.logs("one") == ["serving"])
    with pytest.raises(StackError, match="does not run"):
        supervisor.pid("one")
    supervisor.restart("one")
    assert runs(supervisor.pid("one"))


def test_a_part_that_keeps_failing_ends_the_stack(supervisor: Supervisor, tmp_path: Path) -> None:
    broken = "import sys; print('no such table: turns'); sys.exit(3)"
    with pytest.raises(StackError, match=r"one ended with exit code 3, 3 times in a row(?s:.*)no such table: turns"):
        supervisor.start([part(tmp_path, "one", broken)])


def test_a_part_that_fails_later_ends_the_wait(supervisor: Supervisor, tmp_path: Path) -> None:
    failing = tmp_path / "failing"
    fails_later = SERVE.replace(
        "time.sleep(600)",
        f"""
while not pathlib.Path({str(failing)!r}).exists():
    time.sleep(0.01)
sys.exit('broken pipe')""",
    )
    supervisor.start([part(tmp_path, "one", fails_later)])
    failing.touch()
    with pytest.raises(StackError, match="broken pipe"):
        supervisor.wait()


def test_a_part_that_never_gets_ready_ends_the_stack(supervisor: Supervisor, tmp_path: Path) -> None:
    with pytest.raises(StackError, match="was not ready within 0 s"):
        supervisor.start([part(tmp_path, "one", "import time; time.sleep(600)", within=0.2)])


def test_a_step_runs_each_time_its_part_comes_up(supervisor: Supervisor, output: io.StringIO, tmp_path: Path) -> None:
    supervisor.start([part(tmp_path, "broker", SERVE, steps=(step("topics", "print('created')"),))])
    supervisor.restart("broker")
    assert eventually(lambda: output.getvalue().count("topics      | created") == 2)


@pytest.mark.parametrize(
    ("program", "within", "reason"),
    [
        ("import sys; sys.exit('no such role')", PATIENCE, r"migrate ended with exit code 1(?s:.*)no such role"),
        ("import time; time.sleep(600)", 1.0, "migrate did not end within 1 s"),
    ],
)
def test_a_failed_step_ends_the_stack(
    supervisor: Supervisor, tmp_path: Path, program: str, within: float, reason: str
) -> None:
    with pytest.raises(StackError, match=reason):
        supervisor.start([part(tmp_path, "one", SERVE, steps=(step("migrate", program, within),))])


def test_a_probe_that_raises_ends_the_stack(supervisor: Supervisor, tmp_path: Path) -> None:
    def probe() -> bool:
        raise ValueError("bad address")

    broken = Part("one", (sys.executable, "-c", SERVE, str(tmp_path / "x")), dict(os.environ), probe)
    with pytest.raises(StackError, match="ValueError: bad address"):
        supervisor.start([broken])


def test_a_program_that_does_not_exist_is_reported(supervisor: Supervisor) -> None:
    missing = Part("one", ("/no/such/program",), dict(os.environ), lambda: False)
    with pytest.raises(StackError, match="No such file"):
        supervisor.start([missing])


def test_output_that_is_no_text_is_shown(supervisor: Supervisor, tmp_path: Path) -> None:
    program = f"import os; os.write(1, b'caf\\xe9\\n'); {SERVE}"
    supervisor.start([part(tmp_path, "one", program)])
    assert eventually(lambda: supervisor.logs("one")[:1] == ["caf�"])


def test_children_are_out_of_reach_of_the_terminal(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.start([part(tmp_path, "one", SERVE)])
    assert os.getpgid(supervisor.pid("one")) != os.getpgid(0)


def test_the_delay_doubles_up_to_its_limit() -> None:
    assert [Backoff().delay(n) for n in (1, 2, 3, 4, 5, 6)] == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0]


def test_a_terminal_gets_colour_and_a_file_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal, file = Terminal(), io.StringIO()
    Console(terminal).line("broker", "ready")
    Console(file).line("broker", "ready")
    assert terminal.getvalue() == "\x1b[36mbroker      |\x1b[0m ready\n"
    assert file.getvalue() == "broker      | ready\n"


def test_a_stream_closed_at_the_other_end_is_ignored() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    stream = os.fdopen(write_end, "w")
    Console(stream).line("broker", "ready")
    with pytest.raises(BrokenPipeError):
        stream.close()


def test_signals_blocked_by_the_caller_reach_the_child(supervisor: Supervisor, tmp_path: Path) -> None:
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        supervisor.start([part(tmp_path, "one", DRAIN)])
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
    supervisor.stop()
    assert eventually(lambda: supervisor.logs("one") == ["serving", "drained"])
