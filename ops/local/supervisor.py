"""Keeps parts running: starts them, waits until they can serve, starts again what ends, stops all of them."""

import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from ops.local.console import Console
from ops.local.errors import StackError, failure
from ops.local.part import Backoff, Part, Step
from ops.local.process import KEPT_LINES, Process, describe_exit
from ops.local.steps import run_step

_TICK_SECONDS = 0.05
_KILL_SECONDS = 5.0


class _State(Enum):
    WAITING = auto()
    STARTING = auto()
    UP = auto()
    HELD = auto()


@dataclass(slots=True)
class _Record:
    part: Part
    group: int
    state: _State = _State.WAITING
    process: Process | None = None
    due: float = 0.0
    up_since: float = 0.0
    failures: int = 0
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))


class Supervisor:
    """Runs parts from one thread, which also creates every child (see `Process`).

    Args:
        console: Where log lines go.
        backoff: How parts that ended are started again.
    """

    def __init__(self, console: Console, backoff: Backoff | None = None) -> None:
        self._console = console
        self._backoff = backoff or Backoff()
        self._records: dict[str, _Record] = {}
        self._changed = threading.Condition(threading.RLock())
        self._stopping = threading.Event()
        self._finished = threading.Event()
        self._failure: StackError | None = None
        self._thread: threading.Thread | None = None

    def start(self, parts: Iterable[Part]) -> None:
        """Start parts together and wait until all of them are up.

        Raises:
            StackError: If one of them cannot be started.
        """
        with self._changed:
            group = 1 + max((record.group for record in self._records.values()), default=0)
            new = {part.name: _Record(part, group) for part in parts}
            self._records |= new
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
            self._thread.start()
        self.wait_up(list(new))

    def run(self, step: Step) -> None:
        """Run a command to its end.

        Raises:
            StackError: If it fails or takes too long.
        """
        run_step(step, self._console, self._stopping)

    def wait_up(self, names: Sequence[str]) -> None:
        """Wait until these parts are up.

        Raises:
            StackError: If the stack gave up or was stopped.
        """
        with self._changed:
            while not all(self._is_up(name) for name in names):
                self._raise_if_over()
                self._changed.wait(0.2)

    def _is_up(self, name: str) -> bool:
        record = self._records[name]
        return record.state is _State.UP and record.process is not None and record.process.exit_code() is None

    def wait(self) -> None:
        """Wait until the stack gives up; a signal handler that raises ends the wait.

        Raises:
            StackError: When a part keeps failing.
        """
        with self._changed:
            while True:
                self._raise_if_over()
                self._changed.wait(0.2)

    def pid(self, name: str) -> int:
        """The process id of a running part.

        Raises:
            KeyError: If there is no such part.
            StackError: If it does not run at the moment.
        """
        with self._changed:
            process = self._records[name].process
        if process is None or process.exit_code() is not None:
            raise StackError(f"{name} does not run at the moment")
        return process.pid

    def logs(self, name: str) -> list[str]:
        """The last lines of a part over all its starts, oldest first."""
        return list(self._records[name].lines)

    def kill(self, name: str, *, hold: bool = False) -> None:
        """Kill a part as a crash would.

        Args:
            name: The part.
            hold: Keep it down until `restart`; otherwise it is started again as after any crash.
        """
        process = self._hold(name) if hold else self._records[name].process
        if process is not None:
            process.signal(signal.SIGKILL)
            process.wait(_KILL_SECONDS)

    def restart(self, name: str) -> None:
        """Stop a part in order, start it again, and wait until it is up.

        Raises:
            StackError: If it cannot be started.
        """
        self._end([name])
        with self._changed:
            record = self._records[name]
            record.process, record.state, record.due, record.failures = None, _State.WAITING, 0.0, 0
        self.wait_up([name])

    def stop(self) -> None:
        """Stop all parts, the last started group first, and wait for their end. May be called again."""
        self._stopping.set()
        for group in sorted({record.group for record in self._records.values()}, reverse=True):
            self._end([name for name, record in self._records.items() if record.group == group])
        self._finish()

    def kill_all(self) -> None:
        """Kill all parts at once, also while `stop` was waiting for them."""
        self._stopping.set()
        for name in self._records:
            if process := self._hold(name):
                process.finish()
        self._finish()

    def _hold(self, name: str) -> Process | None:
        """Take a part out of supervision; its process, if any, is the caller's to end."""
        with self._changed:
            record = self._records[name]
            record.state = _State.HELD
            return record.process

    def _end(self, names: Sequence[str]) -> None:
        """Ask parts to end, all at once, and kill what does not in its time."""
        held = [(self._records[name].part, process) for name in names if (process := self._hold(name))]
        began = time.monotonic()
        for part, process in held:
            process.signal(part.stop_signal)
        for part, process in held:
            if process.wait(max(0.0, began + part.stop_within - time.monotonic())) is None:
                self._console.line("supervisor", f"{part.name} did not stop in time and is killed")
            process.finish()

    def _finish(self) -> None:
        self._finished.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _raise_if_over(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._stopping.is_set():
            raise StackError("the stack was stopped")

    def _run(self) -> None:
        while not self._finished.wait(_TICK_SECONDS):
            for record in list(self._records.values()):
                if not self._stopping.is_set() and self._failure is None:
                    self._advance(record)

    def _advance(self, record: _Record) -> None:
        try:
            if record.state is _State.WAITING and time.monotonic() >= record.due:
                self._spawn(record)
            elif record.state is _State.STARTING:
                self._check_start(record)
            elif record.state is _State.UP:
                self._check_alive(record)
        except StackError as error:
            self._give_up(error)
        except Exception as error:  # noqa: BLE001 - the one boundary: this thread must not end in silence
            self._give_up(failure(record.part.name, f"{type(error).__name__}: {error}", record.lines))

    def _spawn(self, record: _Record) -> None:
        part = record.part
        with self._changed:
            if record.state is not _State.WAITING or self._stopping.is_set():
                return
            record.process = Process(
                part.name,
                part.argv,
                part.env,
                console=self._console,
                lines=record.lines,
                death_signal=part.death_signal,
                jail=part.jail,
            )
            record.state = _State.STARTING
            record.due = time.monotonic() + part.ready_within

    def _check_start(self, record: _Record) -> None:
        process = record.process
        if process is None:
            return
        if (code := process.exit_code()) is not None:
            self._failed(record, process, describe_exit(code))
        elif record.part.ready():
            self._came_up(record, process)
        elif time.monotonic() >= record.due:
            self._failed(record, process, f"was not ready within {record.part.ready_within:.0f} s")

    def _came_up(self, record: _Record, process: Process) -> None:
        if record.part.on_ready is not None:
            record.part.on_ready()
        for step in record.part.steps:
            run_step(step, self._console, self._stopping)
        with self._changed:
            if record.process is process and record.state is _State.STARTING:
                record.state, record.up_since = _State.UP, time.monotonic()
                self._changed.notify_all()
        if record.failures:
            self._console.line("supervisor", f"{record.part.name} is up again")

    def _check_alive(self, record: _Record) -> None:
        process = record.process
        if process is None or (code := process.exit_code()) is None:
            return
        if time.monotonic() - record.up_since >= self._backoff.steady:
            record.failures = 0
        self._failed(record, process, describe_exit(code))

    def _failed(self, record: _Record, process: Process, reason: str) -> None:
        process.finish()
        with self._changed:
            if record.process is not process or record.state is _State.HELD:
                return
            record.process, record.state = None, _State.WAITING
            record.failures += 1
            delay = self._backoff.delay(record.failures)
            record.due = time.monotonic() + delay
        name = record.part.name
        if record.failures >= self._backoff.attempts:
            raise failure(name, f"{reason}, {record.failures} times in a row", record.lines)
        self._console.line("supervisor", f"{name} {reason}; starting it again in {delay:.1f} s")

    def _give_up(self, error: StackError) -> None:
        with self._changed:
            self._failure = error
            self._changed.notify_all()
