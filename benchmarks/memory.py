"""Memory of processes: at its highest so far, and now."""

from collections.abc import Mapping
from pathlib import Path

import psutil


def memory_by_process(pids: Mapping[str, int]) -> dict[str, int]:
    """Peak resident bytes by name. A process with children (PostgreSQL) counts with them, shared pages once.

    Where the kernel keeps no peak (not Linux), the present size stands in for it.
    """
    return {name: _memory(psutil.Process(pid)) for name, pid in pids.items()}


def resident_by_process(pids: Mapping[str, int]) -> dict[str, int]:
    """Resident bytes now, by name; a process with children as above."""
    processes = {name: psutil.Process(pid) for name, pid in pids.items()}
    return {
        name: _memory(process) if process.children() else int(process.memory_info().rss)
        for name, process in processes.items()
    }


def _memory(process: psutil.Process) -> int:
    children = process.children(recursive=True)
    if not children:
        return _peak(process)
    return sum(_share(child) for child in [process, *children])


def _peak(process: psutil.Process) -> int:
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return int(process.memory_info().rss)
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


def _share(process: psutil.Process) -> int:
    """Resident bytes, those shared with others divided among them."""
    try:
        full = process.memory_full_info()
    except (psutil.AccessDenied, psutil.NoSuchProcess):
        return 0
    return int(getattr(full, "pss", full.uss))
