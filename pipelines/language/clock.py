"""Clock times and whole numbers, in digits or words, English and Chinese."""

import re

from pipelines.language.numerals import chinese_number

_FIXED = {"noon": "12:00", "midnight": "00:00"}
_HOURS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_MINUTES = {"fifteen": "15", "thirty": "30", "forty-five": "45"}
_SPELLED = re.compile(rf"\b(?P<hour>{'|'.join(_HOURS)})\b(?: (?P<minute>{'|'.join(_MINUTES)})\b)?")
_ENGLISH = re.compile(
    r"(?P<shift>half past |half |quarter past |quarter to )?(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?(?: o'?clock)?"
    r" ?(?P<part>[ap]\.?m\.?|in the (?:morning|evening))?"
)
_SHIFTS = {"half past ": 30, "half ": 30, "quarter past ": 15, "quarter to ": -15}
_CHINESE = re.compile(
    r"(?P<part>早上|上午|中午|下午|晚上|凌晨|夜里)?(?P<hour>\d{1,2}|[一二两三四五六七八九十]{1,3})(?:点|:)"
    r"(?P<minute>半|钟|整|\d{1,2}分?|[一二三四五六七八九十]{1,3}分?)?"
)
_SAID = re.compile(r"\d ?[ap]\.?m|morning|evening|早上|上午|中午|下午|凌晨", re.IGNORECASE)
"""Names the part of the day, so that nothing is left to guess."""
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
    found = _ENGLISH.fullmatch(_SPELLED.sub(_in_digits, words))
    if found is not None:
        return _english(found)
    found = _CHINESE.fullmatch(words)
    if found is None:
        return None
    minute = (found["minute"] or "").rstrip("分钟整")
    minutes = 30 if minute == "半" else _number(minute) if minute else 0
    hour = _number(found["hour"])
    if hour is None or minutes is None:
        return None
    return _clock(hour, minutes, late=found["part"] in _LATE, early=found["part"] == "凌晨")


def _in_digits(spelled: re.Match[str]) -> str:
    """A spelled time in digits: 6 for "six", 6:30 for "six thirty"."""
    hour = str(_HOURS.index(spelled["hour"]) + 1)
    return hour if spelled["minute"] is None else f"{hour}:{_MINUTES[spelled['minute']]}"


def _english(found: re.Match[str]) -> str | None:
    part = found["part"] or ""
    hour, minute = int(found["hour"]), int(found["minute"] or 0) + _SHIFTS.get(found["shift"] or "", 0)
    if minute < 0:
        hour, minute = (hour - 1) or 12, minute + 60
    late = part.startswith("p") or part.endswith("evening")
    return _clock(hour, minute, late=late, early=part.startswith("a"))


def evening_clock(text: str) -> str | None:
    """As `clock`, of a time one goes to bed: "at 11" is 23:00, "at 12" is 00:00."""
    found = clock(text)
    if found is None or _SAID.search(text) is not None:
        return found
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
