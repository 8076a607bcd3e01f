"""The breaker, the back-off, and what Retry-After says."""

from datetime import UTC, datetime

import pytest

from pipelines.language.llm.breaker import FAILURES, LONGEST_PAUSE, Breaker, backoff
from pipelines.language.llm.client import retry_after


def test_it_opens_after_some_failures_and_lets_one_probe_through() -> None:
    breaker = Breaker()
    for _ in range(FAILURES - 1):
        breaker.failed(100.0)
        assert breaker.allows(100.0)
    breaker.failed(100.0)
    assert not breaker.allows(100.0)
    later = 100.0 + LONGEST_PAUSE
    assert breaker.allows(later)
    assert not breaker.allows(later), "one probe at a time"
    breaker.failed(later)
    assert not breaker.allows(later + 1.0)
    assert breaker.allows(later + LONGEST_PAUSE)
    breaker.succeeded()
    assert breaker.allows(later)
    assert not breaker.is_open


def test_success_between_failures_keeps_it_closed() -> None:
    breaker = Breaker()
    for _ in range(3 * FAILURES):
        breaker.failed(0.0)
        breaker.succeeded()
    assert breaker.allows(0.0)


def test_a_hold_opens_it_at_once_for_that_long() -> None:
    breaker = Breaker()
    breaker.failed(10.0, hold=7.0)
    assert not breaker.allows(16.9)
    assert breaker.allows(17.0)


def test_a_probe_that_told_nothing_is_made_again() -> None:
    breaker = Breaker()
    breaker.failed(0.0, hold=1.0)
    assert breaker.allows(2.0)
    breaker.forget_probe()
    assert breaker.allows(2.0)


def test_backoff_doubles_is_spread_and_bounded() -> None:
    assert [backoff(n, 5.0, 60.0, lambda: 1.0) for n in range(1, 6)] == [5.0, 10.0, 20.0, 40.0, 60.0]
    assert backoff(1, 5.0, 60.0, lambda: 0.0) == 2.5
    assert backoff(10_000, 5.0, 60.0, lambda: 1.0) == 60.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("1e9", 3600.0),
        ("nan", None),
        ("soon", None),
        ("", None),
        ("Wed, 04 Mar 2026 10:00:30 GMT", 30.0),
        ("Wed, 04 Mar 2026 09:00:00 GMT", 0.0),
    ],
)
def test_c109_retry_after_in_all_its_forms(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, datetime(2026, 3, 4, 10, tzinfo=UTC)) == seconds
