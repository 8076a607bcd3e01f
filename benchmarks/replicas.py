"""More of each worker than the stack runs, for measuring what replicas bring."""

import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks.results import WORKERS
from ops.local.console import Console
from ops.local.errors import StackError
from ops.local.ports import choose
from ops.local.probes import answers
from ops.local.process import Process
from ops.local.stack import WORKERS_COMMAND

_ROOT = Path(__file__).parents[1]
_READY_SECONDS = 60.0


@contextmanager
def more_workers(environment: Mapping[str, str], replicas: int) -> Iterator[dict[str, int]]:
    """Run each worker so many times, counting the one of the stack.

    Args:
        environment: the stack's settings and whatever else processes inherit.
        replicas: 1: none are started.

    Yields:
        Process ids by name, such as "importance 2".

    Raises:
        StackError: they do not come up.
    """
    started: dict[str, tuple[Process, int]] = {}
    try:
        for slot in range(2, replicas + 1):
            for worker in WORKERS:
                started[f"{worker} {slot}"] = _start(environment, worker, slot)
        deadline = time.monotonic() + _READY_SECONDS
        while not all(answers(port, "/readyz") for _, port in started.values()):
            if time.monotonic() > deadline:
                raise StackError("the further replicas did not come up")
            time.sleep(0.5)
        yield {name: process.pid for name, (process, _) in started.items()}
    finally:
        for process, _ in started.values():
            process.finish()


def _start(environment: Mapping[str, str], worker: str, slot: int) -> tuple[Process, int]:
    port = choose()
    env = {
        **environment,
        "PYTHONPATH": str(_ROOT),
        "LITHIFY_HEALTH_PORT": str(port),
        "LITHIFY_INSTANCE_ID": f"slot-{slot}",
    }
    lines: deque[str] = deque(maxlen=100)
    argv = (*WORKERS_COMMAND, "run", worker)
    return Process(f"{worker}-{slot}", argv, env, console=Console(None), lines=lines), port
