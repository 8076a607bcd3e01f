"""What retention removed is told of once, however often the consumer comes across it."""

import logging
import threading
from typing import Any

import pytest
from confluent_kafka import TopicPartition

from pipelines import metrics
from pipelines.runtime import gaps
from pipelines.settings import Settings
from tests.support.pipeline import KEYS
from tests.support.processes import eventually


class Broker:
    """Stands for the consumer that is asked for the oldest offset there is."""

    oldest = 50

    def __init__(self, config: dict[str, Any]) -> None: ...

    def get_watermark_offsets(self, place: TopicPartition, timeout: float) -> tuple[int, int]:  # noqa: ARG002
        return self.oldest, 100

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("seen", "missing"),
    [
        ([(50, 30)], [20]),
        ([(50, 30), (50, 30)], [20]),
        ([(50, 30), (70, 30)], [20, 20]),
        ([(50, 30), (70, 60)], [20, 10]),
        ([(50, 30), (10, 5)], [20, 5]),
        ([(0, 120)], [0]),
    ],
)
def test_each_event_counts_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, seen: list[tuple[int, int]], missing: list[int]
) -> None:
    monkeypatch.setattr(gaps, "Consumer", Broker)
    settings = Settings.model_construct(kafka_bootstrap=KEYS["LITHIFY_KAFKA_BOOTSTRAP"])
    listener = gaps.GapListener("counting", settings)
    counted = metrics.PASSED_OVER.labels("counting")
    before, running = counted._value.get(), threading.active_count()
    for oldest, offset in seen:
        monkeypatch.setattr(Broker, "oldest", oldest)
        message = "Fetch offset %s is out of range for partition %s, resetting offset"
        record = logging.LogRecord(gaps.FETCHER, logging.INFO, "", 0, message, (offset, TopicPartition("t", 0)), None)
        assert not listener.filter(record)
        assert eventually(lambda: threading.active_count() == running)
    assert counted._value.get() - before == sum(missing)
    assert [record.args[1] for record in caplog.records if record.args] == missing  # type: ignore[index]
