"""Commands that must succeed before the stack goes on."""

import threading
import time
from collections import deque

from ops.local.console import Console
from ops.local.errors import failure
from ops.local.part import Step
from ops.local.process import KEPT_LINES, Process, describe_exit


def run_step(step: Step, console: Console, stopping: threading.Event) -> None:
    """Run a command to its end, unless the stack is stopped meanwhile.

    Args:
        step: The command.
        console: Where its lines go.
        stopping: Ends the wait, and the command.

    Raises:
        StackError: If it fails or takes too long.
    """
    lines: deque[str] = deque(maxlen=KEPT_LINES)
    process = Process(step.name, step.argv, step.env, console=console, lines=lines)
    deadline = time.monotonic() + step.within
    while (code := process.wait(0.1)) is None and time.monotonic() < deadline:
        if stopping.is_set():
            break
    process.finish()
    if code != 0 and not stopping.is_set():
        reason = f"did not end within {step.within:.0f} s" if code is None else describe_exit(code)
        raise failure(step.name, reason, lines)
