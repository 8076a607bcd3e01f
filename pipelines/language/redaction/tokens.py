"""Keys and tokens that are known by their shape, wherever they stand."""

import re
from collections.abc import Iterator

from lithify.domain.redaction import SecretType
from pipelines.language.redaction.found import Found

_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)[\s\S]){0,20000}"
    r"(?:-----END [A-Z0-9 ]{0,30}-----)?"
)
_VENDOR = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-(?:proj-|ant-|or-|svcacct-|live-|test-)?[A-Za-z0-9_-]{16,250}"
    r"|(?:sk|pk|rk|whsec)_(?:(?:live|test)_)?[A-Za-z0-9]{16,250}"
    r"|gh[posur]_[A-Za-z0-9_]{16,250}|github_pat_\w{16,250}|gl(?:pat|dt|rt|ptt|cbt)-[\w-]{16,250}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-[A-Za-z0-9-]{10,250}"
    r"|A(?:KIA|SIA|ROA|IDA)[0-9A-Z]{12,20}|AIza[\w-]{30,60}|ya29\.[\w-]{16,250}|GOCSPX-[\w-]{16,60}"
    r"|LTAI[A-Za-z0-9]{12,24}|AKID[A-Za-z0-9]{13,40}"
    r"|hf_[A-Za-z0-9]{16,60}|npm_[A-Za-z0-9]{20,60}|pypi-[\w-]{16,250}|SG\.[\w-]{10,80}\.[\w-]{10,120}"
    r"|key-[0-9a-f]{32}|sq0(?:atp|csp)-[\w-]{16,60}|shp(?:at|ca|pa|ss)_[A-Za-z0-9]{16,60}|do[por]_v1_[a-f0-9]{16,80}"
    r"|gsk_[A-Za-z0-9]{16,80}|xai-[A-Za-z0-9]{16,120}|pplx-[A-Za-z0-9]{16,80}|nvapi-[\w-]{16,120}|r8_[A-Za-z0-9]{16,60}"
    r"|lin_api_[A-Za-z0-9]{16,60}|ntn_[A-Za-z0-9]{16,60}|figd_[\w-]{16,60}|dapi[a-f0-9]{32}|glsa_[\w]{16,80}"
    r"|hvs\.[\w-]{16,200}|AGE-SECRET-KEY-1[A-Z0-9]{30,80}|EAA[A-Za-z0-9]{30,250}|[0-9]{8,10}:[A-Za-z0-9_-]{35}"
    r"|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"
    r"|eyJ[\w-]{6,4000}\.[\w-]{4,8000}(?:\.[\w-]{0,4000})?"
    r")(?![A-Za-z0-9])",
    re.ASCII,
)
_PREFIXED = re.compile(
    r"(?<![A-Za-z0-9_-])(?:[a-z]{1,10}[-_]){0,2}(?:sk|pk|rk|tok|token|api|apikey|key|secret|pat|auth|access|refresh|bot"
    r"|live|test|prod|sess|session)[-_](?P<rest>[A-Za-z0-9_-]{10,200})(?![A-Za-z0-9_-])",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"(?:(?<![a-z])bearer|authorization\s?[:=]\s?[\"']?(?:bearer|basic|token"
    r"|apikey))\s{1,3}(?P<secret>[A-Za-z0-9._~+/=-]{10,4000})",
    re.IGNORECASE,
)
_WEB = re.compile(
    r"(?<=://)(?P<user>[^\s:/@\"'<>]{0,100}):(?P<secret>[^\s/\"'<>]{1,200}|[^\s@\"'<>]{1,200})(?=@[\w.\[-])"
)
_USER = re.compile(r"(?<=\s)(?:-u|--user)[ =][\"']?[^\s:\"']{1,60}:(?P<secret>[^\s\"']{3,200})")
_MYSQL = re.compile(
    r"(?<![a-z])(?:mysql|mariadb|mysqldump|mysqladmin"
    r"|sshpass)(?![a-z])[^\n]{0,80}?\s-p\s?[\"']?(?P<secret>[^\s\"']{4,200})"
)
_SLACK = re.compile(r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/]{20,120})")
_SEGMENT = re.compile(r"[A-Za-z0-9]+")
_TURN = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[a-z])(?=[A-Z])")
_STRICT = re.compile(r"(?:tok|sk|pk|rk)[-_]", re.IGNORECASE)
_NO_VALUE = re.compile(
    r"<|\{\{|\$\{|\$[A-Z_]+$|\[[a-z]|\*+$|x{3,}|\.{3}|\[?redacted|password$|pass$|pwd$", re.IGNORECASE
)


def tokens(text: str) -> Iterator[Found]:
    """Private keys, tokens of known vendors, JWTs, authorization headers, credentials in URLs."""
    for pattern in (_BLOCK, _VENDOR):
        for found in pattern.finditer(text):
            if pattern is _BLOCK or _is_made(found[0]):
                yield _secret(found, 0)
    for found in _PREFIXED.finditer(text):
        if is_random(found["rest"]) or (_STRICT.match(found[0]) and _is_long_mix(found["rest"])):
            yield _secret(found, 0)
    for found in _HEADER.finditer(text):
        if _is_made(found["secret"]):
            yield _secret(found, "secret")
    for pattern in (_WEB, _USER, _MYSQL, _SLACK):
        for found in pattern.finditer(text):
            if not _NO_VALUE.match(found["secret"]):
                yield _secret(found, "secret")


def _secret(found: re.Match[str], group: str | int) -> Found:
    return Found(*found.span(group), SecretType.SECRET, found[group])


def _is_made(text: str) -> bool:
    """Whether it has digits or capitals inside words: "sk-learn-contrib-packages" has none."""
    return any(char.isdigit() for char in text) or any(char.isupper() for char in text[4:])


def _is_long_mix(text: str) -> bool:
    return any(
        len(part) >= 14 and not part.isalpha() and not part.isdigit() and _TURN.search(part)
        for part in _SEGMENT.findall(text)
    )


def is_random(text: str) -> bool:
    """Whether one part of `text` is no word and no number: it changes between letters and digits or in case."""
    return any(
        len(part) >= 8 and len(_TURN.findall(part)) >= 3 and any(char.isdigit() for char in part)
        for part in _SEGMENT.findall(text)
    )
