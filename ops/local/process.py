"""One child process: started through the launcher, its output read line by line."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from pathlib import Path

from ops.local.console import Console
from ops.local.launch import Jail, Spec

_LAUNCHER = str(Path(__file__).with_name("launch.py"))
_GRACE_SECONDS = 2.0

KEPT_LINES = 2000
"""How many of its last lines a process keeps."""


class Process:
    """A started child in its own session, so that Ctrl-C in the terminal reaches the supervisor alone.

    The thread that creates it must live as long as the child may: the kernel sends the death signal when that
    thread ends, not when its process does (prctl(2), PR_SET_PDEATHSIG).

    Args:
        name: The name in the log.
        argv: Program and arguments; may hold the launcher's placeholders.
        env: Its whole environment.
        console: Where its lines go.
        lines: Keeps its last lines, shared by the starts of one part.
        death_signal: What it receives when the creating thread is gone.
        jail: The user it runs as, if not the present one.
    """

    def __init__(
        self,
        name: str,
        argv: tuple[str, ...],
        env: Mapping[str, str],
        *,
        console: Console,
        lines: deque[str],
        death_signal: int = signal.SIGKILL,
        jail: Jail | None = None,
    ) -> None:
        spec: Spec = {"parent": os.getpid(), "death_signal": int(death_signal), "jail": jail}
        self._name, self._console, self._lines = name, console, lines
        self._child = subprocess.Popen(
            [sys.executable, "-I", "-S", _LAUNCHER, json.dumps(spec), *argv],
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, name=f"log-{name}", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._child.pid

    def exit_code(self) -> int | None:
        """The exit code, the negative signal number, or None while it runs."""
        return self._child.poll()

    def wait(self, seconds: float) -> int | None:
        """Wait for the end.

        Args:
            seconds: The longest wait.

        Returns:
            As `exit_code`.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(seconds)
        return self._child.poll()

    def signal(self, number: int) -> None:
        """Send a signal to the process, if it still runs."""
        self._child.send_signal(number)

    def finish(self) -> None:
        """Kill what is left of the process and of its group, and read its output to the end."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        self._reader.join(_GRACE_SECONDS)

    def _read(self) -> None:
        assert self._child.stdout is not None
        with self._child.stdout as stream:
            for raw in stream:
                text = raw.decode("utf-8", "replace").rstrip()
                self._lines.append(text)
                self._console.line(self._name, text)


def describe_exit(code: int) -> str:
    """An exit code, or a negative signal number, in words."""
    if code >= 0:
        return f"ended with exit code {code}"
    return f"was ended by {signal.Signals(-code).name}"
