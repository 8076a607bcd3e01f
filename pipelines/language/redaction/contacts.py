"""E-mail and IP addresses."""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from lithify.domain.redaction import SecretType
from pipelines.language.redaction.found import Found

_PLAIN = re.compile(
    r"(?<![A-Za-z0-9._%+@-])[A-Za-z0-9._%+'-]{1,64}@(?:[A-Za-z0-9À-ÖØ-öø-ÿ-]{1,63}\.){1,8}(?:[A-Za-z]{2,24}"
    r"|xn--[a-z0-9]{2,40})"
    r"(?![A-Za-z0-9_-])"
)
_HAN = re.compile(
    r"(?<![A-Za-z0-9._%+@-])[A-Za-z0-9._%+'-]{1,64}@(?:[A-Za-z0-9\u4e00-\u9fff-]{1,63}\.){1,4}"
    r"(?:中国|公司|网络|网址|网站|中文网|在线|商城|集团|香港|台湾|测试|(?:com|net|org|cn)(?![A-Za-z0-9_-]))"
)
"""Addresses whose domain is Chinese."""
_AT = r"(?:\s{0,2}[\[({<]\s?(?:at|@|AT)\s?[\])}>]\s{0,2}|\s{1,2}(?:at|AT)\s{1,2}|\s?@\s?)"
_DOT = r"(?:\s{0,2}[\[({<]\s?(?:dot|DOT|\.)\s?[\])}>]\s{0,2}|\s{1,2}(?:dot|DOT)\s{1,2}|[.。])"
_SPELT = re.compile(
    rf"(?<![A-Za-z0-9._%+@-])[A-Za-z0-9_%+-]{{1,64}}(?:{_DOT}[A-Za-z0-9_%+-]{{1,64}}){{0,4}}(?P<at>{_AT})"
    rf"[A-Za-z0-9-]{{1,63}}(?:{_DOT}[A-Za-z0-9-]{{1,63}}){{0,4}}?(?P<dot>{_DOT})"
    r"(?P<tld>com|net|org|edu|gov|cn|io|de|fr|uk|eu|es|it|nl|us|ca|info|test|example|invalid|me|dev|app|co|ai|hk|tw|jp)"
    r"(?![A-Za-z0-9_-])",
    re.IGNORECASE,
)
_SPELLS = re.compile(r"(?<![A-Za-z])at(?![A-Za-z])|\s@|@\s|dot|[\[({<]\s?[@.]|。[a-z]", re.IGNORECASE)
_SPLIT = re.compile(
    r"\s{0,2}[\[({<]?\s?(?:(?<![A-Za-z])(?:at|dot)(?![A-Za-z])|@|[.。])\s?[\])}>]?\s{0,2}", re.IGNORECASE
)
_FILE = re.compile(r"@[1-9](?:\.[0-9])?x\.[a-z]{2,5}$|@v?[0-9]+\.[0-9]+|^git@", re.IGNORECASE)
"""Retina images, versions of packages, repositories: an "@" that is no mail."""
_OWNED = re.compile(r"\s{0,2}(?:the|an?|my|our|your|his|her|their|this|that|each|every)\s", re.IGNORECASE)
"""After "at", what makes a place of a host: "at the dot com office"."""
_IN_URL = re.compile(r"://[^\s/]{0,200}$")

_V4 = re.compile(
    r"(?<![0-9A-Za-z_]\.)(?<![0-9A-Za-z_-])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9A-Za-z_])(?!\.[0-9]|[-_.][A-Za-z])"
)
_V6 = re.compile(
    r"(?<![0-9A-Za-z_.])(?<![0-9A-Za-z_:]:)(?:[0-9A-Fa-f]{1,4}|:(?=:))(?::[0-9A-Fa-f]{0,4}){1,7}(?:\.[0-9]{1,3}){0,3}"
    r"(?![0-9A-Za-z_:])"
)
_VERSION = re.compile(
    r"(?:(?<![a-z])v(?:er(?:sion)?)?s?\.?|release|build|firmware|driver|chrome|firefox|edge|safari|windows|macos|ios"
    r"|android|kernel|section|chapter|clause"
    r"|(?:up|down)grad(?:e|ed|ing)(?: [a-z]{1,20})?(?: (?:from|to))?|oid|patch|版本?|固件|驱动|升级到?|更新到?|章节?"
    r"|§|第|[=~<>]=)"
    r"(?: (?:number|no\.?|is|was|of))?(?:号|是|为)?[\s:(/]{0,3}$",
    re.IGNORECASE,
)
_VERSION_OF = re.compile(r" (?:kernel|release|build|firmware|driver|version|patch|update)(?![a-z])", re.IGNORECASE)
_NOBODY = re.compile(r"127\.0\.0\.1|0\.|255\.255\.")


def emails(text: str) -> Iterator[Found]:
    """E-mail addresses, also spelt out ("ann [at] example [dot] org")."""
    for found in _PLAIN.finditer(text):
        if not _FILE.search(found[0]) and not _IN_URL.search(text, max(0, found.start() - 210), found.start()):
            yield Found(*found.span(), SecretType.EMAIL, found[0].lower())
    if not text.isascii():
        for found in _HAN.finditer(text):
            yield Found(*found.span(), SecretType.EMAIL, found[0].lower())
    if _SPELLS.search(text):
        for found in _SPELT.finditer(text):
            if _is_spelt(found):
                yield Found(*found.span(), SecretType.EMAIL, _unspelt(found))


def _is_spelt(found: re.Match[str]) -> bool:
    """Whether it is meant as an address: behind a bare "at", as in "at lunch.com", the dot is spelt."""
    at, dot = found["at"].strip().lower(), found["dot"].strip().lower()
    if at == "at":
        return dot != "." and not _OWNED.match(found.string, found.end("at"))
    return at != "@" or found["at"] != "@" or dot != "."


def _unspelt(found: re.Match[str]) -> str:
    text, at = found[0], found.start("at") - found.start()
    local, domain = text[:at], text[at + len(found["at"]) :]
    return f"{_SPLIT.sub('.', local)}@{_SPLIT.sub('.', domain)}".lower()


def addresses_of_hosts(text: str) -> Iterator[Found]:
    """IPv4 and IPv6 addresses that belong to somebody: no version, no loopback, no mask."""
    for found in _V4.finditer(text):
        version = _VERSION.search(text, max(0, found.start() - 40), found.start()) or _VERSION_OF.match(
            text, found.end()
        )
        if version is None and _is_v4(found[0]):
            yield Found(*found.span(), SecretType.IP, found[0])
    if text.count(":") >= 2:
        for found in _V6.finditer(text):
            address = _v6(found[0])
            if address:
                yield Found(*found.span(), SecretType.IP, address)


def _is_v4(text: str) -> bool:
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return not _NOBODY.match(text)


def _v6(text: str) -> str:
    """One spelling of an address; empty for what only looks like one, such as "a::b" or a time."""
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return ""
    telling = any(char.isdigit() for char in text) and (
        text.count(":") >= 4 or any(len(p) > 2 for p in text.split(":"))
    )
    return "" if address.is_loopback or address.is_unspecified or not telling else address.compressed
