"""Worker processes of one consumer group, on topics and a database of their own."""

import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from pipelines.observe.lag import LagReader
from pipelines.settings import load_settings
from pipelines.topics import Topic
from tests.support.pipeline import KEYS
from tests.support.processes import PATIENCE, eventually
from tests.support.servers import Database

ROOT = Path(__file__).parents[2]
PARTITIONS = 4
_UNREADABLE = """
import asyncio, sys
from aiokafka import AIOKafkaProducer

class Name(str):
    def encode(self, *_):
        return b"caf\\xe9"

async def main(broker, topic, partition):
    async with AIOKafkaProducer(bootstrap_servers=broker) as producer:
        await producer.send_and_wait(topic, b"x", partition=int(partition), headers=[(Name("x"), b"\\xfe")])

asyncio.run(main(*sys.argv[1:]))
"""


@dataclass
class Group:
    """Worker processes of one consumer group."""

    database: Database
    broker: str
    folder: Path
    temporary: Path
    prefix: str = field(default_factory=lambda: f"faust-{uuid.uuid4().hex[:8]}")
    module: str = "tests.support.faust_worker"
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, **settings: str) -> subprocess.Popen[bytes]:
        """One more worker, in a folder where nothing may appear."""
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("LITHIFY_")},
            **KEYS,
            "LITHIFY_DATABASE_URL": self.database.worker_url,
            "LITHIFY_KAFKA_BOOTSTRAP": self.broker,
            "LITHIFY_TOPIC_PREFIX": self.prefix,
            "LITHIFY_SESSION_TIMEOUT_SECONDS": "6",
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(ROOT),
            **settings,
        }
        log = self._log(len(self.processes)).open("wb")
        argv = [sys.executable, "-m", self.module, str(self.folder)]
        process = subprocess.Popen(argv, cwd=self.temporary, env=environment, stdout=log, stderr=log)
        log.close()
        self.processes.append(process)
        return process

    def stick(self, partition: int | str) -> None:
        (self.folder / str(partition)).touch()

    def unstick(self, partition: int | str) -> None:
        (self.folder / str(partition)).unlink()

    def longest_pause(self) -> float:
        """Most seconds between two events that were taken in one after the other, on the partitions not stuck."""
        with psycopg.connect(self.database.superuser_url) as connection:
            row = connection.execute(
                "select extract(epoch from max(pause))::float from (select received_at - lag(received_at) over"
                " (partition by split_part(event_id, '/', 1) order by received_at) as pause from inbox"
                " where worker = 'counting' and event_id not like '0/%') as pauses"
            ).fetchone()
        assert row is not None
        return float(row[0])

    def forget(self) -> None:
        """Nothing was taken in before."""
        with psycopg.connect(self.database.superuser_url, autocommit=True) as connection:
            connection.execute("truncate inbox")

    @contextmanager
    def transaction(self) -> Iterator[Producer]:
        """A producer with an open transaction, which the block ends."""
        producer = Producer({"bootstrap.servers": self.broker, "transactional.id": uuid.uuid4().hex})
        producer.init_transactions(20)
        producer.begin_transaction()
        yield producer

    def lag(self) -> dict[int, float | None]:
        """Age of the oldest event that is not taken in, by partition."""
        environment = {
            **KEYS,
            "LITHIFY_DATABASE_URL": self.database.worker_url,
            "LITHIFY_KAFKA_BOOTSTRAP": self.broker,
            "LITHIFY_TOPIC_PREFIX": self.prefix,
        }
        reader = LagReader(load_settings(environment), {"counting": Topic.TURNS})
        try:
            return {part.partition: part.seconds for part in reader.read().partitions}
        finally:
            reader.close()

    def produce(self, count: int, producer: Producer | None = None) -> None:
        """`count` events to each partition."""
        producer = producer or Producer({"bootstrap.servers": self.broker})
        for number in range(count):
            for partition in range(PARTITIONS):
                producer.produce(f"{self.prefix}-turns", value=str(number).encode(), partition=partition)
        assert producer.flush(PATIENCE) == 0

    def produce_large(self, partition: int, count: int, size: int) -> None:
        """`count` events of `size` bytes to one partition."""
        producer = Producer({"bootstrap.servers": self.broker, "message.max.bytes": size + 10_000, "linger.ms": 0})
        for _ in range(count):
            producer.produce(f"{self.prefix}-turns", value=bytes(size), partition=partition)
            producer.poll(0)
        assert producer.flush(60) == 0

    def produce_unreadable(self, partition: int) -> None:
        """An event with a header whose name is no UTF-8, as some clients write it. The broker takes any bytes."""
        argv = [sys.executable, "-c", _UNREADABLE, self.broker, f"{self.prefix}-turns", str(partition)]
        # The client that is compiled writes such a name as text.
        subprocess.run(argv, env={**os.environ, "AIOKAFKA_NO_EXTENSIONS": "1"}, check=True, timeout=60)

    @contextmanager
    def steadily_producing(self) -> Iterator[list[int]]:
        """Ten events a second to each partition, while it is open; yields their numbers."""
        produced: list[int] = []
        end = threading.Event()

        def work() -> None:
            producer = Producer({"bootstrap.servers": self.broker})
            while not end.wait(0.1):
                for partition in range(PARTITIONS):
                    producer.produce(f"{self.prefix}-turns", value=b"x", partition=partition)
                producer.poll(0)
                produced.append(len(produced))
            assert producer.flush(PATIENCE) == 0

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield produced
        finally:
            end.set()
            thread.join(PATIENCE)

    def delete_before(self, offset: int) -> None:
        """Remove older records, as retention does."""
        admin = AdminClient({"bootstrap.servers": self.broker})
        places = [TopicPartition(f"{self.prefix}-turns", number, offset) for number in range(PARTITIONS)]
        for future in admin.delete_records(places).values():
            future.result(PATIENCE)

    def counted(self) -> dict[int, int]:
        """Events taken in, by partition."""
        with psycopg.connect(self.database.superuser_url) as connection:
            rows = connection.execute(
                "select split_part(event_id, '/', 1)::int, count(*) from inbox where worker = 'counting' group by 1"
            ).fetchall()
        return dict(rows)

    def wait(self, condition: Callable[[dict[int, int]], bool], seconds: float = PATIENCE) -> None:
        """Wait until the counts satisfy `condition`."""
        assert eventually(lambda: condition(self.counted()), seconds), f"only {self.counted()}: {self.logs()}"

    def logs(self) -> str:
        return "\n".join(path.read_text()[-1500:] for path in sorted(self.folder.glob("worker-*.log")))

    def last_log(self) -> str:
        """All that the worker started last has logged."""
        return self._log(len(self.processes) - 1).read_text()

    def _log(self, number: int) -> Path:
        return self.folder / f"worker-{number}.log"


@contextmanager
def a_group(database: Database, broker: str, folder: Path) -> Iterator[Group]:
    """A group without members yet, and its topic; whatever it started is killed in the end."""
    temporary = folder / "temporary"
    temporary.mkdir()
    group = Group(database, broker, folder, temporary)
    admin = AdminClient({"bootstrap.servers": broker})
    for future in admin.create_topics([NewTopic(f"{group.prefix}-turns", PARTITIONS, 1)]).values():
        future.result(PATIENCE)
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute(
            "insert into subjects (tenant, subject_key, user_id) values ('t', '-', 'nobody') on conflict do nothing"
        )
    try:
        yield group
    finally:
        for process in group.processes:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait(PATIENCE)


def all_of(count: int) -> Callable[[dict[int, int]], bool]:
    """Whether each partition's count is this."""
    return lambda counted: counted == dict.fromkeys(range(PARTITIONS), count)
