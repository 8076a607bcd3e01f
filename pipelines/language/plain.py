"""Text without what only decorates it: emphasis, tags, doubled spaces, emoji; with where each letter stood.

The rules read words. `**not**`, a soft hyphen or a second space would hide one, and a hidden "not" turns a statement
round. What says something stays: emoji that laugh, quotes, code, and every emoji where emoji are the subject.
"""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_EMOJI = "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d]"
_TELLING = "👎❌💀🐶😁😂😄😅😆😉😋😏😛😜😝😹🙃🙄🤡🤣🤪🤭🤷"
"""Emoji that say how the words are meant."""
_ABOUT_EMOJI = ("emoji", "表情")
_NOISE = re.compile(
    r"~~(?=\S)[^~\n]{1,200}~~"  # struck out: not said
    r"|(?<![A-Za-z0-9_)\]*\\])(?P<stars>\*{1,3})(?=[^\s*])(?P<starred>[^*\n]{1,200}?)(?<=\S)(?P=stars)(?![A-Za-z0-9_(*])"
    r"|(?<![\w\\])_(?=[A-Za-z])(?P<lined>[A-Za-z' ]{1,60})(?<=\S)_(?!\w)"
    r"|</?(?P<tag>b|i|em|strong|u|span|mark)>"
    r"|</?(?P<block>p|br|div|li|ul|ol)\s?/?>"
    r"|(?P<entity>&(?:\#\d{2,6}|amp|quot|apos|nbsp|lt|gt);)"
    rf"|(?P<emoji>(?:(?![{_TELLING}]){_EMOJI})+)"
    r"|(?P<spaces>(?<=\S)[ \t\u00a0]{2,}(?=\S))"
    r"|(?P<hyphen>\u00ad)",
    re.IGNORECASE,
)


_RICH = re.compile(r"\s*<(?:p|div|b|i|em|strong|span|ul|ol)>.*</\w+>\s*", re.IGNORECASE | re.DOTALL)
"""A message that is rich text from end to end; tags within other text are shown, not meant."""
_OPTIONAL = frozenset(["emoji", "tag", "block", "entity"])
_INSTEAD = {"emoji": " ", "spaces": " ", "block": "\n"}


@dataclass(frozen=True, slots=True)
class Plain:
    """A text without its decoration."""

    text: str
    places: Sequence[int]
    """Where each code point of `text` stood, up to where its unread rest begins: that is as it was."""

    def back(self, span: tuple[int, int]) -> tuple[int, int]:
        """The span in the original that `span` of `text` was."""
        start, end = span
        return self._place(start), self._place(end - 1) + 1 if end > start else self._place(start)

    def said(self, words: str, span: tuple[int, int], content: str) -> str:
        """`words`, that stand in `span` of `text`, as the original `content` has them; else `words`."""
        start = self.text.find(words, *span)
        return words if start < 0 else content[slice(*self.back((start, start + len(words))))]

    def _place(self, index: int) -> int:
        last = len(self.places) - 1
        return self.places[index] if index <= last else self.places[-1] + index - last


def plain(text: str, most: int) -> Plain | None:
    """`text` without decoration in its first `most` code points, or None where those have none."""
    end = min(most, len(text))
    if _NOISE.search(text, 0, end) is None:
        return None
    shed = set() if any(word in text[:end].lower() for word in _ABOUT_EMOJI) else {"emoji"}
    if _RICH.fullmatch(text, 0, end) is not None:
        shed |= {"tag", "block", "entity"}
    letters: list[str] = []
    places: list[int] = []
    for letter, place in _letters(text, 0, end, frozenset(shed)):
        doubled = letter == " " and letters[-1:] == [" "]
        if doubled and (text[place] != " " or place != places[-1] + 1):
            continue
        letters.append(letter)
        places.append(place)
    return Plain("".join(letters) + text[end:], (*places, end))


def _letters(text: str, start: int, end: int, shed: frozenset[str]) -> Iterator[tuple[str, int]]:
    """What is left of `text[start:end]`, code point by code point, each with its place."""
    at = start
    for found in _NOISE.finditer(text, start, end):
        yield from _kept(text, at, found.start())
        at = found.end()
        kind = found.lastgroup or ""
        if kind in {"starred", "lined"}:
            yield from _letters(text, *found.span(kind), shed)
        elif kind in _OPTIONAL - shed:
            yield from _kept(text, *found.span())
        elif kind in _INSTEAD:
            yield _INSTEAD[kind], found.start()
        elif kind == "entity":
            yield html.unescape(found[0])[:1], found.start()
    yield from _kept(text, at, end)


def _kept(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    return zip(text[start:end], range(start, end), strict=True)
