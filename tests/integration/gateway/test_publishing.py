"""Publishing to a real broker: by the gateway, and by the client straight to Kafka."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec
import pytest
from confluent_kafka import Consumer, TopicPartition

from lithify.client import Invalid, KafkaPublisher, Lithify, Unavailable
from lithify.events import Inbound, Role, Turn
from pipelines.kafka import apply_topics
from pipelines.settings import Settings
from pipelines.store.pool import make_pool
from pipelines.topics import Topic, topic_name
from tests.support.gateway import make_catalog, make_settings
from tests.support.processes import PATIENCE
from workers.gateway import publisher as gateway
from workers.gateway.app import create_app
from workers.gateway.database import Database
from workers.gateway.deps import Deps
from workers.gateway.faults import TooLargeError, UnavailableError

NOBODY = "postgresql://lithify_gateway@127.0.0.1:1/none"


def turn(user: str, number: int, content: str = "hi") -> Turn:
    """A turn of a user."""
    at = datetime(2026, 3, 2, tzinfo=UTC)
    return Turn(id=f"{user}-{number}", user_id=user, session_id="s", occurred_at=at, role=Role.USER, content=content)


def murmur2(key: bytes) -> int:
    """Kafka's murmur2 of a key, as the Java client and Faust compute it."""
    length, m, mask = len(key), 0x5BD1E995, 0xFFFFFFFF
    h = (0x9747B28C ^ length) & mask
    for i in range(0, length - length % 4, 4):
        k = int.from_bytes(key[i : i + 4], "little") * m & mask
        k = (k ^ (k >> 24)) * m & mask
        h = (h * m & mask) ^ k
    tail = key[length - length % 4 :]
    if tail:
        h = (h ^ int.from_bytes(tail, "little")) * m & mask
    h = (h ^ (h >> 13)) * m & mask
    return (h ^ (h >> 15)) & 0x7FFFFFFF


@pytest.fixture
def settings(broker: str) -> Settings:
    """Settings with topics of their own."""
    made = make_settings(NOBODY, kafka_bootstrap=broker, topic_prefix=f"t{uuid.uuid4().hex[:8]}", partitions=4)
    apply_topics(made)
    return made


@pytest.fixture
async def publisher(settings: Settings) -> AsyncIterator[gateway.KafkaPublisher]:
    """The gateway's publisher."""
    made = gateway.KafkaPublisher(settings, give_up_ms=int(PATIENCE * 1000))
    yield made
    await asyncio.to_thread(made.close)


def read(settings: Settings, count: int) -> list[tuple[int, bytes, Inbound]]:
    """Partition, key and event of the first `count` messages."""
    topic = topic_name(settings, Topic.TURNS)
    config = {"bootstrap.servers": settings.kafka_bootstrap, "group.id": uuid.uuid4().hex, "log_level": 3}
    consumer = Consumer(config)
    consumer.assign([TopicPartition(topic, i, 0) for i in range(settings.partitions)])
    found: list[tuple[int, bytes, Inbound]] = []
    deadline = time.monotonic() + PATIENCE
    while len(found) < count and time.monotonic() < deadline:
        message: Any = consumer.poll(0.5)
        if message is not None and message.error() is None:
            event = msgspec.json.decode(message.value(), type=Inbound)
            found.append((message.partition(), message.key(), event))
    consumer.close()
    return found


async def test_acknowledged_events_are_on_the_partition_of_their_user_in_order(
    settings: Settings, publisher: gateway.KafkaPublisher
) -> None:
    users = ["ada", "用户一", "o'neil+x@example.test", "😀", "a/b"]
    for number in range(3):
        await publisher.publish([turn(user, number) for user in users])
    found = await asyncio.to_thread(read, settings, 15)
    assert len(found) == 15
    for user in users:
        mine = [(where, event.id) for where, key, event in found if key == f"default/{user}".encode()]
        assert [event_id for _, event_id in mine] == [f"{user}-{number}" for number in range(3)]
        assert {where for where, _ in mine} == {murmur2(f"default/{user}".encode()) % 4}
    assert publisher.published("default", "ada", "ada-1")
    assert not publisher.published("default", "ada", "ada-9")
    async with asyncio.timeout(PATIENCE):
        while await publisher.ready() != "ok":
            pass


async def test_an_event_the_topic_does_not_take_is_too_large(publisher: gateway.KafkaPublisher) -> None:
    with pytest.raises(TooLargeError):
        await publisher.publish([turn("ada", 1, "x" * 2_100_000)])
    assert not publisher.published("default", "ada", "ada-1")


async def test_a_broker_that_does_not_answer_is_unavailable_over_http() -> None:
    settings = make_settings(NOBODY, kafka_bootstrap="127.0.0.1:1")
    made = gateway.KafkaPublisher(settings, give_up_ms=300)
    deps = Deps(settings, Database(make_pool(settings, "gateway"), 10.0), made, make_catalog())
    transport = httpx.ASGITransport(app=create_app(deps))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        body = {"user_id": "ada", "session_id": "s", "role": "user", "content": "hi", "id": "t1"}
        answer = await http.post("/v1/turns", json=body)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    assert not made.published("default", "ada", "t1")
    with pytest.raises(UnavailableError):
        await made.publish([turn("ada", 1)])
    await asyncio.to_thread(made.close)


def test_the_client_publishes_to_the_same_partitions(settings: Settings) -> None:
    topic = topic_name(settings, Topic.TURNS)
    publisher = KafkaPublisher(settings.kafka_bootstrap, topic=topic, timeout=PATIENCE)
    with Lithify("http://127.0.0.1:1", publisher=publisher) as memory:
        accepted = memory.add_turn("ada", "s1", "hi", id="t1")
        memory.end_session("ada", "s1")
        memory.add_turns([turn("bob", number) for number in range(5)])
    assert accepted.id == "t1"
    found = read(settings, 7)
    assert {where for where, key, _ in found if key == b"default/ada"} == {murmur2(b"default/ada") % 4}
    assert [event.id for _, key, event in found if key == b"default/bob"] == [f"bob-{number}" for number in range(5)]


def test_a_client_without_a_broker_raises() -> None:
    publisher = KafkaPublisher("127.0.0.1:1", timeout=0.3)
    with pytest.raises(Unavailable):
        publisher.publish([turn("ada", 1)])
    publisher.close()


def test_an_oversized_message_raises(settings: Settings) -> None:
    publisher = KafkaPublisher(settings.kafka_bootstrap, topic=topic_name(settings, Topic.TURNS), timeout=PATIENCE)
    with pytest.raises(Invalid) as caught:
        publisher.publish([turn("ada", 1, "x" * 2_100_000)])
    assert caught.value.code == "too_large"
    publisher.close()
