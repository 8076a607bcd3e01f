"""Servers for chaos: one PostgreSQL and Kafka of one and three brokers, each line through a proxy where it can be."""

import itertools
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.locomo import SYNTHETIC, load_dialogues
from lithify.events import Turn
from ops.local.part import Backoff
from ops.local.ports import choose
from ops.local.stack import Stack
from pipelines.kafka import apply_topics
from pipelines.settings import Settings, load_settings
from tests.support.brokers import ON_KAFKA
from tests.support.fleet import Fleet, clean_environment
from tests.support.kafka import Kafka
from tests.support.memory import MemoryProbe
from tests.support.pipeline import KEYS
from tests.support.proxy import Proxy
from tests.support.servers import make_database, make_template
from tests.support.stub_openai import Stub, stub_openai

REPLICATION = {1: 1, 3: 3}
_SMALL = "512m"
_AT_ONCE = 8
"""Users who talk at the same time."""


@dataclass
class Field:
    """One run: topics and a database of its own, and worker processes."""

    name: str
    settings: Settings
    probe: MemoryProbe
    fleet: Fleet
    kafka: Kafka | None
    kafka_proxy: Proxy | None
    postgres: Stack
    postgres_proxy: Proxy
    model_proxy: Proxy | None


@dataclass
class Lab:
    """Starts servers when they are first needed, and keeps them for all runs."""

    folder: Path
    exits: ExitStack = field(default_factory=ExitStack)
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @cached_property
    def postgres(self) -> Stack:
        """The database server of all runs but those that bring their own. It waits for the disk."""
        return self.exits.enter_context(Stack(self._new("postgres"), ["postgres"], environment={}))

    @cached_property
    def postgres_proxy(self) -> Proxy:
        """Between workers and the database."""
        return self.exits.enter_context(Proxy(self.postgres.cluster.port))

    @cached_property
    def one(self) -> tuple[Kafka, Proxy]:
        """One broker, known to its clients by the proxy in front of it."""
        port, advertised = choose(), choose()
        proxy = self.exits.enter_context(Proxy(port, advertised))
        return self.exits.enter_context(Kafka(self._new("kafka"), port=port, advertised=advertised)), proxy

    @cached_property
    def embedded(self) -> str:
        """The embedded broker's address."""
        stack = self.exits.enter_context(Stack(self._new("broker"), ["broker"], environment={}))
        return stack.settings_env["LITHIFY_KAFKA_BOOTSTRAP"]

    @cached_property
    def model(self) -> tuple[Stub, Proxy]:
        """A model that is asked beside the rules, and the line to it."""
        stub = self.exits.enter_context(stub_openai())
        port = urlsplit(stub.url).port
        assert port is not None
        return stub, self.exits.enter_context(Proxy(port))

    @contextmanager
    def run(
        self,
        name: str,
        *,
        brokers: int = 1,
        postgres: Stack | None = None,
        module: str = "workers",
        model: bool = False,
    ) -> Iterator[Field]:
        """A run of its own; its workers are not started yet.

        Args:
            name: of the scenario.
            brokers: 1 or 3.
            postgres: a database server of its own.
            module: what workers run.
            model: whether a model reads what the rules leave.
        """
        with ExitStack() as exits:
            server = postgres or self.postgres
            line = exits.enter_context(Proxy(server.cluster.port)) if postgres else self.postgres_proxy
            kafka, proxy = self._kafka(brokers, exits)
            make_template(server.cluster)
            database = make_database(server.cluster, f"{name}_{next(self.numbers)}", "lithify_template")
            if proxy is not None:
                bootstrap = f"127.0.0.1:{proxy.port}"
            else:
                bootstrap = kafka.bootstrap if kafka is not None else self.embedded
            environment = {
                **KEYS,
                "LITHIFY_KAFKA_BOOTSTRAP": bootstrap,
                "LITHIFY_DATABASE_URL": database.worker_url.replace(f":{server.cluster.port}/", f":{line.port}/"),
                "LITHIFY_TOPIC_PREFIX": f"{name}-{uuid.uuid4().hex[:6]}",
                "LITHIFY_SESSION_TIMEOUT_SECONDS": "6",
                "LITHIFY_REPLICATION": str(REPLICATION[brokers]),
                "LITHIFY_EMBEDDER": "none",
                "LITHIFY_LOG_LEVEL": "WARNING",
                "PYTHONUNBUFFERED": "1",
            }
            answers = self.model[1] if model else None
            if answers is not None:
                environment |= _model_settings(answers.port)
            settings = load_settings(environment)
            apply_topics(settings)
            fleet = exits.enter_context(Fleet(clean_environment() | environment, self._new("tmp"), module))
            yield Field(name, settings, MemoryProbe(database.superuser_url), fleet, kafka, proxy, server, line, answers)

    @contextmanager
    def small_disk(self) -> Iterator[Stack]:
        """A database server on a file system of its own, that is soon full. Needs root."""
        folder = self._new("small")
        mounted = folder / "postgres"
        mounted.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_SMALL}", "tmpfs", str(mounted)], check=True)
        try:
            patient = Backoff(attempts=1_000)  # a server whose disk is full cannot come up for as long as that lasts
            with Stack(folder, ["postgres"], environment={}, backoff=patient) as stack:
                yield stack
        finally:
            subprocess.run(["umount", "--lazy", str(mounted)], check=True)

    def _kafka(self, brokers: int, exits: ExitStack) -> tuple[Kafka | None, Proxy | None]:
        """Three brokers belong to one run; what they take is needed again."""
        if not ON_KAFKA:
            return None, None
        if brokers == 1:
            return self.one
        return exits.enter_context(Kafka(self._new("kafka-three"), 3)), None

    def _new(self, name: str) -> Path:
        path = self.folder / f"{name}-{next(self.numbers)}"
        path.mkdir(parents=True)
        return path


def _model_settings(port: int) -> dict[str, str]:
    """The model is asked at once, and as often as there is something to ask."""
    return {
        "LITHIFY_MODEL_URL": f"http://127.0.0.1:{port}/v1",
        "LITHIFY_MODEL_NAME": "stub",
        "LITHIFY_MODEL_WAIT_SECONDS": "0",
        "LITHIFY_MODEL_MIN_IMPORTANCE": "1",
        "LITHIFY_MODEL_TIMEOUT_SECONDS": "5",
        "LITHIFY_MODEL_CALLS_PER_MINUTE": "100000",
    }


@contextmanager
def open_lab(folder: Path) -> Iterator[Lab]:
    """A lab; whatever was started in it is stopped."""
    lab = Lab(folder)
    with lab.exits:
        yield lab


def turns_of(count: int) -> list[Turn]:
    """So many turns of as many users as that takes, in the order of each conversation, users interleaved."""
    dialogues = load_dialogues(SYNTHETIC)
    copies = count // sum(len(dialogue.turns()) for dialogue in dialogues) + 1
    talks = [dialogue.turns(f"-{copy}") for copy in range(copies) for dialogue in dialogues]
    mixed = [
        turn
        for group in (talks[start : start + _AT_ONCE] for start in range(0, len(talks), _AT_ONCE))
        for row in itertools.zip_longest(*group)
        for turn in row
        if turn is not None
    ]
    return mixed[:count]
