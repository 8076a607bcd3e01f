"""Local days: zones, midnights, and the dates that day, week, month and weekday words name."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

MIDNIGHT = time()
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?")


def zone(name: str) -> tzinfo:
    """The zone of an IANA name or a UTC offset ("+08:00", "UTC-5"). Raises ValueError for anything else."""
    if name in {"UTC", "Z", ""}:
        return UTC
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        if minutes >= 24 * 60:
            raise ValueError(f"unknown time zone {name!r}")
        return timezone(timedelta(minutes=minutes if offset[1] == "+" else -minutes))
    return _named_zone(name)


@lru_cache(maxsize=512)
def _named_zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"unknown time zone {name!r}") from error


def local_day(occurred_at: datetime, timezone_name: str) -> tuple[date, datetime]:
    """The local date of an instant, and the instant (UTC) of the local midnight that ends it.

    Args:
        occurred_at: aware. A naive one raises ValueError: which hour it names cannot be told.
        timezone_name: IANA name or UTC offset.

    Where midnight is skipped by a clock change, the day ends at the first instant of the next date.
    """
    if occurred_at.tzinfo is None:
        raise ValueError("occurred_at has no time zone")
    place = zone(timezone_name)
    day = occurred_at.astimezone(place).date()
    return day, instant(day + timedelta(days=1), place)


def instant(day: date, place: tzinfo, at: time = MIDNIGHT) -> datetime:
    """The UTC instant of a local time; one that a clock change skips is the first instant after the gap."""
    return datetime.combine(day, at, tzinfo=place).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Days:
    """Local dates [first, last) with the unit named."""

    first: date
    last: date
    unit: str
    vague: bool = False


def relative(unit: str, offset: int, today: date) -> Days:
    """The day, night, week, weekend, month or year that lies `offset` units from the present one."""
    monday = today - timedelta(days=today.weekday())
    if unit in {"day", "night"}:
        first = today + timedelta(days=offset)
        return Days(first, first + timedelta(days=1), unit)
    if unit == "week":
        first = monday + timedelta(weeks=offset)
        return Days(first, first + timedelta(weeks=1), unit)
    if unit == "weekend":
        first = monday + timedelta(days=5, weeks=offset)
        return Days(first, first + timedelta(days=2), unit)
    if unit in {"month", "month_end"}:
        first = add_months(today.replace(day=1), offset)
        return Days(first, add_months(first, 1), unit)
    first = date(today.year + offset, 1, 1)
    return Days(first, date(first.year + 1, 1, 1), unit)


def weekday_of(which: str, weekday: int, today: date) -> Days:
    """The day an English weekday names after "next", "last" or nothing. Monday is 0.

    "Next Friday", said before the Friday of the same week, is read both ways: the range covers both.
    """
    ahead = (weekday - today.weekday()) % 7
    coming = today + timedelta(days=ahead)
    if which == "last":
        return one_day(coming - timedelta(days=7), "weekday")
    if which != "next":
        return one_day(coming, "weekday")
    if ahead == 0:
        return one_day(today + timedelta(days=7), "weekday")
    both = weekday > today.weekday()
    return Days(coming, coming + timedelta(days=8 if both else 1), "weekday", vague=both)


def chinese_weekday(which: str, weekday: int, today: date) -> Days:
    """The day a Chinese weekday names: 下周五 is the Friday of the next calendar week, 周五 the next."""
    monday = today - timedelta(days=today.weekday())
    if which:
        weeks = which.count("下") - which.count("上")
        return one_day(monday + timedelta(days=weekday, weeks=weeks), "date")
    return one_day(today + timedelta(days=(weekday - today.weekday()) % 7), "weekday")


def one_day(day: date, unit: str) -> Days:
    """A single date."""
    return Days(day, day + timedelta(days=1), unit)


def add_months(first: date, months: int) -> date:
    """The first of the month `months` after that of `first`."""
    index = first.year * 12 + first.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def moved(today: date, unit: str, count: int) -> date:
    """The date `count` days, weeks, months or years away; the last of the month where the day is missing."""
    if unit == "day":
        return today + timedelta(days=count)
    if unit == "week":
        return today + timedelta(weeks=count)
    first = add_months(today.replace(day=1), count * (12 if unit == "year" else 1))
    last = add_months(first, 1) - timedelta(days=1)
    return first.replace(day=min(today.day, last.day))
