"""Time words: "yesterday", "next Friday", "until June", 大后天, 到周日, resolved against the turn, never the clock.

Every result is a half-open range of UTC instants with the words it came from. A phrase that people read in two
ways ("next Friday", said on a Wednesday) gives the range over both readings and is marked vague.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from pipelines.language.catalog import SCHEMAS
from pipelines.language.text import fold

NIGHT_END = time(4)
""""Tonight" lasts until then, local time."""
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?")


class Bound(StrEnum):
    """What a phrase says about its range."""

    WITHIN = "within"
    """Something is so, or happens, in the range."""
    UNTIL = "until"
    """It is so up to `end`."""
    SINCE = "since"
    """It is so from `begin`."""


@dataclass(frozen=True, slots=True)
class TimeWord:
    """One resolved phrase."""

    text: str
    span: tuple[int, int]
    """Code points into the text searched."""
    bound: Bound
    begin: datetime | None
    """Aware, UTC; None: open."""
    end: datetime | None
    """Aware, UTC, exclusive; None: open."""
    unit: str
    """What is named: day, week, month, year, weekend, night, weekday, date, ..."""
    vague: bool = False
    """Whether the phrase has two readings; the range covers both."""


class TimeData(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The word lists of `schemas/patterns/time.json`."""

    relative: dict[str, tuple[str, int]]
    weekdays: dict[str, int]
    months: dict[str, int]
    numbers: dict[str, int]
    units: dict[str, str]
    until: list[str]
    since: list[str]
    schema: str = msgspec.field(name="$schema", default="")


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
    return day, _instant(day + timedelta(days=1), place)


def _instant(day: date, place: tzinfo, at: time = time()) -> datetime:
    return datetime.combine(day, at, tzinfo=place).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class _Days:
    """Local dates [first, last) with the unit named."""

    first: date
    last: date
    unit: str
    vague: bool = False


