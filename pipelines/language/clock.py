"""Clock times and whole numbers, in digits or words, English and Chinese."""

import re

from pipelines.language.numerals import chinese_number

_FIXED = {"noon": "12:00", "midnight": "00:00"}
_ENGLISH = re.compile(r"(?P<half>half past )?(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))? ?(?P<part>[ap]\.?m\.?)?")
_CHINESE = re.compile(
    r"(?P<part>早上|上午|中午|下午|晚上|凌晨|夜里)?(?P<hour>\d{1,2}|[一二两三四五六七八九十]{1,3})(?:点|:)"
    r"(?P<minute>半|钟|整|\d{1,2}分?|[一二三四五六七八九十]{1,3}分?)?"
)
_LATE = frozenset(["下午", "晚上", "夜里"])


def count(text: str) -> str | None:
    """The whole number under 1000 that `text` is, in digits, or None."""
    number = _number(text.strip())
    return None if number is None else str(number)


def clock(text: str) -> str | None:
    """The time of day that `text` is, as HH:MM, or None. An hour with no part of the day stays as it is."""
    words = text.strip().lower()
    if words in _FIXED:
        return _FIXED[words]
    found = _ENGLISH.fullmatch(words)
    if found is not None:
        late = (found["part"] or "").startswith("p")
        early = (found["part"] or "").startswith("a")
        return _clock(int(found["hour"]), 30 if found["half"] else int(found["minute"] or 0), late=late, early=early)
    found = _CHINESE.fullmatch(words)
    if found is None:
        return None
    minute = (found["minute"] or "").rstrip("分钟整")
    minutes = 30 if minute == "半" else _number(minute) if minute else 0
    hour = _number(found["hour"])
    if hour is None or minutes is None:
        return None
    return _clock(hour, minutes, late=found["part"] in _LATE, early=found["part"] == "凌晨")


def evening_clock(text: str) -> str | None:
    """As `clock`, of a time one goes to bed: "at 11" is 23:00, "at 12" is 00:00."""
    found = clock(text)
    if found is None:
        return None
    hour, minute = int(found[:2]), found[3:]
    if 6 <= hour <= 12:
        hour = (hour + 12) % 24
    return f"{hour:02d}:{minute}"


def _clock(hour: int, minute: int, *, late: bool, early: bool) -> str | None:
    if late and hour < 12:
        hour += 12
    if early and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else None


def _number(text: str) -> int | None:
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= 3 else None
    found = chinese_number(text)
    return found if found is None or found < 1000 else None
