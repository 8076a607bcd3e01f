"""Street addresses after a cue, as written in the West: where somebody lives, or where a parcel goes.

A town alone is none, and a house number with something after it needs a sign that it is one: a word for a street, a
flat, a postcode, or its place right behind the cue.
"""

import re
from collections.abc import Iterator

from lithify.domain.redaction import SecretType
from pipelines.language.redaction.found import Found

_CUE = re.compile(
    r"(?P<said>(?<!mail )(?<!ip )(?<!web )(?<!mac )(?<!email )(?<![a-z])"
    r"(?:addr(?:ess)?|adresse|dirección|indirizzo|adres|anschrift)(?![a-z]))"
    r"|(?P<stay>(?<![a-z])(?:liv(?:e|es|ed|ing)|resid(?:e|es|ing)|stay(?:s|ed|ing)?|mov(?:e|ed|ing)(?: \w{1,8})?"
    r"|ship(?:ped|ping)?(?: \w{1,10}){0,3}|deliver(?:ed|y|ies)?(?: \w{1,10}){0,3}|send(?: \w{1,10}){0,4}"
    r"|mail(?:ed)?(?: \w{1,10}){0,3}|post(?: \w{1,10}){0,2}|pick me up"
    r"|(?:house|home|flat|apartment|place|parcel|package)(?: is)?) (?:to|at|in|on|from)(?![a-z])|(?<![a-z])find me at)",
    re.IGNORECASE,
)
_FILL = re.compile(
    r"(?:\s{0,2}(?:is|was|will be|:|=|->|→|-|now|at|to|our|my|new|me|him|her|them|us|it|this|\")){0,4}\s{0,2}",
    re.IGNORECASE,
)
_STREET = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Terrace|Ter|Square|Sq"
    r"|Highway|Hwy|Parkway|Pkwy|Crescent|Cres|Close|Gardens|Gdns|Mews|Row|Walk|Hill|Park|Circle|Cir|Trail|Grove|Rise"
    r"|Quay|Broadway|Turnpike|Alley)"
)
_STOP = r"(?!(?:on|the|an?|in|to|from|and|off|by|with|near|my|this|that|down|up|for|of|at|or|is)\b)"
_ANY = rf"{_STOP}[A-Za-zÀ-ÿß][\wÀ-ÿ'’.-]{{0,24}}"
_BIG = r"(?!(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Box|Room)\b)[A-ZÀ-Þ][A-Za-zÀ-ÿ'’-]{0,24}(?![0-9A-Za-z])"
_SMALL = r"(?:de|la|le|les|des|du|der|den|dem|und|von|zum?|zur|am|an|im|sur|vorm|del|della|di|auch)(?![A-Za-z])"
_NUMBER = r"[0-9]{1,5}[A-Za-z]?(?:\s?[-/]\s?[0-9]{1,4}[A-Za-z]?)?"
_FLAT = r"(?:(?:Flat|Apt|Apartment|Unit|Suite|Room|Studio)\.? [A-Za-z]?[0-9]{1,4}[A-Za-z]?,? )"
_TOWN = rf"{_BIG}(?:[ -](?:{_BIG}|{_SMALL})){{0,3}}"

