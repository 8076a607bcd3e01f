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
