"""Quantities: a number with its unit, in the base unit of its dimension."""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from lithify.domain.claims import Quantity
from pipelines.language.numerals import NUMERAL, chinese_number

_UNITS: Final[dict[str, tuple[str, str]]] = {}


def _declare(base: str, factor: str, *names: str) -> None:
    for name in names:
        _UNITS[name] = (base, factor)


_declare("B", "1", "b", "byte", "bytes", "字节")
_declare("B", "1e3", "kb")
_declare("B", "1e6", "mb", "megabytes", "megabyte")
_declare("B", "1e9", "gb", "g", "gigabytes", "gigabyte")
_declare("B", "1e12", "tb")
_declare("B", "1024", "kib")
_declare("B", "1048576", "mib")
_declare("B", "1073741824", "gib")
_declare("m", "0.001", "mm", "毫米")
_declare("m", "0.01", "cm", "厘米", "公分")
_declare("m", "1", "m", "metre", "metres", "meter", "meters", "米")
_declare("m", "1000", "km", "kilometre", "kilometres", "kilometer", "kilometers", "公里", "千米")
_declare("m", "1609.344", "mi", "mile", "miles", "英里")
_declare("m", "0.3048", "ft", "foot", "feet", "英尺")
_declare("m", "0.0254", "in", "inch", "inches", "-inch", "寸", "英寸")
_declare("kg", "0.001", "gram", "grams", "克")
_declare("kg", "1", "kg", "kilo", "kilos", "公斤", "千克")
_declare("kg", "0.5", "斤")
_declare("kg", "0.45359237", "lb", "lbs", "pound weight", "磅")
_declare("s", "0.001", "ms", "毫秒")
_declare("s", "1", "s", "sec", "secs", "second", "seconds", "秒")
_declare("s", "60", "min", "mins", "minute", "minutes", "分钟")
_declare("s", "3600", "h", "hr", "hrs", "hour", "hours", "小时", "个小时")
_declare("s", "86400", "day", "days", "天")
_declare("kg", "6.35029318", "stone")
_declare("%", "1", "%", "percent")

_MONEY: Final[dict[str, tuple[str, ...]]] = {
    "CNY": ("cny", "rmb", "yuan", "元", "块", "块钱", "元人民币", "人民币", "¥", "￥"),
    "USD": ("usd", "dollar", "dollars", "us dollars", "$", "us$", "美元", "美金", "美刀", "刀"),
    "EUR": ("eur", "euro", "euros", "€", "欧元", "欧"),
    "GBP": ("gbp", "pounds", "£", "英镑"),
    "JPY": ("jpy", "yen", "円", "日元", "日圆", "日币"),
    "HKD": ("hkd", "hk$", "hong kong dollars", "港币", "港元", "港纸"),
    "TWD": ("twd", "nt$", "新台币", "台币"),
    "KRW": ("krw", "won", "₩", "韩元", "韩币"),
    "INR": ("inr", "rupee", "rupees", "₹", "卢比"),
    "CHF": ("chf", "swiss francs", "瑞士法郎"),
    "AUD": ("aud", "a$", "au$", "australian dollars", "澳元", "澳币"),
    "CAD": ("cad", "c$", "ca$", "canadian dollars", "加元", "加币"),
    "SGD": ("sgd", "s$", "singapore dollars", "新币", "新加坡元"),
    "MYR": ("myr", "rm", "ringgit", "马币", "令吉"),
    "THB": ("thb", "baht", "泰铢"),
}
for _code, _names in _MONEY.items():
    _declare(_code, "1", *_names)
_declare("CNY", "1000", "千", "千元", "千块", "千块钱")
_declare("CNY", "10000", "万", "万元", "万块", "万块钱", "万人民币")

_SCALES: Final = {
    "k": 1000,
    "thousand": 1000,
    "m": 10**6,
    "mn": 10**6,
    "million": 10**6,
    "b": 10**9,
    "bn": 10**9,
    "billion": 10**9,
    "千": 1000,
    "万": 10**4,
    "十万": 10**5,
    "百万": 10**6,
    "千万": 10**7,
    "亿": 10**8,
}


