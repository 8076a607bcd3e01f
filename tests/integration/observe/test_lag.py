"""Lag is the age of the oldest unprocessed event, whatever state group and log are in; unknown is not 0."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import TopicPartition

from pipelines.observe.lag import CommitAges, LagReader, PartitionLag, Reading
from pipelines.topics import WORKER_SOURCES, Topic, topic_name
from tests.integration.observe.conftest import Log, settings_on
from tests.support.processes import PATIENCE, eventually
from workers.assembly import WORKERS


@contextmanager
def reader(log: Log) -> Iterator[LagReader]:
    made = LagReader(log.settings, {"importance": Topic.TURNS})
    try:
        yield made
    finally:
        made.close()


def look_with(made: LagReader) -> dict[int, PartitionLag]:
    """The lag of importance, by partition."""
    reading = Reading((), {})

    def known() -> bool:
        nonlocal reading
        reading = made.read()
        return not reading.unknown

    assert eventually(known), reading.unknown  # a new broker has no coordinator yet
    return {lag.partition: lag for lag in reading.partitions}


def look(log: Log) -> dict[int, PartitionLag]:
    """The same, by a reader of its own."""
    with reader(log) as made:
        return look_with(made)


@pytest.fixture(params=["embedded", "kafka"])
def either(request: pytest.FixtureRequest) -> Log:
    """On both brokers."""
    log: Log = request.getfixturevalue("log" if request.param == "embedded" else "kafka_log")
    return log


def test_the_workers_and_what_they_read_are_those_that_are_assembled(log: Log) -> None:
    assert {name: make(log.settings).source for name, make in WORKERS.items()} == WORKER_SOURCES


def test_c97_a_new_group_lags_by_its_oldest_event_and_an_empty_partition_by_nothing(either: Log) -> None:
    began = time.time()
    either.produce(Topic.TURNS, 0)
    time.sleep(1.1)
    either.produce(Topic.TURNS, 0, 3)
    lags = look(either)
    assert [lags[0].committed, lags[1].committed] == [None, None]
    assert lags[0].seconds is not None
    assert 1.0 < lags[0].seconds < time.time() - began + 1
    assert (lags[1].seconds, lags[1].lost) == (0, 0)


def test_c97_an_idle_worker_is_at_zero_and_one_behind_by_its_oldest_unread(either: Log) -> None:
    either.produce(Topic.TURNS, 0, 5)
    either.commit("importance", Topic.TURNS, 0, 5)
    time.sleep(1.1)
    assert look(either)[0].seconds == 0
    began = time.time()
    either.produce(Topic.TURNS, 0)
    lag = look(either)[0]
    assert lag.committed == 5
    assert lag.seconds is not None
    assert 0 < lag.seconds < time.time() - began + 1, "the age of what is unread, not of the last commit"


def test_a_reader_looks_again_and_again(either: Log) -> None:
    with reader(either) as made:
        for committed in range(3):
            either.produce(Topic.TURNS, 0)
            behind = look_with(made)[0].seconds
            assert behind is not None
            assert behind > 0
            either.commit("importance", Topic.TURNS, 0, committed + 1)
            assert {place: lag.seconds for place, lag in look_with(made).items()} == {0: 0, 1: 0}


def test_c97_a_backlog_in_one_batch_is_seen_where_the_end_offset_is_wrong(either: Log) -> None:
    producer = either.produce(Topic.TURNS, 1, 0)
    for _ in range(50):
        producer.produce(topic_name(either.settings, Topic.TURNS), b"{}", partition=1)
    producer.flush(PATIENCE)
    either.commit("importance", Topic.TURNS, 1, 20)
    assert look(either)[1].seconds != 0
    either.commit("importance", Topic.TURNS, 1, 50)
    assert look(either)[1].seconds == 0


def test_c97_transaction_markers_are_no_events(kafka_log: Log) -> None:
    kafka_log.produce(Topic.TURNS, 0, 3, **{"transactional.id": "t1"}).commit_transaction(PATIENCE)
    kafka_log.commit("importance", Topic.TURNS, 0, 3)
    assert look(kafka_log)[0].seconds == 0, "only the commit marker is left"
    kafka_log.produce(Topic.TURNS, 0, 2, **{"transactional.id": "t2"}).abort_transaction(PATIENCE)
    assert look(kafka_log)[0].seconds == 0, "what was taken back is no event"
    still = kafka_log.produce(Topic.TURNS, 0, 2, **{"transactional.id": "t3"})
    assert look(kafka_log)[0].seconds == 0, "nor is what may be taken back"
    still.commit_transaction(PATIENCE)
    lag = look(kafka_log)[0].seconds
    assert lag is not None
    assert lag > 0


def test_c96_what_was_deleted_before_it_was_read_is_counted_and_lag_goes_on_from_the_oldest(kafka_log: Log) -> None:
    kafka_log.produce(Topic.TURNS, 0, 8)
    kafka_log.commit("importance", Topic.TURNS, 0, 2)
    place = TopicPartition(topic_name(kafka_log.settings, Topic.TURNS), 0, 6)
    for future in kafka_log.admin.delete_records([place]).values():
        future.result(PATIENCE)
    lag = look(kafka_log)[0]
    assert (lag.committed, lag.oldest, lag.lost) == (2, 6, 4)
    assert lag.seconds is not None
    assert lag.seconds > 0
    kafka_log.commit("importance", Topic.TURNS, 0, 8)
    assert (look(kafka_log)[0].seconds, look(kafka_log)[0].lost) == (0, 0)


def test_c97_a_group_beyond_the_end_reads_a_topic_made_anew_from_its_start(kafka_log: Log) -> None:
    kafka_log.produce(Topic.TURNS, 0, 2)
    kafka_log.commit("importance", Topic.TURNS, 0, 900)
    lag = look(kafka_log)[0]
    assert lag.lost == 0
    assert lag.seconds is not None
    assert lag.seconds > 0


def test_c97_unknown_is_not_zero() -> None:
    log = LagReader(settings_on("127.0.0.1:1"))
    reading = log.read(timeout=0.5)
    log.close()
    assert reading.partitions == ()
    assert reading.unknown.keys() == WORKER_SOURCES.keys()


def test_c97_a_topic_that_is_not_there_is_unknown(broker: str) -> None:
    log = LagReader(settings_on(broker), {"conflict": Topic.CLAIMS})
    reading = log.read(PATIENCE)
    log.close()
    assert "has no topic" in reading.unknown["conflict"]
    assert not reading.known("conflict")


def lag_of(committed: int | None, seconds: float | None) -> Reading:
    return Reading((PartitionLag("importance", "t", 0, committed, 0, seconds),), {})


def test_c88_the_commit_age_grows_only_while_something_is_unread_and_nothing_is_committed() -> None:
    ages = CommitAges()
    place = ("importance", 0)
    assert ages.update(lag_of(None, 5.0), 100.0) == {place: 0.0}
    assert ages.update(lag_of(None, 30.0), 125.0) == {place: 25.0}
    assert ages.update(lag_of(7, 30.0), 130.0) == {place: 0.0}, "a first commit is progress"
    assert ages.update(lag_of(7, 90.0), 190.0) == {place: 60.0}
    assert ages.update(lag_of(7, None), 200.0) == {}, "unknown"
    assert ages.update(lag_of(7, 0), 210.0) == {place: 0.0}
    assert ages.update(lag_of(7, 1.0), 900.0) == {place: 0.0}, "unread only since then"