class TimeWords:
    """Finds and resolves time words. Stateless after construction."""

    def __init__(self, data: TimeData) -> None:
        self._data = data
        self._pattern = _pattern(data)

    def find(self, text: str, occurred_at: datetime, timezone_name: str) -> tuple[TimeWord, ...]:
        """The time words of `text`, in order, resolved against `occurred_at` (aware) in the zone."""
        place = zone(timezone_name)
        now = occurred_at.astimezone(place)
        found = []
        for match in self._pattern.finditer(fold(text)):
            word = self._resolve(match, now, place, text)
            if word is not None:
                found.append(word)
        return tuple(found)

    def _resolve(self, match: re.Match[str], now: datetime, place: tzinfo, text: str) -> TimeWord | None:
        try:
            bound = self._bound(match)
            days = self._days(match, now.date(), bound)
            if days is None:
                return None
            begin, end = self._instants(days, now, place)
        except (ValueError, OverflowError):
            return None
        if bound is Bound.UNTIL:
            stop = begin if days.unit in {"month", "year", "week"} else end
            begin, end = None, stop
        elif bound is Bound.SINCE:
            end = None
        first, last = match.span()
        return TimeWord(text[first:last], (first, last), bound, begin, end, days.unit, days.vague)

    def _instants(self, days: _Days, now: datetime, place: tzinfo) -> tuple[datetime | None, datetime | None]:
        if days.unit != "night":
            return _instant(days.first, place), _instant(days.last, place)
        first, last = days.first, days.last
        if days.first == now.date() and now.time() < NIGHT_END:
            first, last = first - timedelta(days=1), last - timedelta(days=1)
        return _instant(first, place, time(18)), _instant(last, place, NIGHT_END)

    def _bound(self, match: re.Match[str]) -> Bound:
        before = (match["before"] or match["zh_before"] or "").lower()
        if before in self._data.until or match["lasting"]:
            return Bound.UNTIL
        return Bound.SINCE if before in self._data.since else Bound.WITHIN

    def _days(self, match: re.Match[str], today: date, bound: Bound) -> _Days | None:
        relative = match["relative"] or match["zh_relative"]
        if relative:
            unit, offset = self._data.relative[relative.lower()]
            return _relative(unit, offset, today)
        if match["weekday"]:
            if len(match["weekday"]) <= 4 and not (match["which"] or match["before"]):
                return None
            return _weekday((match["which"] or "").lower(), self._data.weekdays[match["weekday"].lower()], today)
        if match["zh_weekday"]:
            return _chinese_weekday(match["zh_which"] or "", self._data.weekdays[match["zh_weekday"]], today)
        if match["iso"]:
            return _day(date.fromisoformat(match["iso"]), "date")
        if match["month_from"]:
            return self._month_range(match, today)
        if match["month"] or match["month2"] or match["month3"] or match["zh_month"]:
            return self._date(match, today, bound)
        return self._counted(match, today)

    def _month_range(self, match: re.Match[str], today: date) -> _Days:
        first, last = self._month(match["month_from"]), self._month(match["month_to"])
        year = today.year if first <= today.month else today.year - 1
        begin = date(year, first, 1)
        return _Days(begin, _add_months(date(year + (last < first), last, 1), 1), "months")

    def _date(self, match: re.Match[str], today: date, bound: Bound) -> _Days:
        month = self._month(match["month"] or match["month2"] or match["month3"] or match["zh_month"])
        digits = match["day"] or match["day2"] or match["zh_day"]
        years = match["year"] or match["year2"] or match["year3"] or match["zh_year"]
        if digits is None:
            if match["month3"] and not (match["in"] or match["before"] or years):
                return None
            first = date(int(years) if years else _year(today, month, 1, bound), month, 1)
            return _Days(first, _add_months(first, 1), "month")
        day = self._number(digits)
        return _day(date(int(years) if years else _year(today, month, day, bound), month, day), "date")

    def _counted(self, match: re.Match[str], today: date) -> _Days | None:
        count = self._number(match["count"] or match["count2"] or match["count3"] or match["count4"] or "")
        unit = self._data.units[
            (match["unit"] or match["unit2"] or match["unit3"] or match["unit4"] or "").lower()
        ]
        back = bool(match["ago"] or match["zh_ago"])
        moved = _move(today, unit, -count if back else count)
        return _day(moved, "count")

    def _month(self, word: str) -> int:
        return self._data.months.get(word.lower()) or self._number(word)

    def _number(self, word: str) -> int:
        if word.isdecimal():
            return int(word)
        known = self._data.numbers.get(word.lower())
        if known is not None:
            return known
        tens, _, ones = word.partition("十")
        return self._data.numbers.get(tens, 1) * 10 + self._data.numbers.get(ones, 0)


def _relative(unit: str, offset: int, today: date) -> _Days | None:
    monday = today - timedelta(days=today.weekday())
    if unit in {"day", "night"}:
        first = today + timedelta(days=offset)
        return _Days(first, first + timedelta(days=1), unit)
    if unit == "week":
        first = monday + timedelta(weeks=offset)
        return _Days(first, first + timedelta(weeks=1), unit)
    if unit == "weekend":
        first = monday + timedelta(days=5, weeks=offset)
        return _Days(first, first + timedelta(days=2), unit)
    if unit in {"month", "month_end"}:
        first = _add_months(today.replace(day=1), offset)
        return _Days(first, _add_months(first, 1), unit)
    first = date(today.year + offset, 1, 1)
    return _Days(first, date(first.year + 1, 1, 1), unit)


def _weekday(which: str, weekday: int, today: date) -> _Days:
    ahead = (weekday - today.weekday()) % 7
    coming = today + timedelta(days=ahead)
    if which == "last":
        return _day(coming - timedelta(days=7), "weekday")
    if which != "next":
        return _day(coming, "weekday")
    if ahead == 0:
        return _day(today + timedelta(days=7), "weekday")
    same_week = weekday > today.weekday()
    return _Days(coming, coming + timedelta(days=8 if same_week else 1), "weekday", vague=same_week)


def _chinese_weekday(which: str, weekday: int, today: date) -> _Days:
    monday = today - timedelta(days=today.weekday())
    weeks = which.count("下") - which.count("上")
    if which and (weeks or which[0] in "这本"):
        return _day(monday + timedelta(days=weekday, weeks=weeks), "weekday")
    return _day(today + timedelta(days=(weekday - today.weekday()) % 7), "weekday")


def _day(day: date, unit: str) -> _Days:
    return _Days(day, day + timedelta(days=1), unit)


