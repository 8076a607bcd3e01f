"""Health follows progress; readiness says what does not work, and for how long."""

import pytest

from pipelines.runtime.health import health, readiness
from pipelines.runtime.worker import Progress

NOW = 10_000.0


def test_idle_and_joined_is_healthy_and_ready() -> None:
    assert health(Progress(), NOW).ok
    assert readiness(Progress(), joined=True, now=NOW).ok


def test_before_the_group_is_joined_it_is_not_ready() -> None:
    verdict = readiness(Progress(), joined=False, now=NOW)
    assert (verdict.ok, verdict.reasons) == (False, ("not in the consumer group",))


def test_a_failing_partition_is_named_though_others_work() -> None:
    progress = Progress(failing_since={3: NOW - 42}, last_error="database: gone", busy_since={3: NOW - 700})
    verdict = readiness(progress, joined=True, now=NOW)
    assert verdict.reasons == ("partitions [3] fail for 42 s: database: gone",)
    assert health(progress, NOW).ok, "a restart would not bring the database back"


@pytest.mark.parametrize(("seconds", "ok"), [(599, True), (601, False)])
def test_a_batch_that_neither_fails_nor_ends_is_unhealthy(seconds: float, ok: bool) -> None:
    assert health(Progress(busy_since={0: NOW - seconds}), NOW).ok is ok


def test_a_relay_that_fails_makes_it_unready() -> None:
    verdict = readiness(Progress(relay_failing_since=NOW - 5), joined=True, now=NOW)
    assert verdict.reasons == ("the outbox relay fails for 5 s",)


def test_c92_unread_events_without_progress_are_unhealthy_and_an_idle_worker_is_not() -> None:
    assert health(Progress(unread_since={1: NOW - 59}), NOW).ok
    verdict = health(Progress(unread_since={1: NOW - 61}), NOW)
    assert verdict.reasons == ("partitions [1] have unread events, and nothing was committed",)
    assert health(Progress(unread_since={1: NOW - 61}), NOW, stall_seconds=120).ok


def test_a_long_batch_explains_why_nothing_was_committed_since_it_began_but_not_before() -> None:
    assert health(Progress(unread_since={1: NOW - 400}, busy_since={1: NOW - 395}), NOW).ok
    assert not health(Progress(unread_since={1: NOW - 400}, busy_since={1: NOW - 2}), NOW).ok


def test_a_partition_that_fails_is_not_stalled() -> None:
    assert health(Progress(unread_since={1: NOW - 400}, failing_since={1: NOW - 300}), NOW).ok


def test_a_member_that_stays_out_of_its_group_is_unhealthy() -> None:
    assert health(Progress(outside_since=NOW - 299), NOW).ok
    assert health(Progress(outside_since=NOW - 301), NOW).reasons == ("not in the consumer group for 301 s",)
