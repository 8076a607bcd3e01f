"""What a killed supervisor may leave of PostgreSQL."""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

from ops.local.errors import StackError


def end_orphans(data: Path, patience: float = 20.0) -> None:
    """End server processes that a killed supervisor left here, then remove their lock file.

    The lock file alone says little: after a crash its number may belong to any other process. Every process
    of a server works in the data folder, so that is what is looked for. This stack holds the folder's lock.

    Args:
        data: The database's own folder.
        patience: Seconds they get in all; after half of them they are killed.

    Raises:
        StackError: If a process does not end though it was killed.
    """
    if not sys.platform.startswith("linux"):
        return
    began, killed = time.monotonic(), False
    while pids := _working_in(data):
        waited = time.monotonic() - began
        if waited > patience and killed:
            raise StackError(f"process {pids[0]} still works in {data}")
        number = signal.SIGINT if waited < patience / 2 else signal.SIGKILL
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        killed = number is signal.SIGKILL
        time.sleep(0.2)
    (data / "postmaster.pid").unlink(missing_ok=True)


def _working_in(folder: Path) -> list[int]:
    here = folder.stat()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if os.path.samestat(here, (entry / "cwd").stat()):
                    found.append(int(entry.name))
    return found
