"""Finds secrets and personal numbers by shape and checksum, and replaces them by typed placeholders.

Most turns hold no digit run, no "@" and no cue word; a cheap test lets them pass untouched.
"""

import re
from collections import Counter
from collections.abc import Iterator

from lithify.domain.redaction import RedactionPolicy, SecretType, luhn, resident_id
from pipelines.language.model import Redacted
from pipelines.language.text import fold

_PRESCAN = re.compile(
    r"@|\d[ -]?\d[ -]?\d[ -]?\d[ -]?\d[ -]?\d[ -]?\d|-----BEGIN|eyJ"
    r"|(?:sk|pk|rk|tok|key|ghp|gho|ghs|ghu|pat|xox\w|glpat|AKIA|AIza)[-_A-Z0-9]"
    r"|pass|pwd|token|secret|api.?key|credential|\bkey\b|密码|口令|密钥|秘钥|令牌",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}")
_MOBILE = re.compile(r"(?<![A-Za-z0-9_.-])(?:(?:\+|00)?86[- ]?)?1[3-9]\d(?:[- ]?\d{4}){2}(?![A-Za-z0-9]|[-.]\w)")
_RESIDENT = re.compile(r"(?<![A-Za-z0-9])\d{17}[\dXx](?![A-Za-z0-9])")
_CARD = re.compile(r"(?<![A-Za-z0-9_.-])(?:\d[ -]?){12,18}\d(?![A-Za-z0-9]|[-.]\w)")
_CARD_SHAPE = re.compile(
    r"4\d{12}|4\d{15}|4\d{18}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
    r"|35\d{14}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}"
)
_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_KEY_SHAPE = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}"
    r"|tok_[A-Za-z0-9_]{12,}|gh[posur]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,})(?![A-Za-z0-9])"
)
_URL_PASSWORD = re.compile(r"(?<=://)[^\s:/@]+:(?P<secret>[^\s:/@]{3,})(?=@)")
_CUED = re.compile(
    r"(?:(?P<word>pass(?:word|wd|phrase|code)s?|pwd|密码|口令)"
    r"|(?P<key>(?:api|access|secret|private)[ _-]?keys?|secret|(?:auth|access|bearer|api)?[ _-]?token"
    r"|credentials?|密钥|秘钥|令牌)|(?P<plain>\bkey))"
    r"(?: (?:for|of|to) [\w ]{1,20}?)?\s*(?P<link>is now|is|are|was|=|:|：|是|为|改成|->)\s*"
    r"[\"'`“「]?(?P<secret>[!#-&*+\--:=?-Z\\^_a-z{-~]{4,200})",
    re.IGNORECASE,
)
_NUMBER_CUE = re.compile(
    r"(?:order|tracking|invoice|ticket|serial|build|commit|version"
    r"|订单号?|单号|编号|快递|流水号|序列号)[ #:：是号no.]*$",
    re.IGNORECASE,
)


class PatternRedactor:
    """The redactor by shape: e-mail, Chinese mobile and resident id, payment card, keys, passwords."""

    def __init__(self, policy: RedactionPolicy | None = None) -> None:
        self._policy = policy or RedactionPolicy()

    def redact(self, text: str) -> Redacted:
        """`text` with what the policy names replaced, and how many of each type."""
        folded = fold(text)
        if _PRESCAN.search(folded) is None:
            return Redacted(text)
        counts: Counter[str] = Counter()
        parts: list[str] = []
        at = 0
        for start, end, kind in _apart(self._find(folded)):
            parts += [text[at:start], self._policy.placeholder(kind, folded[start:end])]
            counts[kind.value] += 1
            at = end
        parts.append(text[at:])
        return Redacted("".join(parts), dict(counts)) if counts else Redacted(text)

    def _find(self, text: str) -> Iterator[tuple[int, int, SecretType]]:
        for start, end, kind in _all(text):
            if kind in self._policy.types:
                yield start, end, kind


def _all(text: str) -> Iterator[tuple[int, int, SecretType]]:
    for found in _KEY_BLOCK.finditer(text):
        yield *found.span(), SecretType.SECRET
    for found in _KEY_SHAPE.finditer(text):
        yield *found.span(), SecretType.SECRET
    for found in _URL_PASSWORD.finditer(text):
        yield *found.span("secret"), SecretType.SECRET
    for found in _CUED.finditer(text):
        if _is_secret(found):
            yield *found.span("secret"), SecretType.SECRET
    for found in _EMAIL.finditer(text):
        yield *found.span(), SecretType.EMAIL
    yield from _numbers(text)


def _numbers(text: str) -> Iterator[tuple[int, int, SecretType]]:
    for found in _RESIDENT.finditer(text):
        if resident_id(found[0]):
            yield *found.span(), SecretType.NATIONAL_ID
    for found in _CARD.finditer(text):
        digits = re.sub(r"[ -]", "", found[0])
        if _CARD_SHAPE.fullmatch(digits) and luhn(digits) and not _numbered(text, found.start()):
            yield *found.span(), SecretType.CARD
    for found in _MOBILE.finditer(text):
        if not _numbered(text, found.start()):
            yield *found.span(), SecretType.PHONE


def _numbered(text: str, start: int) -> bool:
    """Whether the words before call the number an order, a ticket, a version."""
    return _NUMBER_CUE.search(text, max(0, start - 24), start) is not None


def _is_secret(found: re.Match[str]) -> bool:
    """Whether what follows a cue looks like a secret: "password: hunter2", not "the token is expired"."""
    value = found["secret"].rstrip(".!?。！？")
    digits = any(char.isdigit() for char in value)
    if found["plain"]:
        return digits and len(value) >= 16
    marked = digits or any(not char.isalnum() and char not in "'-" for char in value)
    if found["word"] and found["link"] in {":", "：", "="}:
        return value.isascii() and not value.isspace()
    return marked and value.isascii() and len(value) >= (4 if found["word"] else 8)


def _apart(found: Iterator[tuple[int, int, SecretType]]) -> Iterator[tuple[int, int, SecretType]]:
    """Spans in order of place; of two that overlap, the one that starts first, then the longer."""
    at = 0
    for start, end, kind in sorted(found, key=lambda item: (item[0], -item[1])):
        if start >= at:
            yield start, end, kind
            at = end