_NAMED = re.compile(
    rf"(?<![A-Za-zÀ-ÿ0-9])(?:(?:{_FLAT}(?:{_NUMBER},? )?|{_NUMBER},? )(?:{_ANY} |[0-9]{{1,3}}(?:st|nd|rd"
    rf"|th) ){{1,4}}?{_STREET}(?![A-Za-z])(?! {_STREET}(?![A-Za-z]))\.?"
    rf"|{_NUMBER}(?: ?bis| ?ter)?,? (?:rue|avenue|boulevard|place|quai|all[ée]e|chemin|impasse|route|cours)"
    rf"(?: {_ANY}|[ -](?:{_SMALL})(?![A-Za-z])){{1,5}}"
    r"|[A-ZÀ-Þ][\wÀ-ÿß-]{1,28}(?:stra(?:ß|ss)e|str\.?|weg|platz|gasse|allee|ufer|damm|ring|straat|laan|gracht|plein"
    r"|gatan"
    rf"|vej|gade) {_NUMBER}(?![A-Za-z0-9])"
    rf"|(?:Calle|Via|Viale|Piazza|Plaza|Paseo|Rua|Ulica|ul\.|Straße|Am|An der|Unter den)(?: {_ANY}){{1,4}}?,? {_NUMBER}"
    r"(?![A-Za-z0-9]))|P\.?\s?O\.? Box [0-9]{1,6}",
    re.IGNORECASE,
)
"""Names a street, so it may stand anywhere behind the cue."""
_CODED = re.compile(
    rf"(?:(?:{_BIG}(?:[ -](?:{_BIG}|{_SMALL})){{0,4}} {_NUMBER}|(?:rue|avenue|boulevard|chemin|place|quai|route)"
    rf"(?: {_BIG}| (?:{_SMALL})){{1,5}}), ?(?:[A-Z]{{1,2}}-)?[0-9]{{4,5}}(?: [A-Z]{{2}})? {_TOWN})"
    r"|(?:PSC|CMR|Unit|US[A-Z]{1,3}) [\w, ]{2,40}?(?:APO|FPO|DPO),? A[AEP] [0-9]{5}"
)
_PLAIN = re.compile(rf"{_NUMBER},? {_BIG}(?: {_BIG}){{1,4}}|{_FLAT}{_BIG}(?: {_BIG}){{0,3}}")
"""Number and capitals: an address right behind the cue, and nothing anywhere else."""
_MORE = re.compile(
    r",? ?(?:(?:Apt|Apartment|Flat|Unit|Suite|Ste|Floor|Fl|Room|#)\.? ?#? ?[A-Za-z0-9-]{1,6}|[0-9]{1,2}(?:st|nd|rd"
    r"|th) floor"
    r"|[A-Z]{2} [0-9]{5}(?:-[0-9]{4})?|[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}"
    rf"|(?:[A-Z]{{1,2}}-)?[0-9]{{4,5}}(?: [A-Z]{{2}})? {_TOWN}|[0-9]{{5}}(?:-[0-9]{{4}})?|[NSEW]{{1,2}})(?![A-Za-z0-9])"
    rf"|, ?{_TOWN}(?![A-Za-z0-9@])"
)
_LOOSE = re.compile(r"\s?(?:is|:|=|->|-)\s{0,2}(?P<value>[^\n;!?]{8,120}?)(?=[.!?;]?\s*$|\.\s|[\n;!?])", re.IGNORECASE)
_POSTCODE = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2} [0-9]{5}|[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}|[0-9]{5} [A-ZÀ-Þ][a-zß-ÿ])"
)
_BREAK = re.compile(r"[.!?]\s|\n")
_REACH = 60
_LONGEST = 100


def street_addresses(text: str) -> Iterator[Found]:
    """Addresses that a cue announces, from the house number to the last part that belongs to it."""
    for cue in _CUE.finditer(text):
        span = _address(text, cue)
        if span is not None:
            value = re.sub(r"[\s,.-]+", "", text[slice(*span)]).casefold()
            yield Found(*span, SecretType.ADDRESS, value)


def _address(text: str, cue: re.Match[str]) -> tuple[int, int] | None:
    fill = _FILL.match(text, cue.end())
    right_behind = fill.end() if fill else cue.end()
    house = (
        _CODED.match(text, right_behind)
        or _near(_NAMED, text, cue.end())
        or _PLAIN.match(text, right_behind)
        or _near(_CODED, text, cue.end())
    )
    if house is None:
        return _loose(text, cue) if cue["said"] else None
    end = house.end()
    for _ in range(8):
        more = _MORE.match(text, end)
        if more is None:
            break
        end = more.end()
    return house.start(), end


def _near(pattern: re.Pattern[str], text: str, start: int) -> re.Match[str] | None:
    """The first match that begins in the same sentence, not far from the cue."""
    found = pattern.search(text, start, start + _REACH + _LONGEST)
    if found is None or found.start() > start + _REACH or _BREAK.search(text, start, found.start()):
        return None
    return found


def _loose(text: str, cue: re.Match[str]) -> tuple[int, int] | None:
    """Whatever is said to be the address, if a postcode is in it."""
    said = _LOOSE.match(text, cue.end())
    return said.span("value") if said and _POSTCODE.search(said["value"]) else None
