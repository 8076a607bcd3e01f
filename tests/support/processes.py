"""Looking at processes from outside."""

import os
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 120.0
"""Seconds to wait for what must happen. A busy machine may stop any process for many; only a failure takes all."""

PATIENT = {"LITHIFY_GATEWAY_ANSWER_SECONDS": "60", "LITHIFY_POOL_TIMEOUT_SECONDS": "60"}
"""Settings of a process whose database may be held up as long."""

_LOOK_SECONDS = 0.05


def eventually(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether a condition comes true in time. This process may be stopped too, so it is looked at in the end."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return condition()
        time.sleep(_LOOK_SECONDS)
    return True


def runs(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def processes_of(data_dir: Path) -> dict[int, str]:
    """The processes of a stack: those that were told its folder for temporary files, or work in its database.

    Args:
        data_dir: The stack's data folder.

    Returns:
        Process ids, each with its command line.
    """
    mark = os.fsencode(str(data_dir.absolute() / "tmp"))
    database = data_dir / "postgres" / "data"
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (mark in _read(entry / "environ") or _works_in(entry, database)):
            found[int(entry.name)] = _read(entry / "cmdline").replace(b"\0", b" ").decode("utf-8", "replace")
    return found


def _works_in(entry: Path, folder: Path) -> bool:
    try:
        return os.path.samestat((entry / "cwd").stat(), folder.stat())
    except OSError:
        return False


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
