"""Producers on librdkafka and Faust agree on the partition of every key; librdkafka's own default does not."""

import uuid

import pytest
from aiokafka.partitioner import DefaultPartitioner
from confluent_kafka import Message, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from lithify.events import user_key
from pipelines.kafka import PARTITIONER
from tests.support.processes import PATIENCE

KEYS = [user_key("default", f"user-{number}") for number in range(300)]
KEYS += [user_key("t", "用户一"), user_key("t", "a/b")]
PARTITIONS = 7


def _partitions(broker: str, partitioner: str | None) -> dict[bytes, int]:
    topic = f"partitioner-{uuid.uuid4().hex}"
    admin = AdminClient({"bootstrap.servers": broker})
    for future in admin.create_topics([NewTopic(topic, PARTITIONS, 1)]).values():
        future.result(PATIENCE)
    producer = Producer({"bootstrap.servers": broker} | ({"partitioner": partitioner} if partitioner else {}))
    found: dict[bytes, int] = {}

    def delivered(_: object, sent: Message) -> None:
        found[sent.key() or b""] = sent.partition() or 0

    for key in KEYS:
        producer.produce(topic, key=key, value=b"x", on_delivery=delivered)
    assert producer.flush(PATIENCE) == 0
    return found


@pytest.mark.parametrize(("partitioner", "agrees"), [(PARTITIONER, True), (None, False)])
def test_partition_of_a_key(broker: str, partitioner: str | None, agrees: bool) -> None:
    everywhere = list(range(PARTITIONS))
    expected = {key: DefaultPartitioner()(key, everywhere, everywhere) for key in KEYS}
    assert (_partitions(broker, partitioner) == expected) is agrees
