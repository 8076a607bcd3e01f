"""Quantities: a number with its unit, in the base unit of its dimension."""

import re
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
_declare("CNY", "1", "cny", "rmb", "yuan", "元", "块", "块钱", "人民币", "¥", "￥")
_declare("CNY", "1000", "千", "千元", "千块", "千块钱")
_declare("CNY", "10000", "万", "万元", "万块", "万块钱", "万人民币")
_declare("USD", "1", "usd", "dollar", "dollars", "$", "美元", "美金")
_declare("EUR", "1", "eur", "euro", "euros", "€", "欧元")
_declare("GBP", "1", "gbp", "pounds", "£", "英镑")
_declare("%", "1", "%", "percent")

_NAMES = "|".join(re.escape(name) for name in sorted(_UNITS, key=len, reverse=True))
_QUANTITY = re.compile(
    rf"(?P<before>[$€£¥￥])?\s*(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?)(?P<kilo>k\b)?\s*(?P<unit>{_NAMES})?(?![\w.-])",
    re.IGNORECASE,
)


_HEIGHT = re.compile(r"(?P<m>[12一二两])米(?P<rest>\d{1,2}|[一二三四五六七八九]{1,2})")


def quantity(text: str) -> Quantity | None:
    """The quantity that `text` is, wholly, or None. A bare number has the unit ""."""
    found = _QUANTITY.fullmatch(_in_digits(text.strip()))
    if found is None:
        return None
    digits = found["number"].replace(",", "")
    kilo = Decimal(1000 if found["kilo"] else 1)
    unit, factor = _UNITS.get((found["before"] or found["unit"] or "").lower(), ("", "1"))
    scale = Decimal(factor) * kilo
    last = Decimal(1).scaleb(-len(digits.partition(".")[2])) / 2
    return Quantity(float(Decimal(digits) * scale), unit, float(last * scale))


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
