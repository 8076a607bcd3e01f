"""Worker processes of one pipeline: any number of each, killed, stopped, started again and watched."""

import http.client
import json
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.results import WORKERS
from ops.local.console import Console
from ops.local.ports import HOST, choose
from ops.local.process import Process

ROOT = Path(__file__).parents[2]
_STOP_SECONDS = 40.0


@dataclass(frozen=True, slots=True)
class Health:
    """What a member said of itself.

    Attributes:
        ready: Whether it answered 200.
        reasons: Why not; a single "no answer" where there was none.
    """

    ready: bool
    reasons: tuple[str, ...]


@dataclass
class Member:
    """One worker process and the place it holds."""

    worker: str
    slot: int
    port: int
    process: Process
    lines: deque[str] = field(default_factory=deque)

    @property
    def name(self) -> str:
        """Worker and slot."""
        return f"{self.worker}-{self.slot}"

    def health(self) -> Health:
        """Ask it."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=5.0)
        try:
            connection.request("GET", "/readyz")
            answer = connection.getresponse()
            body = json.loads(answer.read())
        except (OSError, ValueError, http.client.HTTPException):
            return Health(False, ("no answer",))
        else:
            return Health(answer.status == http.client.OK, tuple(body["reasons"]))
        finally:
            connection.close()


class Fleet:
    """Members of the four groups.

    Args:
        environment: whole environment of every member, without health port and instance id.
        temporary: for their temporary files.
        module: what each runs, `python -m MODULE run WORKER`.
    """

    def __init__(self, environment: Mapping[str, str], temporary: Path, module: str = "workers") -> None:
        self._environment = {**environment, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
        self._module = module
        self.members: dict[tuple[str, int], Member] = {}
        self._ended: list[Member] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for member in self.members.values():
            member.process.signal(signal.SIGTERM)
        for member in self.members.values():
            member.process.wait(_STOP_SECONDS / 4)
            member.process.finish()

    def start(self, worker: str, slot: int = 1, **settings: str) -> Member:
        """Start a worker; `settings` are more variables of its environment."""
        port = choose()
        own = {"LITHIFY_HEALTH_PORT": str(port), "LITHIFY_INSTANCE_ID": f"slot-{slot}"}
        lines: deque[str] = deque(maxlen=400)
        process = Process(
            f"{worker}-{slot}",
            (sys.executable, "-m", self._module, "run", worker),
            {**self._environment, **own, **settings},
            console=Console(None),
            lines=lines,
        )
        member = Member(worker, slot, port, process, lines)
        self.members[worker, slot] = member
        return member

    def start_all(self, slots: Sequence[int] = (1,)) -> None:
        """Start each worker in these slots, where it does not run yet."""
        for slot in slots:
            for worker in WORKERS:
                if (worker, slot) not in self.members:
                    self.start(worker, slot)

    def kill(self, worker: str, slot: int = 1) -> None:
        """End a member as a crash would."""
        member = self.members.pop((worker, slot))
        member.process.signal(signal.SIGKILL)
        member.process.finish()
        self._ended.append(member)

    def stop(self, *places: tuple[str, int]) -> list[int | None]:
        """Ask members to end, and wait. Returns their exit codes; None: it had to be killed."""
        members = [self.members.pop(place) for place in places]
        for member in members:
            member.process.signal(signal.SIGTERM)
        codes = [member.process.wait(_STOP_SECONDS) for member in members]
        for member in members:
            member.process.finish()
        self._ended.extend(members)
        return codes

    def dead(self) -> list[str]:
        """Members that ended without being told to."""
        return [member.name for member in self.members.values() if member.process.exit_code() is not None]

    def logs(self) -> str:
        """The last lines of all members."""
        members = [*self._ended, *self.members.values()]
        return "\n".join(f"{member.name}: {line}" for member in members for line in list(member.lines)[-15:])

    def pids(self) -> dict[str, int]:
        """Process ids by name."""
        return {member.name: member.process.pid for member in self.members.values()}


@dataclass(frozen=True, slots=True)
class Seen:
    """One look at one member."""

    at: float
    member: str
    health: Health


class Watch:
    """Looks at the readiness of every member twice a second, beside everything else."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.seen: list[Seen] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join(30)

    def _run(self) -> None:
        while not self._end.wait(0.5):
            for member in list(self._fleet.members.values()):
                at = time.monotonic()
                self.seen.append(Seen(at, member.name, member.health()))

    def between(self, start: float, end: float) -> list[Seen]:
        """What was seen in this time (monotonic seconds)."""
        return [one for one in self.seen if start <= one.at <= end]


def clean_environment() -> dict[str, str]:
    """This process's environment without settings of Lithify's."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LITHIFY_")}
