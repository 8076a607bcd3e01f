"""`doctor` sees a broker whose clock is ahead, by what the broker stamped on records."""

import uuid
from datetime import datetime

import pytest
from confluent_kafka import Producer

from pipelines.kafka import apply_topics
from pipelines.settings import Settings, load_settings
from pipelines.topics import Topic, topic_name
from tests.support.brokers import EMBEDDED_ALONE, Lack, needs_kafka
from tests.support.pipeline import KEYS
from tests.support.processes import PATIENCE
from tests.support.skewed import skewed
from workers.operate.doctor import clock
from workers.operate.doctor.finding import Status

LONG_AGO = 1_000_000_000_000
"""The time that the producer gives its records."""


@pytest.fixture
def settings(broker: str) -> Settings:
    """With topics of its own, which are empty."""
    changed = {"LITHIFY_KAFKA_BOOTSTRAP": broker, "LITHIFY_TOPIC_PREFIX": f"clock-{uuid.uuid4().hex[:8]}"}
    made = load_settings({**KEYS, "LITHIFY_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", **changed})
    apply_topics(made)
    return made


def publish(settings: Settings) -> None:
    producer = Producer({"bootstrap.servers": settings.kafka_bootstrap, "log_level": 0})
    for number in range(settings.partitions):
        producer.produce(topic_name(settings, Topic.TURNS), b"{}", partition=number, timestamp=LONG_AGO)
    assert producer.flush(PATIENCE) == 0


def here(monkeypatch: pytest.MonkeyPatch, minutes: float) -> None:
    """Set this machine's clock, as `doctor` reads it."""
    changed: type[datetime] = skewed(minutes)
    monkeypatch.setattr(clock, "datetime", changed)


@needs_kafka(Lack.STAMPS)
@pytest.mark.parametrize(("minutes", "status"), [(-15, Status.WARN), (0, Status.OK), (15, Status.OK)])
def test_a_broker_that_is_ahead_is_told_and_one_that_is_behind_is_not_seen(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, minutes: float, status: Status
) -> None:
    publish(settings)
    here(monkeypatch, minutes)
    found = clock.check_broker_clock(settings)
    assert found.status is status, found
    if status is Status.WARN:
        assert "ahead" in found.detail
    else:
        assert "behind cannot be seen" in found.detail


@EMBEDDED_ALONE
def test_what_producers_stamped_says_nothing_of_the_broker(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(settings)
    here(monkeypatch, -60 * 24 * 365 * 40)
    assert clock.check_broker_clock(settings).status is Status.OK
