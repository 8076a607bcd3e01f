"""A real Apache Kafka for tests: one broker or three, which can be stopped, killed and started again one by one.

It is the distribution that lies beside the checkout, where it does; its own script does the work. That script may
report that a broker stopped while it was still starting (it looks before the program has replaced its launcher), so
whether a broker is up is decided here, by asking it.
"""

import os
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

SCRIPT = Path(__file__).parents[3] / "shared" / "kafka" / "kafka"
_SCRIPT_SECONDS = 300.0
_READY_SECONDS = 180.0
_QUICK_JAVA = "-XX:TieredStopAtLevel=1"
"""A broker that lives for minutes does not earn back what the second compiler costs."""


class KafkaError(RuntimeError):
    """Kafka is not there, or a broker cannot be started or stopped."""


def is_available() -> bool:
    """Whether the distribution lies beside the checkout."""
    return SCRIPT.exists()


class Kafka:
    """A cluster on loopback; all of its state lies in one folder.

    Args:
        folder: Where; created at the start.
        brokers: 1, or 3 with replication 3 and two in-sync copies.
        port: of the first broker; chosen by default.
        advertised: port under which a single broker is known to its clients, if not its own: that of a proxy.
    """

    def __init__(
        self, folder: Path, brokers: int = 1, *, port: int | None = None, advertised: int | None = None
    ) -> None:
        if not is_available():
            raise KafkaError(f"no Apache Kafka at {SCRIPT}: the tests that need it cannot run")
        self._folder = folder
        self.brokers = brokers
        self._layout = ["--brokers", str(brokers), "--heap", "384m"]
        if port is not None:
            self._layout += ["--port", str(port)]
        if advertised is not None:
            self._layout += ["--set", f"advertised.listeners=PLAINTEXT://127.0.0.1:{advertised}"]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop(kill=True)

    @property
    def bootstrap(self) -> str:
        """Bootstrap servers, "host:port,host:port"; the same over all starts."""
        return (self._folder / "bootstrap").read_text().strip()

    def address(self, node: int) -> tuple[str, int]:
        """Host and port of a broker, which is numbered from 1."""
        host, port = self.bootstrap.split(",")[node - 1].split(":")
        return host, int(port)

    def start(self, node: int | None = None) -> None:
        """Start all brokers, or one that was stopped, and wait until what was started answers.

        Raises:
            KafkaError: It does not come up.
        """
        chosen = [] if node is None else ["--node", str(node)]
        done = self._run("start", *chosen, *self._layout)
        deadline = time.monotonic() + _READY_SECONDS
        while not self._answers(node):
            # Its broker may live though the script gave up; if it does not, there is nothing to wait for.
            if time.monotonic() > deadline or (done.returncode and not self._any_running()):
                raise KafkaError(f"kafka did not start: {done.stdout}{done.stderr}")
            time.sleep(0.2)

    def stop(self, node: int | None = None, *, kill: bool = False) -> None:
        """Stop all brokers or one: in order, or as a crash would."""
        chosen = [] if node is None else ["--node", str(node)]
        done = self._run("stop", *chosen, *(["--kill"] if kill else []))
        if done.returncode:
            raise KafkaError(f"kafka did not stop: {done.stdout}{done.stderr}")

    def leader(self, topic: str, partition: int = 0) -> int:
        """The broker that leads a partition."""
        admin = AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})
        return int(admin.list_topics(topic, timeout=_READY_SECONDS).topics[topic].partitions[partition].leader)

    def _answers(self, node: int | None) -> bool:
        """Whether one broker, or each of them, can be reached and knows the whole cluster."""
        nodes = [node] if node is not None else list(range(1, self.brokers + 1))
        try:
            return all(self._knows_all("{}:{}".format(*self.address(number)), number) for number in nodes)
        except (KafkaException, FileNotFoundError):
            return False

    def _knows_all(self, address: str, number: int) -> bool:
        admin = AdminClient({"bootstrap.servers": address, "log_level": 0, "socket.timeout.ms": 1000})
        known = set(admin.list_topics(timeout=1.0).brokers)
        return number in known

    def _any_running(self) -> bool:
        return "running" in self._run("status").stdout

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command, *rest = arguments
        return subprocess.run(
            [str(SCRIPT), command, str(self._folder), *rest],
            env={**os.environ, "JAVA_TOOL_OPTIONS": _QUICK_JAVA},
            capture_output=True,
            text=True,
            timeout=_SCRIPT_SECONDS,
            check=False,
        )
