"""Reading a whole topic."""

from collections.abc import Iterator

from confluent_kafka import Consumer, TopicPartition

from tests.support.processes import PATIENCE


def messages(bootstrap: str, topic: str) -> Iterator[bytes]:
    """Values of everything on a topic now, partition by partition in order."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "test-reader",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    try:
        partitions = consumer.list_topics(topic, timeout=PATIENCE).topics[topic].partitions
        consumer.assign([TopicPartition(topic, number, 0) for number in partitions])
        ended = 0
        while ended < len(partitions):
            message = consumer.poll(PATIENCE)
            assert message is not None, f"{topic} cannot be read to its end"
            if message.error():
                ended += 1
            else:
                yield message.value() or b""
    finally:
        consumer.close()
