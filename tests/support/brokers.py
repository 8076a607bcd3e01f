"""Which broker the suites run on: the embedded one, or with `LITHIFY_TEST_BROKER=kafka` a real Apache Kafka."""

import os
import uuid
from collections.abc import Iterator, Mapping
from enum import StrEnum

import pytest

from ops.local.stack import Stack
from tests.support.kafka import Kafka

VARIABLE = "LITHIFY_TEST_BROKER"
ON_KAFKA = os.environ.get(VARIABLE, "embedded") == "kafka"


class Lack(StrEnum):
    """What the embedded broker cannot do, and so what is tested on Apache Kafka alone."""

    KEEPS_NOTHING = "nothing in the embedded broker survives its end"
    DELETE_RECORDS = "the embedded broker has no delete_records"
    REPLICAS = "there is one embedded broker, without copies"
    STATIC_MEMBERS = "the embedded broker gives a static member no faster return"
    TRANSACTIONS = "on the embedded broker aborted transactions are visible"
    PROXY = "the embedded broker knows no address but its own"
    SIZES = "the embedded broker takes events of any size"
    STAMPS = "the embedded broker leaves the times of records to producers"
    WATERMARKS = "the embedded broker tells the start of the last batch as the end of a partition"


def needs_kafka(lack: Lack) -> pytest.MarkDecorator:
    """Skips a test on the embedded broker, which lacks what it is about."""
    return pytest.mark.skipif(not ON_KAFKA, reason=f"{lack}; make test-kafka runs it")


EMBEDDED_ALONE = pytest.mark.skipif(ON_KAFKA, reason="about the embedded stack itself, which has its own broker")
"""Skips a test on Apache Kafka."""

WITHOUT_BROKER = pytest.mark.skipif(ON_KAFKA, reason="no broker takes part; make test runs it")
"""Skips a test on Apache Kafka."""


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a broker, as `host:port`. All tests share its topics: name them uniquely."""
    folder = tmp_path_factory.mktemp("broker")
    if ON_KAFKA:
        with Kafka(folder / "kafka") as kafka:
            yield kafka.bootstrap
        return
    with Stack(folder, ["broker"], environment={}) as stack:
        yield stack.settings_env["LITHIFY_KAFKA_BOOTSTRAP"]


def stack_environment(request: pytest.FixtureRequest, inherited: Mapping[str, str]) -> dict[str, str]:
    """The environment of a stack: on Apache Kafka with the address of the one that all tests share."""
    if not ON_KAFKA:
        return dict(inherited)
    bootstrap: str = request.getfixturevalue("broker")
    return {**inherited, **kafka_settings(bootstrap)}


def kafka_settings(bootstrap: str) -> dict[str, str]:
    """Settings of a stack on Apache Kafka, with topics and groups of its own."""
    return own_topics(
        {
            "LITHIFY_KAFKA_BOOTSTRAP": bootstrap,
            "LITHIFY_SESSION_TIMEOUT_SECONDS": "6",
            "LITHIFY_INSTANCE_ID": "slot-1",
        }
    )


def own_topics(environment: Mapping[str, str]) -> dict[str, str]:
    """The same environment with topics and groups that no other stack on that broker has."""
    return {**environment, "LITHIFY_TOPIC_PREFIX": f"stack-{uuid.uuid4().hex[:8]}"}
