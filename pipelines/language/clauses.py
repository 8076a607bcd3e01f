"""Cuts a turn into sentences and clauses, and blanks what is not the user's own plain words.

Nothing is cut inside a decimal, a version, a URL or a Markdown cell; every cut keeps positions in the turn.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.language.languages import Language
from pipelines.language.model import Reject, RejectCode

_ROLES = r"(?:assistant|system|user|ai|bot|human|tool|助手|系统|用户)[ \t]*[:：]"
_CODE_LINE = (
    r"^[ \t]*(?:#|//|/\*|\$ |>>>|--|def \w+\(|return[ (]|echo |curl |import \w+$|if [^\n]{1,80}: ?return)"
    r"|[\w)\]]={1,3}[\w\"'\[{(]|[\w)\]] ={1,3} [\"'\[{(]|^[ \t]*\w+ = \w"
    r"|[{\[(] ?[\"'][^\n]{0,200}[\"'] ?[}\])]|[A-Za-z0-9_]\([^\s()][^()\n]{0,80}\);?[ \t]*$"
    r"|\b(?:console\.log|printf?)\(|\bselect\b[^\n]{1,80}\bfrom\b[^\n]{1,80}(?:;|\bwhere\b)|\binsert into \w"
    r"|\d\d(?::\d\d)?[\]\s]+(?:info|warn(?:ing)?|error|debug)\b"
)
"""What marks a line as code, a query or a log."""
_RECORD_LINE = rf"[ \t-]*(?!{_ROLES})[\w ]{{1,20}}[:：][^\n]+"
_FOREIGN = re.compile(
    r"(?P<memory><lithify-memory\b.*?(?:</lithify-memory>|\Z))"
    r"|(?P<code>```.*?(?:```|\Z))"
    rf"|(?P<label>^[ \t]*{_ROLES}.*\Z)"
    r"|(?P<block>^[ \t]*>[^\n]*)"
    r"|(?P<inline>`[^`\n]{1,400}`)"
    rf"|(?P<record>^{_RECORD_LINE}\n(?:{_RECORD_LINE}(?:\n|\Z))+)"
    r"|(?P<said>[\"“「『][^\"”」』\n]{2,400}[\"”」』]|(?<!\w)'[^'\n]{2,200}'(?!\w))",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_URL = re.compile(r"\w{2,8}://\S+")
_CODE = re.compile(_CODE_LINE, re.IGNORECASE | re.MULTILINE)
_HINT = re.compile(r"[`>\"“「『:：]|(?<!\w)'")
_CODE_HINT = re.compile(r"[=#(){}\[$/;\"]|>>>|--")
"""What every foreign stretch, and every line of code, holds: cheap first tests."""
_OWN_VERB = re.compile(
    r"(?<![\w'])(?:i|i'm|i've|my|we|is|are|am|love|hate|have|was)(?![\w])|我|[是喜爱讨厌住吃]", re.IGNORECASE
)
_TITLE_WORDS = 4
_CODES = {
    "memory": RejectCode.MEMORY,
    "code": RejectCode.QUOTE,
    "label": RejectCode.ASSISTANT_TEXT,
    "block": RejectCode.QUOTE,
    "inline": RejectCode.QUOTE,
    "record": RejectCode.QUOTE,
    "said": RejectCode.QUOTE,
}
_ABBREVIATIONS = r"(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bDr)(?<!\bSt)(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)"
_SENTENCE_END = re.compile(
    r"(?:[。！？…]+|[!?]+(?![A-Za-z0-9=&/%?]))[!?]*[\"”」』)）*]*"
    rf"|{_ABBREVIATIONS}\.+(?=[\s*\"”)）]|$)[*\"”)）]*|\n+|\|"
    r"|(?<=[a-z])\.(?=(?:I|My|We)\b)"  # hasty: "I'm vegan.I live in Rome"
    r"|(?<=\S) (?=\d{1,2}[.)）、] ?(?:(?:I|My|We)\b|我))"  # a list in one line
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of the turn up to its end mark."""

    start: int
    end: int
    question: bool


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a sentence with one predicate."""

    start: int
    end: int


def blank_foreign(text: str) -> tuple[str, list[Reject]]:
    """Replace by spaces what is not the speaker's own words: recalled memory, code, records, forged labels, quotes.

    A short quoted title ("Charlotte's Web") stays.

    Returns:
        The text, as long as before, and one reject for each stretch.
    """
    rejects: list[Reject] = []

    def fill(found: re.Match[str]) -> str:
        kind = found.lastgroup or "said"
        words = found[0]
        if kind == "said" and _is_title(words):
            return words
        rejects.append(Reject(_CODES[kind], found.span()))
        return " " * len(words)

    if _HINT.search(text) is not None:
        text = _FOREIGN.sub(fill, text)
    if _CODE_HINT.search(text) is not None:
        text = _without_code(text, rejects)
    return text, rejects


def _without_code(text: str, rejects: list[Reject]) -> str:
    """`text` without its lines of code, queries and logs."""
    lines = text.split("\n")
    at = 0
    for index, line in enumerate(lines):
        if _CODE.search(_URL.sub("", line)) is not None:
            rejects.append(Reject(RejectCode.QUOTE, (at, at + len(line))))
            lines[index] = " " * len(line)
        at += len(line) + 1
    return "\n".join(lines)


def _is_title(words: str) -> bool:
    inner = words[1:-1]
    return len(inner.split()) <= _TITLE_WORDS and len(inner) <= 30 and not _OWN_VERB.search(inner)


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of `text`, without surrounding white space or Markdown marks."""
    start = 0
    for mark in _SENTENCE_END.finditer(text):
        yield from _sentence(text, start, mark.start(), "?" in mark[0] or "？" in mark[0])
        start = mark.end()
    yield from _sentence(text, start, len(text), question=False)


def _sentence(text: str, start: int, end: int, question: bool) -> Iterator[Sentence]:
    start, end = _trim(text, start, end)
    if start < end:
        yield Sentence(start, end, question)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in " \t\r\n*_#-|•·,，.:：;；、":
        start += 1
    while end > start and text[end - 1] in " \t\r\n*_|,，;；、":
        end -= 1
    return start, end


def clauses(language: Language, text: str, sentence: Sentence) -> list[Clause]:
    """The clauses of a sentence, in order."""
    found = []
    start = sentence.start
    for mark in language.clause_break.finditer(text, sentence.start, sentence.end):
        found.append(_trim(text, start, mark.start()))
        start = mark.end()
    found.append(_trim(text, start, sentence.end))
    return [Clause(first, _without_trail(language, text, first, last)) for first, last in found if first < last]


def _without_trail(language: Language, text: str, start: int, end: int) -> int:
    """Where the clause ends that may trail off in particles and slang: "pork tbh" ends after "pork"."""
    trail = language.trail.search(text, start, end)
    return end if trail is None or trail.start() == start else trail.start()
