"""From recognisers to a text without secrets.

One linear scan (RE2) tells which recognisers a text concerns; most turns concern none and pass untouched.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator

import re2

from lithify.domain.redaction import RedactionPolicy, SecretType, tag
from pipelines.language.model import Owner, Redacted
from pipelines.language.redaction.addresses import street_addresses
from pipelines.language.redaction.addresses_zh import chinese_addresses
from pipelines.language.redaction.cards import card, resident
from pipelines.language.redaction.contacts import addresses_of_hosts, emails
from pipelines.language.redaction.folding import Folded, fold
from pipelines.language.redaction.found import Found
from pipelines.language.redaction.papers import ibans, passports
from pipelines.language.redaction.passwords import passwords
from pipelines.language.redaction.phones import Phones
from pipelines.language.redaction.runs import runs
from pipelines.language.redaction.tokens import tokens

Recogniser = Callable[[str], Iterator[Found]]
NOBODY = Owner()

_NUMBERS = r"\d(?:[ .\-()/_]{0,3}\d){6}"
_TRIGGERS: tuple[tuple[str, Recogniser], ...] = (
    (
        r"-----BEGIN|eyJ|://[^/\s]*@|hooks\.slack|bearer|authorization|-u |--user|mysql|mariadb|sshpass"
        r"|(?:sk|pk|rk|tok|token|api|apikey|key|secret|pat|auth|access|refresh|bot|live|test|prod|sess|session"
        r"|whsec)[-_]"
        r"|gh[posur]_|github_pat|gl\w{2,3}t-|xox\w-|xapp-|A(?:KIA|SIA|ROA|IDA)|AIza|ya29|GOCSPX|LTAI|AKID|hf_|npm_"
        r"|pypi-|SG\."
        r"|sq0|shp\w{2}_|do\w_v1|gsk_|xai-|pplx-|nvapi-|r8_|lin_api|ntn_|figd_|dapi|glsa_|hvs\.|EAA|\d:[\w-]{35}"
        r"|[\w-]{23,27}\.[\w-]{6}\.",
        tokens,
    ),
    (
        r"pass|pwd|\bpw\b|psw|\bpin|otp|cv[vc]|code|token|secret|key|credential|creds|login|seed|recovery|mnemonic"
        r"|密码|密碼|口令|暗号|验证码|校验码|动态码|安全码|提取码|解锁码|密钥|秘钥|私钥|令牌|助记词",
        passwords,
    ),
    (r"@|\bat\b.{1,60}\bdot\b|[\[({<]\s?(?:at|dot)", emails),
    (r"\d\.\d{1,3}\.\d{1,3}\.\d|:[0-9a-f]{0,4}:", addresses_of_hosts),
    (r"[a-z]{2}\d{2}(?:[ .-]?[a-z0-9]){11}", ibans),
    (r"passport|护照", passports),
    (
        r"addr|anschrift|direcci|indirizzo|adres|\b(?:liv|resid|stay|mov|ship|deliver|send|mail|post|pick|hous|home"
        r"|flat"
        r"|apart|place|parcel|packag|find)\w* .{0,80}\d",
        street_addresses,
    ),
    (r"[址住寄送搬户家收居].{0,60}[\d一二三四五六七八九十]", chinese_addresses),
)


class PatternRedactor:
    """The redactor under one policy."""

    def __init__(self, policy: RedactionPolicy | None = None, key: bytes = b"") -> None:
        """Under a `key`, placeholders carry a tag that is equal for equal values of one user."""
        self._policy = policy or RedactionPolicy()
        self._key = key
        self._phones = Phones(self._policy.phone_regions)
        self._own = tuple((own.name, re2.compile(own.pattern)) for own in self._policy.patterns)
        self._recognisers: tuple[Recogniser, ...] = (self._numbers, *(found for _, found in _TRIGGERS))
        self._wanted = {str(kind) for kind in self._policy.types}
        names = "|".join(sorted([*SecretType, *(own.name for own in self._policy.patterns)]))
        self._placeholders = re.compile(rf"\[(?:{names})(?: \*{{4}}\w{{1,4}})?(?: #[bcdfghjklmnpqrst]{{6}})?\]")
        self._scan = _scan((_NUMBERS, *(trigger for trigger, _ in _TRIGGERS)))

    def redact(self, text: str, owner: Owner = NOBODY, cue: str = "") -> Redacted:
        """See `Redactor`."""
        lead = f"{cue}: " if cue else ""
        folded = fold(lead + text)
        found = list(self._find(folded.text))
        if not found:
            return Redacted(text)
        return self._replace(lead + text, folded, _apart(found), owner, len(lead))

    def _find(self, text: str) -> Iterator[Found]:
        if "[" in text:  # what stands for a value already is neither one nor a cue
            text = self._placeholders.sub(lambda found: "\ufffc" * len(found[0]), text)
        for name, pattern in self._own:
            for match in pattern.finditer(text):
                if match.end() > match.start():
                    yield Found(match.start(), match.end(), name, match[0])
        for index in self._scan.Match(text) or ():
            yield from (found for found in self._recognisers[index](text) if found.kind in self._wanted)

    def _numbers(self, text: str) -> Iterator[Found]:
        for run in runs(text):
            first = 0
            while first < len(run.groups):
                taken = resident(run, first) or card(run, first) or self._phones.find(run, first)
                if taken:
                    yield taken[0]
                first = taken[1] if taken else first + 1

    def _replace(self, text: str, folded: Folded, found: list[Found], owner: Owner, lead: int) -> Redacted:
        counts: Counter[str] = Counter()
        parts: list[str] = []
        at = lead
        for item in found:
            start, end = folded.span(item.start, item.end)
            if end <= lead:
                continue
            parts += [text[at : max(at, start)], self._placeholder(item, folded.text[item.start : item.end], owner)]
            counts[str(item.kind)] += 1
            at = end
        parts.append(text[at:])
        return Redacted("".join(parts), dict(counts))

    def _placeholder(self, item: Found, original: str, owner: Owner) -> str:
        mark = tag(self._key, owner.tenant, owner.subject_key, str(item.kind), item.value) if self._key else ""
        return self._policy.placeholder(item.kind, original, mark)


_RANK: dict[str, int] = {
    kind: rank
    for rank, kind in enumerate(
        (
            SecretType.SECRET,
            SecretType.PASSWORD,
            SecretType.IBAN,
            SecretType.NATIONAL_ID,
            SecretType.EMAIL,
            SecretType.PASSPORT,
            SecretType.CARD,
            SecretType.PHONE,
            SecretType.IP,
            SecretType.ADDRESS,
        )
    )
}
"""Of two types that overlap, the first says most; a tenant's own before all."""


def _apart(found: list[Found]) -> list[Found]:
    """Spans in order of place. Those that overlap become one, of the kind that says most: nothing of either stays."""
    apart: list[Found] = []
    for item in sorted(found, key=lambda one: (one.start, -one.end)):
        last = apart[-1] if apart else None
        if last is None or item.start >= last.end:
            apart.append(item)
            continue
        first = min(last, item, key=lambda one: _RANK.get(one.kind, -1))
        apart[-1] = Found(last.start, max(last.end, item.end), first.kind, first.value)
    return apart


def _scan(patterns: tuple[str, ...]) -> "re2.Set":
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = 64 << 20
    scan = re2.Set.SearchSet(options)
    for pattern in patterns:
        scan.Add(pattern)
    scan.Compile()
    return scan
