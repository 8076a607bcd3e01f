"""The grammar of time words: one pattern over both languages, its word lists from the data file."""

import re
from collections.abc import Iterable

import msgspec


class TimeData(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The word lists of `schemas/patterns/time.json`."""

    relative: dict[str, tuple[str, int]]
    weekdays: dict[str, int]
    months: dict[str, int]
    numbers: dict[str, int]
    units: dict[str, str]
    until: list[str]
    since: list[str]
    back: list[str]
    """Those of `since` after which the time lies back: "since Monday", unlike "from Monday"."""
    schema: str = msgspec.field(name="$schema", default="")


def _words(words: Iterable[str], *, chinese: bool = False) -> str:
    chosen = [word for word in words if word.isascii() is not chinese]
    return "|".join(re.escape(word) for word in sorted(chosen, key=len, reverse=True))


def time_pattern(data: TimeData) -> re.Pattern[str]:
    """What finds time words; its groups name the form that was found."""
    before = [*data.until, *data.since]
    return re.compile(
        rf"""
        (?:(?<![a-z0-9])(?P<before>{_words(before)})\s+(?:the\s+)?
        |(?P<zh_before>{_words(before, chinese=True)})\s*)?
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
      | (?P<slash_year>\d{{4}})/(?P<slash_month>0?[1-9]|1[0-2])/(?P<slash_day>{day})(?![\d/])
      | (?P<relative>{_words(data.relative)})\b
      | (?:(?P<which>next|this|last|coming)\ )?(?P<weekday>{weekdays})\b
        (?!\ (?:week|fortnight|after\ next|before\ last)\b)
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
      | (?P<of_month>上+个?月|下+个?月|这个?月|本月)(?P<of_day>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})[日号]
      | (?P<zh_relative>{_words(data.relative, chinese=True)})
      | (?<![农阴旧]历)(?<![农阴旧]历的)(?:(?P<zh_year>\d{{4}})年)?(?P<zh_month>\d{{1,2}}|十?[一二三四五六七八九十])月
        (?:(?P<zh_day>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})[日号])?
      | (?P<count4>{number})(?P<unit4>{_words(data.units, chinese=True)})(?:(?P<zh_ago>以?前)|(?:以|之)?后)
    """