def _alternatives(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_FOREIGN = _alternatives(name for code, names in _MONEY.items() if code != "CNY" for name in names)
_SIGNS = _alternatives(name for names in _MONEY.values() for name in names if name.isascii() or name in "¥￥€£₹₩")
_QUANTITY = re.compile(
    rf"""
    (?:(?P<before>{_SIGNS})\s*)?
    (?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?)
    (?:\s?(?P<scale>k\b|(?:thousand|mn|million|bn|billion)\b|十万|百万|千万|亿|[千万](?=\s*(?:{_FOREIGN})))
      |(?(before)(?P<short>[mb])(?![a-z])|(?!)))?
    \s*(?P<unit>{_alternatives(_UNITS)})?(?![a-z0-9_-]|\.\d)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FEET = re.compile(r"(?P<feet>[3-8])(?:'|′|\s?(?:ft|feet|foot))\s?(?P<inches>\d{1,2})(?:\"|''|″|\s?(?:in|inches))?")
_PERIODS: Final = {
    "second": ("second", "sec", "秒"),
    "minute": ("minute", "min", "分钟"),
    "hour": ("hour", "hr", "h", "小时"),
    "day": ("day", "天", "日"),
    "night": ("night", "晚"),
    "week": ("week", "wk", "周", "星期"),
    "month": ("month", "mo", "月"),
    "year": ("year", "yr", "annum", "年"),
}
_PERIOD_OF: Final = {name: period for period, names in _PERIODS.items() for name in names}
_ADVERBS: Final = {"pcm": "month", "monthly": "month", "weekly": "week", "yearly": "year", "annually": "year"}
_PER = re.compile(
    rf"""\s*(?:
    (?:/\s?|(?:per|an?|each|every)\s)(?P<period>{_alternatives(n for n in _PERIOD_OF if n.isascii())})\b
    |(?P<adverb>{_alternatives(_ADVERBS)})\b
    |(?:/|每个?|一个?)(?P<zh_period>{_alternatives(n for n in _PERIOD_OF if not n.isascii())})
    )""",
    re.IGNORECASE | re.VERBOSE,
)


_HEIGHT = re.compile(r"(?P<m>[12一二两])米(?P<rest>\d{1,2}|[一二三四五六七八九]{1,2})")


def quantity(text: str) -> Quantity | None:
    """The quantity that `text` is, wholly, or None. A bare number has the unit "".

    A bare "3.10" is none: where the last zero is said, it names a version, and is not 3.1.
    """
    words = _in_digits(text.strip())
    feet = _FEET.fullmatch(words)
    if feet is not None:
        inch = Decimal("0.0254")
        return Quantity(float((int(feet["feet"]) * 12 + int(feet["inches"])) * inch), "m", float(inch / 2))
    found = _QUANTITY.fullmatch(words)
    if found is None:
        return None
    digits = found["number"].replace(",", "")
    before, after = (_UNITS.get((found[name] or "").lower()) for name in ("before", "unit"))
    # "$500 CAD": the code tells which dollars
    unit, factor = after or before or ("", "1")
    if not unit and "." in digits and digits.endswith("0"):
        return None
    scale = Decimal(factor) * _SCALES.get((found["scale"] or found["short"] or "").lower(), 1)
    last = Decimal(1).scaleb(-len(digits.partition(".")[2])) / 2
    return Quantity(float(Decimal(digits) * scale), unit, float(last * scale))


def quantity_end(text: str, start: int) -> int:
    """Where the quantity that starts at `start` ends, its unit included; `start` where none does."""
    found = _QUANTITY.match(text, start)
    return start if found is None else found.end()


def rate(text: str, start: int) -> tuple[str, int] | None:
    """The period ("month") of "per month", 每月, at `start`, and where its words end; or None."""
    found = _PER.match(text, start)
    if found is None:
        return None
    word = (found["period"] or found["adverb"] or found["zh_period"]).lower()
    return _ADVERBS.get(word) or _PERIOD_OF[word], found.end()


def _in_digits(text: str) -> str:
    """Chinese numerals as digits: 五万元 is 5万元, 六十公斤 is 60公斤, 一米七五 is 1.75米."""
    height = _HEIGHT.fullmatch(text)
    if height is not None:
        metres, rest = (part if part.isascii() else str(chinese_number(part)) for part in height.group("m", "rest"))
        return f"{metres}.{rest}米"
    numeral = NUMERAL.match(text)
    if numeral is None:
        return text
    words = numeral[0]
    # the scale stays, since it tells how coarse the number is
    kept = len(words) - (len(words) > 1 and words[-1] in "千万")
    number = chinese_number(words[:kept])
    return text if number is None else f"{number}{words[kept:]}{text[numeral.end() :]}"


def canonical(item: Quantity) -> str:
    """The value of a quantity as a string: equal quantities are equal strings."""
    return f"{item.number:.12g} {item.unit}".strip()
