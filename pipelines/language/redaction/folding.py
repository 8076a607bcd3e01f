"""One spelling for what people write in many: full-width digits, odd dashes, traditional characters, invisible ones.

NFKC, but never so that one code point becomes two: places in the folded text must lead back to the text.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.language.text import simplified


def _table() -> dict[int, str]:
    folds = {
        code: plain
        for code in [*range(0x80, 0x3400), *range(0xF900, 0x20000)]
        if len(plain := unicodedata.normalize("NFKC", chr(code))) == 1 and plain.isascii()
    }
    folds |= {code: str(unicodedata.decimal(chr(code))) for code in range(0x80, 0x20000) if chr(code).isdecimal()}
    folds |= dict.fromkeys([*range(0x2010, 0x2016), 0x2212, 0x2043, 0xFE58, 0xFE63, 0xFF0D], "-")
    folds |= dict.fromkeys(map(ord, "“”„‟「」『』«»"), '"') | dict.fromkeys(map(ord, "‘’‚‛′"), "'")
    folds |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd") | {
        0x130: "I",
        0x2024: ".",
        0xB7: " ",
        0x2022: " ",
        0x30FB: " ",
    }
    # A Chinese comma ends a value as no ASCII one does: it stays what it is.
    return {code: plain for code, plain in folds.items() if chr(code) not in "，；！？"} | {0x09: " "}


_FOLD = _table()
_UNSEEN = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe0f\ufeff\u20e3]")
_NUMERALS = re.compile("[零〇一二三四五六七八九幺]{11,}")
_DIGITS = {
    ord(char): str(digit) for char, digit in zip("零〇一二三四五六七八九幺", (0, 0, *range(1, 10), 1), strict=True)
}


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as the recognisers read it."""

    text: str
    places: Sequence[int] | None = None
    """Where each code point was in the text; None: at its own place."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of the folded text (not empty) as one of the text."""
        return (start, end) if self.places is None else (self.places[start], self.places[end - 1] + 1)


def fold(text: str) -> Folded:
    """`text` in one spelling. A number of 11 Chinese numerals or more is read as digits."""
    if text.isascii():
        return Folded(text.replace("\t", " "))
    places = None
    if _UNSEEN.search(text):
        places = [place for place, char in enumerate(text) if not _UNSEEN.match(char)]
        text = "".join(text[place] for place in places)
    folded = simplified(text.translate(_FOLD))
    return Folded(_NUMERALS.sub(lambda found: found[0].translate(_DIGITS), folded), places)
