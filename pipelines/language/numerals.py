"""Chinese numerals: 三十五, 两百, 一万二, 五万."""

import re
from typing import Final

_DIGITS: Final = {
    "〇": 0,
    "零": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_SCALES: Final = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
NUMERAL: Final = re.compile("[〇零一二两三四五六七八九十百千万]+")
_LONGEST = 12


def chinese_number(text: str) -> int | None:
    """The whole number that `text` names, or None. A last digit after a scale counts in the next one: 一万二."""
    if not text or len(text) > _LONGEST or NUMERAL.fullmatch(text) is None:
        return None
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    total = section = 0
    digit: int | None = None
    scale = 1
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
            scale = 1 if digit == 0 else scale
        elif char == "万":
            total += (section + (digit or 0)) * 10_000
            section, digit, scale = 0, None, 10_000
        else:
            scale = _SCALES[char]
            section += (1 if digit is None else digit) * scale
            digit = None
    # 一万二 is 12,000 and 三百五 is 350, but 二十五 is 25 and 三百零五 is 305
    return total + section + (digit or 0) * (scale // 10 if scale > 10 else 1)
