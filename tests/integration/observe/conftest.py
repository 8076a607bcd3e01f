"""Two brokers: the embedded one, and Apache Kafka where it lies beside the checkout, for what only that can do."""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from pipelines.kafka import apply_topics
from pipelines.settings import Settings, load_settings
from pipelines.topics import Topic, group_name, topic_name
from tests.support.kafka import Kafka, is_available
from tests.support.pipeline import KEYS
from tests.support.processes import PATIENCE, eventually


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an Apache Kafka."""
    if not is_available():
        pytest.skip("no Apache Kafka beside the checkout")
    with Kafka(tmp_path_factory.mktemp("kafka") / "one") as cluster:
        yield cluster.bootstrap


def settings_on(bootstrap: str, **changes: str) -> Settings:
    """Settings with topics and groups that no other test has."""
    own = {"kafka_bootstrap": bootstrap, "topic_prefix": f"t{uuid.uuid4().hex[:8]}", "partitions": "2"} | changes
    return load_settings(
        {**KEYS, "LITHIFY_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
        | {f"LITHIFY_{name.upper()}": value for name, value in own.items()}
    )


@dataclass
class Log:
    """Drives the topics and groups of a pipeline by hand."""

    settings: Settings
    admin: AdminClient = field(init=False)

    def __post_init__(self) -> None:
        apply_topics(self.settings)
        self.admin = AdminClient({"bootstrap.servers": self.settings.kafka_bootstrap})

    def produce(self, topic: Topic, partition: int, count: int = 1, **config: str) -> Producer:
        """Append records, each in a batch of its own; with a `transactional.id` among `config`, in a transaction."""
        producer = Producer({"bootstrap.servers": self.settings.kafka_bootstrap, "linger.ms": 0, **config})
        if config:
            producer.init_transactions(PATIENCE)
            producer.begin_transaction()
        for _ in range(count):
            producer.produce(topic_name(self.settings, topic), b"{}", partition=partition)
            producer.flush(PATIENCE)
        return producer

    def commit(self, worker: str, topic: Topic, partition: int, offset: int) -> None:
        """Commit an offset of a worker's group."""
        group = group_name(self.settings, worker)
        consumer = Consumer({"bootstrap.servers": self.settings.kafka_bootstrap, "group.id": group})
        place = TopicPartition(topic_name(self.settings, topic), partition, offset)

        def committed() -> bool:
            with suppress(KafkaException):  # a new broker has no coordinator yet
                consumer.commit(offsets=[place], asynchronous=False)
                return True
            return False

        assert eventually(committed)
        consumer.close()


@pytest.fixture
def log(broker: str) -> Log:
    """On the embedded broker."""
    return Log(settings_on(broker))


@pytest.fixture
def kafka_log(kafka: str) -> Log:
    """On Apache Kafka."""
    return Log(settings_on(kafka))
