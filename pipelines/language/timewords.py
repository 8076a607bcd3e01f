"""Time words ("yesterday", "next Friday", 大后天, 到周日), resolved against the turn, never the clock.

Every result is a half-open range of UTC instants with the words it came from. A phrase that is read in two
ways ("next Friday", said on a Wednesday) gives the range over both readings and is marked vague.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from enum import Enum, StrEnum, auto
from functools import lru_cache
from pathlib import Path

import msgspec

from pipelines.language import days
from pipelines.language.catalog import SCHEMAS
from pipelines.language.days import Days
from pipelines.language.text import fold
from pipelines.language.timegrammar import TimeData, time_pattern

NIGHT_START, NIGHT_END = time(18), time(4)
""""Tonight", local time: until four in the morning."""
_WHOLE = frozenset(["week", "month", "year"])
"""Units before which "until" ends; of a day, "until" includes the day."""
_HALF_A_YEAR = 6
_ABBREVIATED = 4
"""Letters of a weekday that may be another word (sun, sat, mon): taken only after "next", "until" ..."""


class Bound(StrEnum):
    """What a phrase says about its range."""

    WITHIN = "within"
    """Something is so, or happens, in the range."""
    UNTIL = "until"
    """It is so up to `end`."""
    SINCE = "since"
    """It is so from `begin`."""


class Side(Enum):
    """On which side of the turn that lies which is named without its year or week."""

    AHEAD = auto()
    BACK = auto()
    NEAREST = auto()
    """"From April": the last one or the next, whichever is nearer."""


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
    lasting: bool = False
    """Whether it is a duration, "for two weeks": it counts from now on, or back from now after "have been"."""
    vague: bool = False
    """Whether the phrase has two readings; the range covers both."""


class TimeWords:
    """Finds and resolves time words. Stateless after construction."""

    def __init__(self, data: TimeData) -> None:
        self._data = data
        self._pattern = time_pattern(data)

    def find(
        self, text: str, occurred_at: datetime, timezone_name: str, *, happened: bool = False
    ) -> tuple[TimeWord, ...]:
        """The time words of `text`, in order, resolved against `occurred_at` (aware) in the zone.

        Args:
            text: what is searched.
            occurred_at: the event time of the turn.
            timezone_name: IANA name or UTC offset.
            happened: whether `text` tells of what is over ("I moved on Monday"): what names no year or week then
                lies back, else ahead.
        """
        place = days.zone(timezone_name)
        now = occurred_at.astimezone(place)
        found: list[TimeWord] = []
        for match in self._pattern.finditer(fold(text)):
            word = self._resolve(match, now, place, text, happened)
            start = found[-1].begin if found and found[-1].bound is Bound.SINCE else None
            if word is not None and start is not None and word.end is not None and word.end <= start:
                # "from next Monday until Friday" is the Friday after that Monday
                word = self._resolve(match, start.astimezone(place), place, text, happened=False)
            if word is not None:
                found.append(word)
        return tuple(found)

    def _resolve(
        self, match: re.Match[str], now: datetime, place: tzinfo, text: str, happened: bool
    ) -> TimeWord | None:
        try:
            bound = self._bound(match)
            named = self._days(match, now.date(), self._side(match, happened))
            if named is None:
                return None
            first, last = _instants(named, now, place)
        except (ValueError, OverflowError):  # 31 June, or a year no calendar holds
            return None
        begin: datetime | None = first
        end: datetime | None = last
        if bound is Bound.UNTIL:
            begin, end = None, first if named.unit in _WHOLE else last
        elif bound is Bound.SINCE:
            end = None
        words = text[match.start() : match.end()]
        lasting = match["lasting"] is not None
        return TimeWord(words, match.span(), bound, begin, end, named.unit, lasting, named.vague)

    def _bound(self, match: re.Match[str]) -> Bound:
        before = (match["before"] or match["zh_before"] or "").lower()
        if before in self._data.until or match["lasting"]:
            return Bound.UNTIL
        return Bound.SINCE if before in self._data.since else Bound.WITHIN

    def _side(self, match: re.Match[str], happened: bool) -> Side:
        before = (match["before"] or match["zh_before"] or "").lower()
        if happened or before in self._data.back:
            return Side.BACK
        return Side.NEAREST if before in self._data.since else Side.AHEAD

    def _days(self, match: re.Match[str], today: date, side: Side) -> Days | None:
        relative = match["relative"] or match["zh_relative"]
        if relative:
            return days.relative(*self._data.relative[relative.lower()], today)
        if match["weekday"] or match["zh_weekday"]:
            return self._weekday(match, today, back=side is Side.BACK)
        if match["iso"]:
            return days.one_day(date.fromisoformat(match["iso"]), "date")
        if match["of_month"]:
            return self._day_of_month(match["of_month"], self._number(match["of_day"]), today)
        if match["slash_year"]:
            return days.one_day(date(*(int(match[f"slash_{part}"]) for part in ("year", "month", "day"))), "date")
        if match["month_from"]:
            return self._month_range(match, today)
        if _first(match, "month"):
            return self._date(match, today, side)
        return self._counted(match, today)

    def _weekday(self, match: re.Match[str], today: date, *, back: bool) -> Days | None:
        if back and not (match["which"] or match["zh_which"]):
            return self._last_weekday(match, today)
        if match["zh_weekday"]:
            return days.chinese_weekday(match["zh_which"] or "", self._data.weekdays[match["zh_weekday"]], today)
        word = match["weekday"].lower()
        if len(word) <= _ABBREVIATED and not (match["which"] or match["before"]):
            return None
        return days.weekday_of((match["which"] or "").lower(), self._data.weekdays[word], today)

    def _last_weekday(self, match: re.Match[str], today: date) -> Days | None:
        word = (match["weekday"] or match["zh_weekday"]).lower()
        if word.isascii() and len(word) <= _ABBREVIATED and not match["before"]:
            return None
        return days.one_day(today - timedelta(days=(today.weekday() - self._data.weekdays[word]) % 7), "weekday")

    def _month_range(self, match: re.Match[str], today: date) -> Days:
        first, last = self._month(match["month_from"]), self._month(match["month_to"])
        year = today.year if first <= today.month else today.year - 1
        begin = date(year, first, 1)
        return Days(begin, days.add_months(date(year + (last < first), last, 1), 1), "months")

    def _date(self, match: re.Match[str], today: date, side: Side) -> Days | None:
        month = self._month(_first(match, "month"))
        digits, said = _first(match, "day"), _first(match, "year")
        if not digits:
            bare = match["month3"] and not (match["in"] or match["before"] or said)
            if bare:  # "may" and "march" are verbs too
                return None
            first = date(int(said) if said else _year(today, month, None, side), month, 1)
            return Days(first, days.add_months(first, 1), "month")
        day = self._number(digits)
        year = int(said) if said else _year(today, month, day, side)
        return days.one_day(date(year, month, day), "date")

    @staticmethod
    def _day_of_month(which: str, day: int, today: date) -> Days:
        first = days.add_months(today.replace(day=1), which.count("下") - which.count("上"))
        return days.one_day(first.replace(day=day), "date")

    def _counted(self, match: re.Match[str], today: date) -> Days:
        count = self._number(_first(match, "count"))
        unit = self._data.units[_first(match, "unit").lower()]
        back = match["ago"] or match["zh_ago"]
        return days.one_day(days.moved(today, unit, -count if back else count), "count")

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


def _first(match: re.Match[str], name: str) -> str:
    """The group of that name that matched: month, month2, ..., zh_month; "" where none did."""
    groups = match.re.groupindex
    names = (name, *(f"{name}{number}" for number in range(2, 5)), f"zh_{name}")
    return next((match[group] for group in names if group in groups and match[group]), "")


def _instants(named: Days, now: datetime, place: tzinfo) -> tuple[datetime, datetime]:
    if named.unit != "night":
        return days.instant(named.first, place), days.instant(named.last, place)
    # after midnight, "tonight" is still the night that began the day before
    late = timedelta(days=named.first == now.date() and now.time() < NIGHT_END)
    begin = days.instant(named.first - late, place, NIGHT_START)
    return begin, days.instant(named.last - late, place, NIGHT_END)


def _year(today: date, month: int, day: int | None, side: Side) -> int:
    """The year of a date (or, without a day, a month) said without one."""
    then, now = (month, day or 1), (today.month, today.day)
    last = today.year if then <= now else today.year - 1
    if side is Side.BACK:
        return last
    if side is Side.NEAREST:
        away = (today.year - last) * 12 + today.month - month
        return last if away < _HALF_A_YEAR else last + 1
    passed = month < today.month if day is None else then < now
    return today.year + passed


@lru_cache(maxsize=4)
def time_words(path: Path | None = None) -> TimeWords:
    """The time words of `schemas/patterns/time.json`. Raises ValueError where the file breaks its schema."""
    source = path or SCHEMAS / "patterns" / "time.json"
    try:
        return TimeWords(msgspec.json.decode(source.read_bytes(), type=TimeData))
    except msgspec.DecodeError as error:
        raise ValueError(f"{source}: {error}") from error
