"""Time words resolve against the turn and its zone, never the clock."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.language.days import local_day, zone
from pipelines.language.timewords import Bound, TimeWord, time_words

SHANGHAI = "Asia/Shanghai"
WEDNESDAY = datetime.fromisoformat("2026-03-04T23:30+08:00")


def only(text: str, at: datetime = WEDNESDAY, zone_name: str = SHANGHAI) -> TimeWord:
    found = time_words().find(text, at, zone_name)
    assert len(found) == 1
    return found[0]


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def test_c45_yesterday_is_the_day_before_the_turn() -> None:
    found = only("I went to the dentist yesterday.", utc("2023-05-07T09:00+09:00"), "Asia/Tokyo")
    assert (found.begin, found.end) == (utc("2023-05-06T00:00+09:00"), utc("2023-05-07T00:00+09:00"))
    assert found.text == "yesterday"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("下周五去苏州出差", "2026-03-13"),
        ("大后天", "2026-03-07"),
        ("明天", "2026-03-05"),
        ("上周一", "2026-02-23"),
    ],
)
def test_c46_chinese_days_are_dates_in_the_zone_of_the_user(text: str, first: str) -> None:
    found = only(text)
    assert found.begin == utc(f"{first}T00:00+08:00")
    assert not found.vague


def test_c46_next_friday_has_two_readings_before_the_friday_of_the_week() -> None:
    found = only("next Friday")
    assert found.vague
    assert (found.begin, found.end) == (utc("2026-03-06T00:00+08:00"), utc("2026-03-14T00:00+08:00"))


def test_next_monday_has_one_reading() -> None:
    found = only("next Monday")
    assert not found.vague
    assert found.begin == utc("2026-03-09T00:00+08:00")


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("until June", "2026-06-01"),
        ("until 3 June", "2026-06-04"),
        ("until June 3rd", "2026-06-04"),
        ("until 2026-05-01", "2026-05-02"),
        ("until Sunday", "2026-03-09"),
        ("until next month", "2026-04-01"),
        ("until the end of the month", "2026-04-01"),
        ("for two weeks", "2026-03-19"),
        ("到六月", "2026-06-01"),
        ("到周日", "2026-03-09"),
        ("到月底", "2026-04-01"),
        ("直到6月3号", "2026-06-04"),
    ],
)
def test_stated_ends_are_half_open(text: str, end: str) -> None:
    found = only(text)
    assert found.bound is Bound.UNTIL
    assert found.begin is None
    assert found.end == utc(f"{end}T00:00+08:00")


@pytest.mark.parametrize("text", ["tonight", "今晚"])
def test_tonight_ends_at_four(text: str) -> None:
    assert only(text).end == utc("2026-03-05T04:00+08:00")


def test_after_midnight_tonight_is_the_running_night() -> None:
    assert only("tonight", utc("2026-03-05T02:00+08:00")).end == utc("2026-03-05T04:00+08:00")


def test_c10_a_range_of_months() -> None:
    found = only("Noa was on Payments Jan–Mar.", utc("2026-09-04T12:00+08:00"))
    assert (found.begin, found.end) == (utc("2026-01-01T00:00+08:00"), utc("2026-04-01T00:00+08:00"))


def test_c10_since_looks_back() -> None:
    found = only("since July", utc("2026-03-04T12:00+08:00"))
    assert (found.bound, found.begin, found.end) == (Bound.SINCE, utc("2025-07-01T00:00+08:00"), None)


@pytest.mark.parametrize(
    ("text", "ahead", "back"),
    [
        ("on Monday", "2026-03-09", "2026-03-02"),
        ("周一", "2026-03-09", "2026-03-02"),
        ("on March 2", "2027-03-02", "2026-03-02"),
        ("on March 1", "2027-03-01", "2026-03-01"),
        ("3月1号", "2027-03-01", "2026-03-01"),
        ("in January", "2027-01-01", "2026-01-01"),
        ("in December", "2026-12-01", "2025-12-01"),
        ("last Friday", "2026-02-27", "2026-02-27"),
        ("next Monday", "2026-03-09", "2026-03-09"),
    ],
)
def test_what_happened_lies_back_and_what_will_ahead(text: str, ahead: str, back: str) -> None:
    for happened, first in ((False, ahead), (True, back)):
        (found,) = time_words().find(text, WEDNESDAY, SHANGHAI, happened=happened)
        assert found.begin == utc(f"{first}T00:00+08:00")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("since Monday", "2026-03-02"),
        ("from Monday", "2026-03-09"),
        ("from April", "2026-04-01"),
        ("from January", "2026-01-01"),
        ("从4月", "2026-04-01"),
        ("since April", "2025-04-01"),
    ],
)
def test_since_looks_back_and_from_to_the_nearest(text: str, first: str) -> None:
    assert only(text).begin == utc(f"{first}T00:00+08:00")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("day after tomorrow", "2026-03-06", "2026-03-07"),
        ("the day before yesterday", "2026-03-02", "2026-03-03"),
        ("the week after next", "2026-03-16", "2026-03-23"),
        ("下下个月", "2026-05-01", "2026-06-01"),
        ("上上个月", "2026-01-01", "2026-02-01"),
        ("下个月15号", "2026-04-15", "2026-04-16"),
        ("上个月三十号", None, None),
        ("2026/3/8", "2026-03-08", "2026-03-09"),
    ],
)
def test_c46_two_steps_away_is_not_one(text: str, first: str | None, last: str | None) -> None:
    found = [(word.begin, word.end) for word in time_words().find(text, WEDNESDAY, SHANGHAI)]
    assert found == ([(utc(f"{first}T00:00+08:00"), utc(f"{last}T00:00+08:00"))] if first else [])


@pytest.mark.parametrize("text", ["农历八月十五", "Friday after next", "Monday week", "03/04/2026"])
def test_c46_what_is_not_understood_names_no_day(text: str) -> None:
    assert time_words().find(text, WEDNESDAY, SHANGHAI) == ()


@pytest.mark.parametrize("text", ["from next Monday until Friday", "从下周一到周五"])
def test_c46_a_range_ends_after_it_begins(text: str) -> None:
    start, end = time_words().find(text, WEDNESDAY, SHANGHAI)
    assert start.begin == utc("2026-03-09T00:00+08:00")
    assert end.end == utc("2026-03-14T00:00+08:00")


def test_an_end_said_without_a_year_is_never_past() -> None:
    assert only("until March 1").end == utc("2027-03-02T00:00+08:00")


@pytest.mark.parametrize("text", ["I may go", "we sat in the sun", "march on", "5 may do", "a decade"])
def test_other_words_are_no_time(text: str) -> None:
    assert not [word for word in time_words().find(text, WEDNESDAY, SHANGHAI) if word.unit != "date"]


def test_a_date_that_does_not_exist_is_none() -> None:
    assert time_words().find("until 31 June", WEDNESDAY, SHANGHAI) == ()


def test_c48_naive_times_are_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        local_day(datetime(2026, 3, 8, 2, 30), "UTC")  # noqa: DTZ001 - the fault under test


def test_c47_local_day_near_midnight() -> None:
    day, end = local_day(utc("2025-07-25T02:00+00:00"), "America/Los_Angeles")
    assert day == date(2025, 7, 24)
    assert end == utc("2025-07-25T07:00+00:00")


@pytest.mark.parametrize(
    ("at", "name", "end"),
    [
        ("2026-03-08T12:00-07:00", "America/Los_Angeles", "2026-03-09T00:00-07:00"),  # 23 hours
        ("2026-11-01T12:00-08:00", "America/Los_Angeles", "2026-11-02T00:00-08:00"),  # 25 hours
        ("2024-09-07T12:00-04:00", "America/Santiago", "2024-09-08T01:00-03:00"),  # midnight is skipped
    ],
)
def test_days_end_at_the_first_instant_of_the_next_date(at: str, name: str, end: str) -> None:
    assert local_day(utc(at), name)[1] == utc(end)


@pytest.mark.parametrize("name", ["UTC", "+08:00", "-0330", "UTC+9", "Europe/Berlin"])
def test_zones(name: str) -> None:
    assert zone(name).utcoffset(datetime(2026, 1, 1)) is not None  # noqa: DTZ001 - a zone takes local times


@pytest.mark.parametrize("name", ["Mars/Olympus", "+99:00", "../etc/passwd", "a\x00b"])
def test_unknown_zones_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="zone"):
        zone(name)


@given(
    text=st.text(alphabet="untilsincenextFridayMay 0123456789月日号周到下上今晚天后前年三", max_size=40),
    at=st.datetimes(timezones=st.just(UTC)),
)
def test_any_words_at_any_time_resolve_or_are_none(text: str, at: datetime) -> None:
    try:
        at.astimezone(zone(SHANGHAI))
    except OverflowError:
        return
    for word in time_words().find(text, at, SHANGHAI):
        assert word.text == text[slice(*word.span)]
        assert word.begin is None or word.end is None or word.begin < word.end
