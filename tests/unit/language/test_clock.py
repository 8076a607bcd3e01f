"""Times of day, in digits and in words."""

import pytest

from pipelines.language.clock import clock, evening_clock


@pytest.mark.parametrize(
    ("words", "time"),
    [
        ("eight", "08:00"),
        ("half past nine", "09:30"),
        ("half ten", "10:30"),
        ("quarter past 4", "04:15"),
        ("quarter to one", "12:45"),
        ("five forty-five", "05:45"),
        ("7 o'clock", "07:00"),
        ("nine in the evening", "21:00"),
        ("25", None),
        ("half past nowhere", None),
    ],
)
def test_english_times_may_be_spelled(words: str, time: str | None) -> None:
    assert clock(words) == time


def test_a_time_to_go_to_bed_is_of_the_evening_unless_it_says_otherwise() -> None:
    assert evening_clock("half past ten") == "22:30"
    assert evening_clock("7 am") == "07:00"
    assert evening_clock("早上八点") == "08:00"
