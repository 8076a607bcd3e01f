"""Settings of every librdkafka client, and the administration of topics.

The partitioner is murmur2_random, which agrees with Faust's default; librdkafka's own default does not.
"""

import logging
from typing import Any

from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import KafkaError, NewTopic

from pipelines.settings import Settings
from pipelines.topics import LARGEST_EVENT_BYTES, REGISTRY, Topic, topic_config, topic_name

PARTITIONER = "murmur2_random"
ISOLATION = "read_committed"
"""How topics are read: a turn in a transaction that was taken back was never said."""
_log = logging.getLogger(__name__)


def producer_config(settings: Settings) -> dict[str, Any]:
    """An idempotent producer that waits for the broker as long as it takes."""
    return {
        "bootstrap.servers": settings.kafka_bootstrap,
        "client.id": "lithify",
        "partitioner": PARTITIONER,
        "enable.idempotence": True,
        "acks": "all",
        # Never give a message up: whoever produced it would produce it again, out of order, while it is still queued.
        "message.timeout.ms": 0,
        # An answer that never comes is given up after this, and the batch sent again under its old sequence number.
        "request.timeout.ms": 15_000,
        "socket.timeout.ms": 15_000,
        # A broker that has just come up may not know its partitions yet; by default that is believed for five minutes.
        "topic.metadata.refresh.interval.ms": 10_000,
        "message.max.bytes": LARGEST_EVENT_BYTES + 100_000,
        "linger.ms": 1,
        "compression.type": "lz4",
        "error_cb": _on_error,
        "log_level": 3,
    }


def make_producer(settings: Settings) -> Producer:
    """A producer under `producer_config`."""
    return Producer(producer_config(settings))


def _on_error(error: KafkaError) -> None:
    _log.warning("kafka client: %s", error.str())


def client_config(settings: Settings) -> dict[str, Any]:
    """What every client that only looks on needs."""
    return {
        "bootstrap.servers": settings.kafka_bootstrap,
        "error_cb": _on_error,
        "log_level": 3,
        "socket.timeout.ms": 10_000,  # a line that is dead but open would make every question fail for a minute
    }


def make_admin(settings: Settings) -> AdminClient:
    """An administration client."""
    return AdminClient(client_config(settings))


def topic_fault(admin: AdminClient, name: str, timeout: float = 2.0) -> str | None:
    """Why a topic cannot be read now: the broker does not answer, or it has no such topic. None: it can."""
    try:
        topics = admin.list_topics(timeout=timeout).topics
    except KafkaException as error:
        return f"broker: {error.args[0].str()}"
    return None if name in topics else f"broker: no topic {name}"


def missing_topics(settings: Settings, timeout: float = 10.0) -> list[Topic]:
    """Topics of the registry that the broker does not have. Raises KafkaException if it cannot be reached."""
    known = make_admin(settings).list_topics(timeout=timeout).topics
    return [topic for topic in REGISTRY if topic_name(settings, topic) not in known]


def apply_topics(settings: Settings, timeout: float = 30.0) -> list[str]:
    """Create the topics that are missing; existing ones are left as they are.

    Returns:
        Names of the topics created.

    Raises:
        KafkaException: the broker cannot be reached, or refused for another reason than that the topic exists.
    """
    wanted = [
        NewTopic(
            topic_name(settings, topic),
            num_partitions=settings.partitions,
            replication_factor=settings.replication,
            config=topic_config(settings, topic),
        )
        for topic in missing_topics(settings)
    ]
    if not wanted:
        return []
    created = []
    admin = make_admin(settings)  # kept alive until every answer is in: its end cancels them
    for name, future in admin.create_topics(wanted, request_timeout=timeout).items():
        try:
            future.result(timeout=timeout)
            created.append(name)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise
    return created
