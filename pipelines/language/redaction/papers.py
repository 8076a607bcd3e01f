"""Papers and accounts with letters in their numbers: passports and IBANs."""

import itertools
import re
import string
from collections.abc import Iterator

from stdnum import iban, numdb

from lithify.domain.redaction import SecretType
from pipelines.language.redaction.found import Found

_HEAD = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=IBAN)|(?<=iban))(?=[A-Za-z]{2}[0-9]{2}[ .-]?[A-Za-z0-9])")
_IBAN = re.compile(r"[A-Za-z]{2}[0-9]{2}(?:[ .-]?[A-Za-z0-9]{1,30}){1,9}")
_PART = re.compile(r"[A-Za-z0-9]+")
_SIZE = re.compile(r"[0-9]+")


def _lengths() -> dict[str, int]:
    """How long the IBANs of each country are, from python-stdnum's registry."""
    registry = numdb.get("iban")
    found = {}
    for country in map("".join, itertools.product(string.ascii_uppercase, repeat=2)):
        structure = registry.info(country)[0][1].get("bban", "")
        if structure:
            found[country] = 4 + sum(map(int, _SIZE.findall(structure)))
    return found


_LENGTHS = _lengths()
_CUE = re.compile(r"(?<![a-z])passports?(?![a-z])|护照", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Za-z]{1,2}[ -]?[0-9]{6,8}|[0-9]{9}|[0-9]{2}[A-Za-z]{2}[0-9]{5}"
    r"|(?=[A-Za-z0-9]*[0-9][A-Za-z]{0,3}[0-9])[A-Za-z][A-Za-z0-9]{7,8})(?![A-Za-z0-9])"
)
_OTHERWISE = re.compile(
    r"[.!?。！？]\s| - |[\n；;。！？]|(?<![a-z])(?:order|tracking|reference|application|booking|appointment|case"
    r"|ticket|flight|receipt)"
    r"(?![a-z])|订单|单号|预约|受理|航班|快递|回执",
    re.IGNORECASE,
)
_ABBREVIATED = re.compile(r"\bno\.\s", re.IGNORECASE)
_AHEAD = 48
_BACK = re.compile(
    r"(?<![A-Za-z0-9])(?P<number>[A-Za-z]{1,2}[0-9]{6,8}|[0-9]{9}|[0-9]{2}[A-Za-z]{2}[0-9]{5})[\"')\]]{0,2}\s?(?:,\s?)?"
    r"(?:(?:is|was|as|=|on|for)\s|是|为|就是|这本|这个|\()\s?(?:(?:my|the|his|her|our|their|your|a|an|new|old"
    r"|valid)\s|我的?|他的?|她的?|新的?|旧的?|本人的?){0,3}$",
    re.IGNORECASE,
)


def ibans(text: str) -> Iterator[Found]:
    """IBANs with the right check digits and the structure of their country, grouped or not."""
    for head in _HEAD.finditer(text):
        found = _IBAN.match(text, head.start())
        end = _end(found) if found else None
        if end is not None:
            number = iban.compact(text[head.start() : end])
            if iban.is_valid(number, check_country=False):
                yield Found(head.start(), end, SecretType.IBAN, number)


def _end(found: re.Match[str]) -> int | None:
    """Where a group ends with as many characters as an IBAN of the country has."""
    missing = _LENGTHS.get(found[0][:2].upper(), 0)
    for part in _PART.finditer(found.string, found.start(), found.end()):
        missing -= len(part[0])
        if missing <= 0:
            return part.end() if missing == 0 else None
    return None


def passports(text: str) -> Iterator[Found]:
    """Passport numbers beside the word."""
    for cue in _CUE.finditer(text):
        number = _behind(text, cue.start()) or _ahead(text, cue.end())
        if number is not None:
            start, end = number
            yield Found(start, end, SecretType.PASSPORT, re.sub("[ -]", "", text[start:end]).upper())


def _ahead(text: str, start: int) -> tuple[int, int] | None:
    found = _NUMBER.search(text, start, start + _AHEAD)
    if found is None:
        return None
    between = _ABBREVIATED.sub("no ", text[start : found.start()])
    return None if _OTHERWISE.search(between) else found.span()


def _behind(text: str, end: int) -> tuple[int, int] | None:
    found = _BACK.search(text, max(0, end - _AHEAD), end)
    return None if found is None else found.span("number")
