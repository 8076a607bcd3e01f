"""The embedded stack: which parts there are, what each is told, and in which order they start."""

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from ops.local.broker import broker_part
from ops.local.console import Console
from ops.local.errors import StackError
from ops.local.folder import DataFolder
from ops.local.part import Backoff, Part, Step
from ops.local.ports import HOST
from ops.local.postgres import Cluster
from ops.local.probes import answers
from ops.local.supervisor import Supervisor
from ops.local.unprivileged import program_folder

SERVERS = ("postgres", "broker")
WORKERS = ("importance", "extraction", "conflict", "reflection", "gateway")
PARTS = SERVERS + WORKERS
WORKERS_COMMAND = (sys.executable, "-m", "workers")
DEFAULT_DATA_DIR = Path(".lithify")

_ROOT = Path(__file__).parents[2]
_FETCH_WAIT_SECONDS = 0.05  # the embedded broker looks for new data ever more seldom while it holds a fetch
_SESSION_TIMEOUT_SECONDS = 6  # a group join takes half of it on the embedded broker


class Stack:
    """PostgreSQL, the broker, the workers and the gateway, as one thing with a start and a stop.

    A server that the environment names already (`LITHIFY_DATABASE_URL`, `LITHIFY_KAFKA_BOOTSTRAP`) is used as
    it is, and no embedded one is started in its place.

    Args:
        data_dir: The data folder.
        parts: Which of `PARTS` to run.
        console: Where log lines go; none by default.
        environment: What parts inherit and where settings are looked up; the process's own by default.
        fsync: Whether commits survive a power cut; off only for tests.
        backoff: How parts that ended are started again.
        command: Program and first arguments of the workers and of the operators' commands.
    """

    def __init__(
        self,
        data_dir: Path = DEFAULT_DATA_DIR,
        parts: Collection[str] = PARTS,
        *,
        console: Console | None = None,
        environment: Mapping[str, str] | None = None,
        fsync: bool = True,
        backoff: Backoff | None = None,
        command: Sequence[str] = WORKERS_COMMAND,
    ) -> None:
        if unknown := set(parts) - set(PARTS):
            raise StackError(f"unknown part {sorted(unknown)[0]!r}; there are {', '.join(PARTS)}")
        self._environment = dict(os.environ if environment is None else environment)
        self._parts = [name for name in PARTS if name in parts]
        self._fsync = fsync
        self._command = tuple(command)
        self._folder = DataFolder(data_dir)
        self._supervisor = Supervisor(console or Console(None), backoff)
        self._cluster: Cluster | None = None
        self._settings: dict[str, str] = {}

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def settings_env(self) -> dict[str, str]:
        """The `LITHIFY_*` settings with which a process uses this stack; empty before `start`."""
        return dict(self._settings)

    @property
    def cluster(self) -> Cluster:
        """The embedded PostgreSQL.

        Raises:
            StackError: If this stack has none.
        """
        if self._cluster is None:
            raise StackError("this stack has no embedded PostgreSQL")
        return self._cluster

    def running_settings(self) -> dict[str, str]:
        """The settings of the stack that another process runs on this data folder.

        Raises:
            StackError: If none is up.
        """
        return self._folder.published()

    def start(self) -> None:
        """Start everything and return when all parts are up. What was started is stopped again on a failure.

        Raises:
            StackError: If a part cannot be started.
        """
        self._folder.acquire()
        try:
            self._configure()
            self._supervisor.start(self._servers())
            for step in self._steps_on_given_servers():
                self._supervisor.run(step)
            self._supervisor.start(self._worker_part(name) for name in self._parts if name in WORKERS)
            self._folder.publish(self._settings)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Drain and stop everything. May be called again."""
        self._supervisor.stop()
        self._folder.release()

    def kill_all(self) -> None:
        """Kill everything at once, for a second Ctrl-C."""
        self._supervisor.kill_all()
        self._folder.release()

    def wait(self) -> None:
        """Wait while the stack runs.

        Raises:
            StackError: When a part keeps failing, with its last lines.
        """
        self._supervisor.wait()

    def pid(self, part: str) -> int:
        """The process id of a running part."""
        return self._supervisor.pid(part)

    def logs(self, part: str) -> list[str]:
        """The last lines of a part, oldest first."""
        return self._supervisor.logs(part)

    def kill(self, part: str, *, hold: bool = False) -> None:
        """Kill a part; it comes back by itself, or with `restart` if held down."""
        self._supervisor.kill(part, hold=hold)

    def restart(self, part: str) -> None:
        """Stop a part in order, start it again, and wait until it is up."""
        self._supervisor.restart(part)

    def wait_up(self, *parts: str) -> None:
        """Wait until these parts are up, for instance after `kill`."""
        self._supervisor.wait_up(parts)

    def _configure(self) -> None:
        """Choose ports and settings. A setting that the environment has already is kept."""
        given, folder = self._environment, self._folder
        secrets = folder.secrets()
        settings = {
            "LITHIFY_PSEUDONYM_KEY": secrets["pseudonym_key"],
            "LITHIFY_DEAD_LETTER_KEY": secrets["dead_letter_key"],
        }
        if "LITHIFY_DATABASE_URL" in given:
            url = given["LITHIFY_DATABASE_URL"]
            settings |= dict.fromkeys(("LITHIFY_OWNER_DATABASE_URL", "LITHIFY_GATEWAY_DATABASE_URL"), url)
        elif "postgres" in self._parts:
            cluster = Cluster(folder.postgres, folder.port("postgres"), secrets, fsync=self._fsync)
            self._cluster = cluster
            settings["LITHIFY_DATABASE_URL"] = cluster.url("lithify_worker")
            settings["LITHIFY_OWNER_DATABASE_URL"] = cluster.url("lithify_owner")
            settings["LITHIFY_GATEWAY_DATABASE_URL"] = cluster.url("lithify_gateway")
            settings["LITHIFY_BACKUP_DATABASE_URL"] = cluster.url("lithify_backup")
            settings["LITHIFY_POSTGRES_BIN"] = str(program_folder() / "bin")
        if "LITHIFY_KAFKA_BOOTSTRAP" not in given and "broker" in self._parts:
            settings["LITHIFY_KAFKA_BOOTSTRAP"] = f"{HOST}:{folder.port('broker')}"
            settings["LITHIFY_SESSION_TIMEOUT_SECONDS"] = str(_SESSION_TIMEOUT_SECONDS)
            settings["LITHIFY_FETCH_WAIT_SECONDS"] = str(_FETCH_WAIT_SECONDS)
        port = given.get("LITHIFY_GATEWAY_PORT") or str(folder.port("gateway"))
        host = given.get("LITHIFY_GATEWAY_HOST", HOST)
        settings |= {"LITHIFY_GATEWAY_HOST": host, "LITHIFY_GATEWAY_PORT": port}
        settings["LITHIFY_GATEWAY_URL"] = f"http://{HOST}:{port}"
        kept = {name: value for name, value in given.items() if name.startswith("LITHIFY_")}
        self._settings = settings | kept

    def _servers(self) -> list[Part]:
        """The embedded servers that no setting replaces."""
        parts = []
        if self._cluster is not None:
            self._cluster.initialise(self._env())
            parts.append(self._cluster.part(self._env(), self._steps("migrate")))
        if "broker" in self._parts and "LITHIFY_KAFKA_BOOTSTRAP" not in self._environment:
            steps = self._steps("topics", "apply")
            parts.append(broker_part(self._folder.port("broker"), self._env(), steps))
        return parts

    def _steps_on_given_servers(self) -> tuple[Step, ...]:
        """What workers need of servers that settings name: topics, and the schema where its owner is named too."""
        given = self._environment
        steps: tuple[Step, ...] = ()
        if "LITHIFY_OWNER_DATABASE_URL" in given:
            steps = self._steps("migrate")
        if "LITHIFY_KAFKA_BOOTSTRAP" in given:
            steps += self._steps("topics", "apply")
        return steps

    def _steps(self, *command: str) -> tuple[Step, ...]:
        """An operator's command that the workers need, if there are workers."""
        if not set(self._parts) & set(WORKERS):
            return ()
        return (Step(" ".join(command), (*self._command, *command), self._env()),)

    def _worker_part(self, name: str) -> Part:
        """A worker, which serves its health on a port of its own, or the gateway, which does on its one port."""
        env = self._worker_env(name)
        if name == "gateway":
            command, port = ["gateway"], int(env["LITHIFY_GATEWAY_PORT"])
        else:
            command, port = ["run", name], self._folder.port(f"{name}-health")
            env["LITHIFY_HEALTH_PORT"] = str(port)
        token = env.get("LITHIFY_GATEWAY_TOKEN")
        ready = partial(answers, port, "/readyz", token)
        return Part(name, argv=(*self._command, *command), env=env, ready=ready)

    def _worker_env(self, name: str) -> dict[str, str]:
        """A worker's environment: one address of the database, for its own role, and not the owner's."""
        env = self._env()
        for name_of_more_rights in ("LITHIFY_OWNER_DATABASE_URL", "LITHIFY_BACKUP_DATABASE_URL"):
            env.pop(name_of_more_rights, None)
        gateway = env.pop("LITHIFY_GATEWAY_DATABASE_URL", None)
        if name == "gateway" and gateway is not None:
            env["LITHIFY_DATABASE_URL"] = gateway
        return env

    def _env(self) -> dict[str, str]:
        """The environment of a part: what this process has, the settings, and a place for temporary files."""
        path = os.pathsep.join(filter(None, (str(_ROOT), self._environment.get("PYTHONPATH"))))
        own = {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1", "TMPDIR": str(self._folder.temporary)}
        return self._environment | own | self._settings
