"""Runs of digit groups, and what can be told of a stretch of them without any library."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

_RUN = re.compile(r"[0-9](?:[ .\-()/_]{0,3}[0-9]){6,}")
"""At least seven digits, at most three separators between two of them. Deterministic, so linear."""
_MOST_GROUPS = 7
"""Of one number, unless each digit stands alone."""
_GROUP = re.compile(r"[0-9]+")
_TOKEN = 40
_LEFT = re.compile(r"[A-Za-z0-9_.\-]+\Z")
_RIGHT = re.compile(
    r"(?!x[0-9]|ext|X?$|(?:ok|thx|thanks?|pls|plz|please|call|text|and|or)(?![A-Za-z0-9_]))"
    r"(?:[A-Za-z_]|[-_][A-Za-z_]|\.[a-z_])"
)
_WORD = re.compile(r"[!-~]+\Z")
_LETTER = re.compile(r"[A-Za-z_]")
_NAMES_IT = re.compile(
    r"(?:tel|phone|mobile|mob|cell|ph|call|fax|whatsapp|wechat|vx|wx|sms|no|num|nr|number|card|visa|amex|id|sfz|sj|dh)"
    r"[-._]?(?:86[-._]?|0086[-._]?)?",
    re.IGNORECASE,
)
_TIES = frozenset("-._")
_DATE = re.compile(
    r"(?<![0-9])(?:(?:19|20)[0-9]{2}([-./ ])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12][0-9]|3[01])"
    r"|(?:19|20)[0-9]{2}\s?[-/]\s?(?:19|20)[0-9]{2}"
    r"|(?:0?[1-9]|[12][0-9]|3[01])([-./])(?:0?[1-9]|[12][0-9]|3[01])\2(?:19|20)[0-9]{2})(?![0-9])"
)
_INSTANT = re.compile(
    r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?)?"
)
_MONEY_BEFORE = re.compile(r"(?:[$€£¥₹₩]|USD|CNY|RMB|EUR|GBP|JPY)\s?$", re.IGNORECASE)
_UNIT_AFTER = re.compile(
    r"\s?(?:元|块|美元|欧元|万|亿|步|次|个(?!人)|人|条|行|米|公里|字节|毫秒|秒|%|°"
    r"|(?:[km]?bytes?|[km]m|[kmgt]b|m?s|px|dollars|usd|eur|rmb|cny|people|users|rows|points|steps|views|records|lines"
    r"|tokens|requests|bits|miles|meters|metres|seconds|milliseconds|years|l|u|ull|n)(?![a-z]))",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_.\[\]]*)\s?={1,2}\s?$")
_LITERAL = re.compile(r"[A-Za-z0-9_]\($|\breturn $|\[$|`$|0x$")
_NAMED_SO = re.compile(r"phone|mobile|tel|cell|card|contact|fax|sms|whats", re.IGNORECASE)


@dataclass(frozen=True)
class Run:
    """Digit groups with little between them."""

    text: str
    """The whole folded text."""
    groups: tuple[tuple[int, int], ...]

    @cached_property
    def digits(self) -> str:
        """All digits."""
        return "".join(self.text[start:end] for start, end in self.groups)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """How many digits come before each group, and in the end all."""
        counts = [0]
        for start, end in self.groups:
            counts.append(counts[-1] + end - start)
        return tuple(counts)

    @cached_property
    def dates(self) -> tuple[list[int], list[int]]:
        """Where dates begin and where they end, in order."""
        found = list(_DATE.finditer(self.text, self.groups[0][0], self.groups[-1][1]))
        return [date.start() for date in found], [date.end() for date in found]

    @cached_property
    def _starts(self) -> dict[int, int]:
        return {offset: index for index, offset in enumerate(self.offsets)}

    def stretch(self, first: int, length: int) -> "Stretch | None":
        """From group `first` so many digits, if they end where a group ends."""
        offset = self.offsets[first]
        after = self._starts.get(offset + length)
        if after is None or (after - first > _MOST_GROUPS and after - first != length):
            return None
        return Stretch(self, first, after, self.digits[offset : offset + length])


@dataclass(frozen=True)
class Stretch:
    """Some groups of a run."""

    run: Run
    first: int
    after: int
    """Index of the group after the last."""
    digits: str

    @property
    def start(self) -> int:
        """Place of the first digit."""
        return self.run.groups[self.first][0]

    @property
    def end(self) -> int:
        """Place after the last digit."""
        return self.run.groups[self.after - 1][1]

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the groups."""
        return tuple(end - start for start, end in self.run.groups[self.first : self.after])

    @property
    def gaps(self) -> list[str]:
        """What stands between the groups."""
        groups = self.run.groups[self.first : self.after]
        return [self.run.text[left[1] : right[0]].strip(" ") or " " for left, right in pairwise(groups)]

    def is_whole(self) -> bool:
        """Whether it is no part of a longer word, path or identifier ("a716-446655440000", "KX-13800138000")."""
        text, start, end = self.run.text, self.start, self.end
        left = _LEFT.search(text, max(0, start - _TOKEN), start)
        if left is not None and _LETTER.search(left[0]) and not _NAMES_IT.fullmatch(left[0]):
            return False
        return not _RIGHT.match(text, end) and not (text[max(0, start - 1)] == "/" and _in_path(text, start))

    def joined(self) -> bool:
        """Whether a hyphen, dot or underscore ties it to more digits: a piece of something longer."""
        before, behind = self.neighbours()
        text = self.run.text
        return (before is not None and text[before[1] : self.start].strip() in _TIES) or (
            behind is not None and text[self.end : behind[0]].strip() in _TIES
        )

    def neighbours(self) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        """The groups of the run before and after it."""
        groups = self.run.groups
        return (
            groups[self.first - 1] if self.first else None,
            groups[self.after] if self.after < len(groups) else None,
        )

    def is_amount(self) -> bool:
        """Whether money or a unit stands beside it."""
        text = self.run.text
        before = _MONEY_BEFORE.search(text, max(0, self.start - 5), self.start)
        return before is not None or _UNIT_AFTER.match(text, self.end) is not None

    def in_code(self) -> bool:
        """Whether it is a literal of a program: assigned, returned, an argument, in brackets."""
        text = self.run.text
        assigned = _ASSIGNED.search(text, max(0, self.start - 40), self.start)
        if assigned is not None:
            return not _NAMED_SO.search(assigned["name"])
        return _LITERAL.search(text, max(0, self.start - 8), self.start) is not None

    def is_date(self) -> bool:
        """Whether a date or an instant is in it, or it is in one."""
        if _INSTANT.fullmatch(self.digits):
            return True
        starts, ends = self.run.dates
        return bisect_left(starts, self.end) > bisect_right(ends, self.start)

    def is_decimal(self) -> bool:
        """Whether it is one number with a decimal point, such as a coordinate."""
        return len(self.shape) == 2 and self.gaps == ["."]


def runs(text: str) -> Iterator[Run]:
    """Every run of at least seven digits, in order."""
    for found in _RUN.finditer(text):
        yield Run(text, tuple(group.span() for group in _GROUP.finditer(text, found.start(), found.end())))


def _in_path(text: str, start: int) -> bool:
    """Whether "/" before a number belongs to an address or a path, such as ".../users/4155552671"."""
    word = _WORD.search(text, max(0, start - 2 * _TOKEN), start)
    return word is not None and _LETTER.search(word[0]) is not None
