"""What readiness asks of the broker: that it answers, and that the topic to read is there."""

import uuid

from confluent_kafka.cimpl import NewTopic

from pipelines.kafka import make_admin, topic_fault
from tests.support.pipeline import settings_for
from tests.support.processes import PATIENCE, eventually
from tests.support.servers import Database


def test_a_topic_that_is_there_and_one_that_is_not(database: Database, broker: str) -> None:
    admin = make_admin(settings_for(database, kafka_bootstrap=broker))
    name = f"ready-{uuid.uuid4().hex}"
    assert topic_fault(admin, name, PATIENCE) == f"broker: no topic {name}"
    for future in admin.create_topics([NewTopic(name, 1, 1)]).values():
        future.result(PATIENCE)
    assert eventually(lambda: topic_fault(admin, name, PATIENCE) is None)


def test_a_broker_that_does_not_answer(database: Database) -> None:
    fault = topic_fault(make_admin(settings_for(database)), "any", timeout=0.5)
    assert fault is not None
    assert fault.startswith("broker: ")