def _year(today: date, month: int, day: int, bound: Bound) -> int:
    """The year of a date said without one: the next such date after "until", the last one after "since"."""
    passed = (month, day) < (today.month, 1 if day == 1 else today.day)
    if bound is Bound.SINCE:
        return today.year if (month, day) <= (today.month, today.day) else today.year - 1
    return today.year + 1 if passed else today.year


def _add_months(first: date, months: int) -> date:
    index = first.year * 12 + first.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def _move(today: date, unit: str, count: int) -> date:
    if unit == "day":
        return today + timedelta(days=count)
    if unit == "week":
        return today + timedelta(weeks=count)
    first = _add_months(today.replace(day=1), count * (12 if unit == "year" else 1))
    last = _add_months(first, 1) - timedelta(days=1)
    return first.replace(day=min(today.day, last.day))


def _words(words: Iterable[str], *, chinese: bool = False) -> str:
    chosen = [word for word in words if word.isascii() is not chinese]
    return "|".join(re.escape(word) for word in sorted(chosen, key=len, reverse=True))


def _pattern(data: TimeData) -> re.Pattern[str]:
    before = [*data.until, *data.since]
    return re.compile(
        rf"""
        (?:(?<![a-z0-9])(?P<before>{_words(before)})\s+(?:the\s+)?|(?P<zh_before>{_words(before, chinese=True)})\s*)?
        (?:(?<![a-z0-9])(?:{_english(data)})|{_chinese(data)})
        """,
        re.IGNORECASE | re.VERBOSE,
    )


def _english(data: TimeData) -> str:
    months, weekdays = _words(data.months), _words(data.weekdays)
    number = rf"(?:\d{{1,3}}|{_words(data.numbers)})"
    day = r"(?:3[01]|[12]\d|0?[1-9])"
    return rf"""
        (?P<iso>\d{{4}}-\d\d-\d\d)(?!\d)
      | (?P<relative>{_words(data.relative)})\b
      | (?:(?P<which>next|this|last|coming)\ )?(?P<weekday>{weekdays})\b
      | (?P<month_from>{months})\ ?(?:-|–|to)\ ?(?P<month_to>{months})\b
      | (?P<day>{day})(?:st|nd|rd|th)?\ (?:of\ )?(?P<month>{months})\b(?:,?\ (?P<year>\d{{4}}))?
      | (?P<month2>{months})\ (?P<day2>{day})(?:st|nd|rd|th)?(?!\d)(?:,?\ (?P<year2>\d{{4}}))?
      | (?P<in>in\ )?(?P<month3>{months})\b(?:\ (?P<year3>\d{{4}}))?
      | (?P<count>{number})\ (?P<unit>{_words(data.units)})\ (?P<ago>ago)
      | in\ (?P<count2>{number})\ (?P<unit2>{_words(data.units)})\b
      | (?P<lasting>for)\ (?:the\ next\ )?(?P<count3>{number})\ (?P<unit3>{_words(data.units)})\b
    """


def _chinese(data: TimeData) -> str:
    days = "".join(word for word in data.weekdays if not word.isascii())
    number = r"(?:\d{1,3}|[一二两三四五六七八九十]{1,3})"
    return rf"""
        (?P<zh_which>这个?|本|下+个?|上+个?)?(?:周|星期|礼拜)(?P<zh_weekday>[{days}])
      | (?P<zh_relative>{_words(data.relative, chinese=True)})
      | (?:(?P<zh_year>\d{{4}})年)?(?P<zh_month>\d{{1,2}}|十?[一二三四五六七八九十])月
        (?:(?P<zh_day>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})[日号])?
      | (?P<count4>{number})(?P<unit4>{_words(data.units, chinese=True)})(?:(?P<zh_ago>以?前)|(?:以|之)?后)
    """


@lru_cache(maxsize=4)
def time_words(path: Path | None = None) -> TimeWords:
    """The time words of `schemas/patterns/time.json`. Raises ValueError where the file breaks its schema."""
    source = path or SCHEMAS / "patterns" / "time.json"
    try:
        return TimeWords(msgspec.json.decode(source.read_bytes(), type=TimeData))
    except msgspec.DecodeError as error:
        raise ValueError(f"{source}: {error}") from error
