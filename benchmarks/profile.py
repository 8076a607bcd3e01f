"""Sampling the workers with py-spy while they work."""

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.results import WORKERS

TOP = 12
_HERTZ = 200
_WAIT_SECONDS = 20.0
_ATTACH_SECONDS = 1.0


class ProfileError(RuntimeError):
    """py-spy is missing, or may not look into the workers."""


class Profiler:
    """Profiles the workers for as long as it is entered.

    Args:
        folder: gets a file of collapsed stacks for each worker.
        pids: process ids by name; those of workers are used.
    """

    def __init__(self, folder: Path, pids: Mapping[str, int]) -> None:
        self.folder = folder
        self._pids = {name: pid for name, pid in pids.items() if name in WORKERS}
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, pid in self._pids.items():
            self._running[name] = self._start(name, pid)
        for name, process in self._running.items():
            try:
                process.wait(_ATTACH_SECONDS)
            except subprocess.TimeoutExpired:
                continue
            self._stop()
            raise ProfileError(f"py-spy ended at once for {name}: {self._errors(name)}")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()

    def shares(self) -> dict[str, list[tuple[str, float]]]:
        """Per worker the functions in which most samples lie, with their share of all samples."""
        return {name: top_functions(self._file(name).read_text()) for name in self._running}

    def _start(self, name: str, pid: int) -> "subprocess.Popen[bytes]":
        command = ["py-spy", "record", "--pid", str(pid), "--format", "raw", "--rate", str(_HERTZ), "--nonblocking"]
        program = Path(sys.executable).with_name("py-spy")
        if program.exists():
            command[0] = str(program)
        with self._log(name).open("wb") as log:
            try:
                return subprocess.Popen([*command, "--output", str(self._file(name))], stdout=log, stderr=log)
            except FileNotFoundError:
                raise ProfileError("py-spy is not installed (it is in the dev extra)") from None

    def _stop(self) -> None:
        for process in self._running.values():
            process.send_signal(signal.SIGINT)
        for process in self._running.values():
            process.wait(_WAIT_SECONDS)

    def _errors(self, name: str) -> str:
        return self._log(name).read_text(errors="replace").strip()[-300:]

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.collapsed"

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"


def top_functions(collapsed: str, top: int = TOP) -> list[tuple[str, float]]:
    """The functions at the end of most stacks.

    Args:
        collapsed: lines of "frame;frame;frame count", the outermost frame first.
        top: how many.

    Returns:
        "function (file)" with its share of all samples, largest first.
    """
    samples: Counter[str] = Counter()
    for line in collapsed.splitlines():
        stack, _, count = line.rpartition(" ")
        samples[_function(stack.rsplit(";", 1)[-1])] += int(count)
    total = samples.total()
    return [(name, count / total) for name, count in samples.most_common(top)]


def _function(frame: str) -> str:
    """A frame without its line number: "decode (json.py:12)" is "decode (json.py)"."""
    name, separator, line = frame.rpartition(":")
    return f"{name})" if separator and line.rstrip(")").isdigit() else frame
