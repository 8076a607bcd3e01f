"""Text as the patterns read it: as long as the turn, so that every position is one in the turn."""

import re
import unicodedata
from functools import lru_cache

import opencc

_FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "，！？：；（）"}
_FOLD |= {0x3000: 0x20, 0xA0: 0x20, 0x2019: 0x27, 0x2018: 0x27, 0x2032: 0x27, 0x09: 0x20}
_FOLD |= dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF), 0x20)
"""Marks of direction and width are spaces: nobody sees them, and words stand beside them."""
_CJK = re.compile("[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
_HAN_RUN = re.compile("[\u3400-\u9fff]+")
"""All that is converted: the converter takes no lone surrogates, which are in any text that somebody has cut."""
_KANA = re.compile("[\u3041-\u30ff]")
_OPENERS = " \t\n\"'“‘(（*_"
_SPACES = re.compile(r"\s+")


def fold(text: str) -> str:
    """Text in one spelling, one for one.

    Full-width letters, digits and dashes as ASCII, apostrophes straight, invisible marks as spaces, Chinese simplified.
    """
    return text if text.isascii() and "\t" not in text else simplified(text.translate(_FOLD))


def simplified(text: str) -> str:
    """Chinese in simplified characters, one for one: 我喜歡 is 我喜欢. Japanese stays as it is."""
    if not has_cjk(text) or _KANA.search(text) is not None:
        return text
    return _HAN_RUN.sub(_simplified_run, text)


def _simplified_run(found: re.Match[str]) -> str:
    run = found[0]
    written = _converter().convert(run)
    return written if len(written) == len(run) else "".join(map(_simplified, run))


@lru_cache(maxsize=1)
def _converter() -> opencc.OpenCC:
    return opencc.OpenCC("t2s")


@lru_cache(maxsize=4096)
def _simplified(letter: str) -> str:
    """One character by itself; as it is where it would become more than one."""
    written = _converter().convert(letter)
    return written if len(written) == 1 else letter


def has_cjk(text: str) -> bool:
    """Whether any Chinese character occurs."""
    return not text.isascii() and _CJK.search(text) is not None


def is_chinese(text: str) -> bool:
    """Whether `text` is Chinese rather than a language of spaced words that borrows some Chinese ones.

    A Chinese character counts as much as a Latin word; where they are equal, the first one decides.
    """
    if text.isascii():
        return False
    characters, words = len(_CJK.findall(text)), len(_LATIN_WORD.findall(text))
    if characters == words:
        return characters > 0 and not text.lstrip(_OPENERS)[:1].isascii()
    return characters > words


def normal(text: str) -> str:
    """The form in which equal words are equal strings: NFKC, lower case, simplified, single spaces, trimmed."""
    return _SPACES.sub(" ", simplified(unicodedata.normalize("NFKC", text).casefold())).strip()
