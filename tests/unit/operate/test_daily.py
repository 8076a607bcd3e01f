"""When the nightly run is due, in zones whose days are not all alike."""

from datetime import UTC, datetime, time

import pytest

from workers.operate.console import UsageError
from workers.operate.daily import latest, time_of_day


@pytest.mark.parametrize(
    ("zone", "now", "due"),
    [
        ("UTC", "2026-03-04T03:00:00+00:00", "2026-03-04T03:00:00+00:00"),
        ("UTC", "2026-03-04T02:59:59+00:00", "2026-03-03T03:00:00+00:00"),
        ("Asia/Shanghai", "2026-03-04T00:00:00+00:00", "2026-03-03T19:00:00+00:00"),
        ("America/New_York", "2026-03-08T12:00:00+00:00", "2026-03-08T07:00:00+00:00"),
        ("America/New_York", "2026-03-07T12:00:00+00:00", "2026-03-07T08:00:00+00:00"),
    ],
)
def test_the_last_due_instant_is_that_time_of_day_in_the_zone(zone: str, now: str, due: str) -> None:
    found = latest(time(3), zone, datetime.fromisoformat(now))
    assert found == datetime.fromisoformat(due)
    assert found.tzinfo is UTC


def test_a_time_of_day_is_refused_where_it_is_none() -> None:
    assert time_of_day("03:30") == time(3, 30)
    with pytest.raises(UsageError, match="expected a time of day"):
        time_of_day("tomorrow")
