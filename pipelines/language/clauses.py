"""Cuts a turn into sentences and clauses, and blanks what is not the user's own plain words.

Nothing is cut inside a decimal, a version, a URL or a Markdown cell; every cut keeps positions in the turn.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.language.languages import Language
from pipelines.language.model import Reject, RejectCode

_FOREIGN = re.compile(
    r"(?P<memory><lithify-memory\b.*?(?:</lithify-memory>|\Z))"
    r"|(?P<code>```.*?(?:```|\Z))"
    r"|(?P<label>^[ \t]*(?:assistant|system|user|ai|bot|human|tool|助手|系统|用户)[ \t]*[:：].*\Z)"
    r"|(?P<block>^[ \t]*>[^\n]*)"
    r"|(?P<said>[\"“「『][^\"”」』\n]{2,400}[\"”」』])",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_HINTS = ("<lithify-memory", "```", ">", '"', "“", "「", "『", ":", "：")
_OWN_VERB = re.compile(
    r"(?<![\w'])(?:i|i'm|i've|my|we|is|are|am|love|hate|have|was)(?![\w])|我|[是喜爱讨厌住吃]", re.IGNORECASE
)
_TITLE_WORDS = 4
_CODES = {
    "memory": RejectCode.MEMORY,
    "code": RejectCode.QUOTE,
    "label": RejectCode.ASSISTANT_TEXT,
    "block": RejectCode.QUOTE,
    "said": RejectCode.QUOTE,
}
_ABBREVIATIONS = r"(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bDr)(?<!\bSt)(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)"
_SENTENCE_END = re.compile(
    r"(?:[。！？…]+|[!?]+(?![A-Za-z0-9=&/%?]))[!?]*[\"”」』)）*]*"
    rf"|{_ABBREVIATIONS}\.+(?=[\s*\"”)）]|$)[*\"”)）]*|\n+|\|"
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
    """Replace by spaces what is not the speaker's own words: recalled memory, code, forged labels, quotes.

    A short quoted title ("Charlotte's Web") stays.

    Returns:
        The text, as long as before, and one reject for each stretch.
    """
    if not any(hint in text for hint in _HINTS):
        return text, []
    rejects: list[Reject] = []

    def fill(found: re.Match[str]) -> str:
        kind = found.lastgroup or "said"
        words = found[0]
        if kind == "said" and _is_title(words):
            return words
        rejects.append(Reject(_CODES[kind], found.span()))
        return " " * len(words)

    return _FOREIGN.sub(fill, text), rejects


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
    return [Clause(first, last) for first, last in found if first < last]
