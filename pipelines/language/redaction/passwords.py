"""Passwords, PINs, codes sent once and unmarked keys: what a cue says is one.

"my password is hunter2" has one, "my password is incorrect" has none: a word of the language is only taken for a
password where the sentence leaves nothing else for it to be.
"""

import re
from collections.abc import Iterator

from lithify.domain.redaction import SecretType
from pipelines.language.redaction.found import Found

_CUE = re.compile(
    r"(?P<pass>pass[ _-]?(?:words?|wd|phrases?|codes?|key)(?![a-z])|(?<![a-z])(?:pass|pwd|pw|pswd|psw"
    r"|passwort)(?![a-z])"
    r"|_(?:pwd|pass)(?![a-z])|(?<!流量)(?<!财富)(?<!摩斯)密码|口令|暗号|密碼)"
    r"|(?P<login>(?<![a-z])(?:credentials?|creds|logins?)(?![a-z])|(?:用户名|账号|帐号)(?:和|与|/|、|及)密码)"
    r"|(?P<pin>(?<![A-Za-z])pin(?![a-z])(?:[ -]?(?:code|number|码))?"
    r"|(?<![a-z])(?:otp|cvv2?|cvc2?|(?:one[- ]time|verification|security|2fa|mfa|auth(?:entication)?|login|sms|unlock"
    r"|alarm|safe) (?:code|pin|passcode))(?![a-z])|验证码|校验码|动态码|安全码|提取码|解锁码|PIN码)"
    r"|(?P<key>(?:api|access|secret|private|client|auth|bearer|refresh|session|signing|encryption|license"
    r"|personal access"
    r"|webhook|app|ssh|deploy|master|recovery|backup|wi-?fi|wpa2?|network)[ _-]?(?:access[ _-]?|secret[ _-]?"
    r"|key[ _-]?)?"
    r"(?:keys?|tokens?|secrets?)(?![a-z])|(?<![a-z])(?:secrets?|tokens?)(?![a-z])|密钥|秘钥|令牌|私钥|(?:recovery"
    r"|backup) codes?(?![a-z]))"
    r"|(?P<seed>(?<![a-z])(?:seed|recovery|mnemonic)(?: (?:phrase|words))?(?![a-z])|助记词)"
    r"|(?P<plain>(?<![a-z])key(?![a-z]))",
    re.IGNORECASE,
)
_ABOUT = r"(?:[ \"'`\])*]{0,3}(?:\s?\((?:[^()\n]{1,30})\)|\s(?:for|of|to|on|at|in|you|i|we|that)\s[\w.@'/ -]{1,40}?)?)"
_WORDS_OF_LINK = (
    r"(?:[a-z]{0,9}\s)?(?:is now|is still|is|are|was|will be|used to be|would be|equals|reads|changed to|set to|to be"
    r"|'s|=>|->|→|-(?=\s)|:=|={1,2}|:|是|为|就是|还是|叫做?|改成了?|改为了?|换成了?|设成了?|设为了?|设置为了?|设置成了?"
    r"|变成了?|用的是|to)"
    r"(?:\s{0,2}[:=])?[*_]{0,2}"
)
_LINK = re.compile(
    rf"(?:{_ABOUT}\s{{0,3}}(?P<link>{_WORDS_OF_LINK})|[\"'`\])*]{{0,3}}(?=\s)|(?<=cv[vc])(?=[0-9]))\s{{0,3}}",
    re.IGNORECASE,
)
_LINK_ZH = re.compile(
    r"[\"'`]?[^\S\n]{0,2}(?:[（(][^()（）\n]{1,20}[)）])?(?P<link>(?:[\u4e00-\u9fff]{0,6}?(?:是|为|叫|成了?|用的是|改回了?"
    r"|如下))?\s?(?:[:=]|\s?,)?|)"
    r"[^\S\n]{0,2}"
)
_QUOTED = re.compile(r"([\"'`])(?P<value>[^\"'`\n]{3,120})\1")
_VALUE = re.compile(r"(?P<value>[!-~]{3,250})")
_PAIR = re.compile(r"(?P<value>[!-~]{2,80}?\s?[/:|,]\s?[!-~]{4,120})")
_SPOKEN = re.compile(r"[\u4e00-\u9fff]{3,12}(?=\s*$|[,，.。!！;；\n])")
_SPACED = re.compile(r"\d(?:[ -]\d){3,7}(?![ -]?\d)")
"""A code said digit by digit."""
_WORDS = re.compile(r"[\"'`]?(?P<value>[a-z]{2,12}(?:[ ,-]{1,2}[a-z]{2,12}){3,23})", re.IGNORECASE)
_BEFORE = re.compile(
    r"(?<![!-~])[\"'`(]?(?P<value>[!-~]{4,64}?)[\"'`)]{0,2}\s{1,2}(?:(?:is|was|as|=)\s(?:my|our|the|your|his|her"
    r"|their|an?)\s(?:[\w-]{1,16}\s){0,3})$",
    re.IGNORECASE,
)
_BEFORE_ZH = re.compile(
    r"(?<![!-~])[\"'`(]?(?P<value>[!-~]{4,64}?)[\"'`)]{0,2}\s{0,2}(?:是|就是|作为|当作?|当成|做|设为|设成)(?:我|他|她"
    r"|新|你|咱)?[\u4e00-\u9fff]{0,8}$"
)
_MIXED = re.compile(r"[a-z][A-Z].*[a-z][A-Z]")
_TRAILING = ".,;:?)]}>\"'`"
_EMPTY = re.compile(
    r"<[^<>]{1,60}>|\$\{?[A-Za-z_]+\}?$|\{\{?[\w. ]{1,40}\}?\}$|\*{2,}$|%\w{1,40}%$|%[(s]|\[[^\]]{0,40}\]|x{3,}$"
    r"|\.{2,}|-{3,}|_{3,}|(?:my|your)[_-](?:password|secret|key|token)|(?:os|process|self|config|settings|env"
    r"|secrets?|args)\."
    r"|https?://|//|(?-i:(?:/[a-z._-]{2,20}){2,}/?$)",
    re.IGNORECASE,
)
_BLANK = re.compile(
    r"<[^<>\n]{1,60}>|[A-Za-z_][A-Za-z_.]{3,40}[(\[][\w\"', .-]{0,60}[)\]]|[A-Za-z_]\w{0,40}(?:\.\w{1,40}){1,4}\("
)
_OTHER_PASS = re.compile(
    r"(?:tests?|checks?|cases?|boarding|ski|day|season|bus|train|rail|hall|free|mountain|press|gym|guest|all|first"
    r"|second"
    r"|one|single|multi|high|low)[ -]$",
    re.IGNORECASE,
)
_OTHER_KEY = re.compile(
    r"(?:subject|primary|foreign|sort|partition|row|cache|public|object|shard|routing|idempotency|dedupe?)[ _-]$",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+")
_COUNTED = re.compile(
    r"[- ]?(?:(?:or more |to \d{1,3} |-\d{1,3} )?(?:char|digit|letter|symbol|day|week|month|year|hour|minute|second"
    r"|time|attempt|bit|byte|word|entr|item|people|user|%)"
    r"|个|位|天|年|次|分钟|小时|字符|月|秒|条|组|种|人|遍)",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"[\"'`)]?(?:\s*$|[.,;!?。，；！？\n]|\s(?:and|but|so|please|thanks|if|for|in case|now|right|ok)\b)", re.IGNORECASE
)
_OWNED = re.compile(
    r"(?:(?<![a-z])(?:my|our|the|your|his|her|their|'s|wi-?fi|router|account|laptop|login|email|bank|new|old|netflix"
    r"|work)(?:\s[\w'-]{1,20}){0,3}|^)\s*$",
    re.IGNORECASE,
)
_UNSAID = re.compile(
    r"(?<![a-z])(?:no|not|without|any|forgot|forget|lost|reset|need|ask(?:ed)? for|what(?:'s"
    r"| is))(?:\s[\w']{1,12}){0,2}\s*$",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"(?:ed|ing|able|ible|ful|less|ive|ly|ous|ory|ant|ent|ized|ised|al|ic|er|est|en)$")
_WORDS_AFTER_IS = """
    incorrect wrong invalid expired weak strong required needed missing correct right safe secure secret
    private hidden empty blank gone lost forgotten unknown stored saved reset changed same different ready fine
    okay good bad long short longer shorter old new important mandatory optional easy hard tough stolen known
    public due set not the a an in on at under my your his her our their something anything nothing everything
    what where who how too very so quite still always never now also only just no yes working broken there here
    valid kept written about for to from of with one that this it up enough simple complex unique random default
    null none true false str string text int bool float any see ask tbd todo n/a na ok password passwd pwd pass
    token key value field example sample test please provided below above attached inside separate sent given
    case free both all more less than like unset undefined void exactly really pretty super kind sort stuff
    things plain hash hashed salt policy rotation rules manager managers prompt hint length strength login
    reused shared leaked safe-ish confidential sensitive essential critical key-based hers mine yours theirs
    ours somewhere elsewhere nowhere impossible possible annoying mess problem issue pain joke nightmare bit lot
    little part must should could would can will may might was were been being when while because since if
    unless until after before then often sometimes almost already again back off out over down better worse best
    worst great terrible awful stupid dumb silly funny weird strange crazy obvious another and or but dead live
    active inactive enabled disabled open closed stale fresh up-to-date
"""
_NOT_VALUES = frozenset(_WORDS_AFTER_IS.split())
"""What a password is said to be rather than what it is: "my password is incorrect"."""


def passwords(text: str) -> Iterator[Found]:
    """Everything that a cue calls a password or a key."""
    for cue in _CUE.finditer(text):
        kind = str(cue.lastgroup)
        if kind == "plain" and _OTHER_KEY.search(text, max(0, cue.start() - 16), cue.start()):
            continue
        secret = SecretType.SECRET if kind in {"key", "plain"} else SecretType.PASSWORD
        span = _ahead(text, cue, kind) or (_behind(text, cue) if kind == "pass" else None)
        if span is not None:
            yield Found(*span, secret, text[slice(*span)])


def _ahead(text: str, cue: re.Match[str], kind: str) -> tuple[int, int] | None:
    """The value after a cue."""
    chinese = not cue[0].isascii()
    link = (_LINK_ZH if chinese else _LINK).match(text, cue.end())
    if link is None:
        return None
    at, said = link.end(), (link["link"] or "").strip(" *_").casefold()
    if kind == "seed" or (kind == "pass" and "phrase" in cue[0].casefold() and said):
        words = _WORDS.match(text, at)
        if words is not None and (said or kind != "seed") and _CLAUSE_END.match(text, words.end()):
            return words.span("value")
    if kind == "login" and said:
        pair = _PAIR.match(text, at)
        return pair.span("value") if pair and not _EMPTY.match(pair["value"]) else None
    if kind in {"seed", "login"}:
        return None
    quoted = _QUOTED.match(text, at)
    if quoted is not None:
        told = bool(said) or _is_marked(quoted["value"])
        return quoted.span("value") if told and _is_quotable(quoted["value"], kind) else None
    if cue[0] in {"口令", "暗号"} and said.endswith(":"):
        spoken = _SPOKEN.match(text, at)
        if spoken is not None:
            return spoken.span()
    spaced = _SPACED.match(text, at) if kind == "pin" and said else None
    if spaced is not None:
        return spaced.span()
    value = _VALUE.match(text, at)
    if value is None:
        return None
    return _judge(text, cue, kind, said, chinese, at, value["value"])


def _judge(
    text: str, cue: re.Match[str], kind: str, said: str, chinese: bool, start: int, raw: str
) -> tuple[int, int] | None:
    value = _trimmed(raw, said)
    end = start + len(value)
    if cue[0].casefold() == "pass" and _OTHER_PASS.search(text, max(0, cue.start() - 20), cue.start()):
        return None
    if len(value) < 3 or _BLANK.match(text, start) or _EMPTY.match(value) or value.casefold() in _NOT_VALUES:
        return None
    if value.isdigit() and _COUNTED.match(text, end):
        return None
    if kind == "pin":
        return (start, end) if _is_pin(cue[0], value, said, chinese) else None
    if kind in {"key", "plain"}:
        return (start, end) if not _NAME.fullmatch(value) and _is_key(value, kind, said) else None
    if said[-1:] in {":", "=", "→", ">"}:
        return start, end
    if chinese:
        return (
            (start, end)
            if len(value) >= 4 and (_is_marked(value) or said) and not _is_word_zh(text, value, end)
            else None
        )
    if said and said != "to":
        return (start, end) if _is_marked(value) or _is_bare(text, cue.start(), value, end) else None
    mixed = _is_marked(value) and (any(char.isalpha() for char in value) or len(value) >= _least(cue[0]))
    return (start, end) if mixed and len(value) >= 4 else None


def _least(cue: str) -> int:
    """Digits that make a password without a verb: "password 123456", "passcode 9482"."""
    return 4 if "code" in cue.casefold() else 6


def _trimmed(raw: str, said: str) -> str:
    """A value without the punctuation after it, nor the next setting of a connection string."""
    if said[-1:] in {"=", ":"}:
        raw = re.split(r"[;&,](?=\s{0,2}[\w ]{1,40}[=:])", raw, maxsplit=1)[0]
    value = raw.rstrip(_TRAILING)
    return value.removesuffix("!") if value[:-1].isalpha() else value


def _is_marked(value: str) -> bool:
    """Whether it holds a digit or a sign, so that it is no word."""
    return _MIXED.search(value) is not None or any(
        char.isdigit() or (char.isascii() and not char.isalnum() and char not in "'-.,/?;: ")
        for char in value.rstrip("!")
    )


def _is_quotable(value: str, kind: str) -> bool:
    if kind in {"key", "plain"}:
        return len(value) >= 6 and " " not in value and not _EMPTY.match(value) and _is_key(value, "key", ":")
    return not _EMPTY.match(value) and value.casefold() not in _NOT_VALUES


def _is_pin(cue: str, value: str, said: str, chinese: bool) -> bool:
    upper = cue.upper().startswith("PIN") and not cue.isupper() and cue.casefold() == "pin"
    if value.isdigit():
        return 3 <= len(value) <= 12 and (bool(said) or not upper)
    coded = value.isalnum() and any(char.isdigit() for char in value) and 4 <= len(value) <= 12
    return coded and (chinese or (bool(said) and cue.casefold() != "pin"))


def _is_key(value: str, kind: str, said: str) -> bool:
    digits = sum(char.isdigit() for char in value)
    if not value.isascii() or (digits == len(value) and len(value) < 12):
        return False
    if kind == "plain":
        return bool(said) and digits > 0 and len(value) >= 16
    marked = digits > 0 and any(char.isalpha() for char in value)
    if not said:
        return marked and len(value) >= 10 and (digits >= 2 or (len(value) >= 16 and _mixed(value)))
    return (marked and len(value) >= 6) or (len(value) >= 16 and _mixed(value))


def _mixed(value: str) -> bool:
    return any(char.islower() for char in value) and any(char.isupper() for char in value)


def _is_bare(text: str, cue: int, value: str, end: int) -> bool:
    """Whether a plain word can only be the password: "the wifi password is swordfish."."""
    word = value.casefold()
    return (
        len(word) >= 5
        and word.isalpha()
        and not _SUFFIX.search(word)
        and _CLAUSE_END.match(text, end) is not None
        and _OWNED.search(text, max(0, cue - 60), cue) is not None
        and not _UNSAID.search(text, max(0, cue - 40), cue)
    )


def _is_word_zh(text: str, value: str, end: int) -> bool:
    """Whether Chinese words go on after a plain word: "密码是admin账号的" names no password."""
    return value.isalpha() and "\u4e00" <= text[end : end + 1] <= "\u9fff"


def _behind(text: str, cue: re.Match[str]) -> tuple[int, int] | None:
    """The value before a cue: "hunter2 is my password"."""
    pattern = _BEFORE if cue[0].isascii() else _BEFORE_ZH
    found = pattern.search(text, max(0, cue.start() - 110), cue.start())
    if found is None:
        return None
    value = found["value"].rstrip(_TRAILING)
    start = found.start("value")
    mixed = _is_marked(value) and len(value) >= 4 and not _EMPTY.match(value)
    return (start, start + len(value)) if mixed else None
