"""What the supervisor runs, as data: parts stay up, steps run once and end."""

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ops.local.launch import Jail


@dataclass(frozen=True, slots=True)
class Step:
    """A command that must succeed before the next thing is started.

    Attributes:
        name: The name in the log.
        argv: Program and arguments.
        env: Its whole environment.
        within: Seconds after which it counts as failed.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    within: float = 60.0


@dataclass(frozen=True, slots=True)
class Part:
    """A process that stays up.

    Attributes:
        name: The name in the log and in `Supervisor` calls; unique in a stack.
        argv: Program and arguments.
        env: Its whole environment.
        ready: Answers whether it can serve now; must return within about a second and never raise.
        ready_within: Seconds after which a start counts as failed.
        on_ready: Called each time it became ready, before the steps.
        steps: Run each time it became ready, before it counts as up.
        stop_signal: Asks it to drain and end.
        stop_within: Seconds it gets for that before it is killed; a worker that hangs ends by itself after 30.
        death_signal: What it receives when the supervisor is gone.
        jail: The user it runs as, if not the present one.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    ready: Callable[[], bool]
    ready_within: float = 60.0
    on_ready: Callable[[], None] | None = None
    steps: tuple[Step, ...] = ()
    stop_signal: int = signal.SIGTERM
    stop_within: float = 40.0
    death_signal: int = signal.SIGKILL
    jail: Jail | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Backoff:
    """How a part that ended is started again.

    Attributes:
        first: Seconds before the first new start; doubled each time.
        longest: The longest wait in seconds.
        attempts: Failures in a row after which the stack gives up.
        steady: Seconds of service after which earlier failures are forgotten.
    """

    first: float = 0.5
    longest: float = 8.0
    attempts: int = 5
    steady: float = 30.0

    def delay(self, failures: int) -> float:
        """Seconds to wait after this many failures in a row (1 or more)."""
        return min(self.longest, self.first * 2.0 ** (failures - 1))
