"""Values: where one ends, what it is called, and whether it is one at all."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lithify.domain.claims import Quantity
from pipelines.language.catalog import Vocabulary
from pipelines.language.clock import clock, count, evening_clock
from pipelines.language.languages import Language
from pipelines.language.patterns import Accept, RuleData
from pipelines.language.text import has_cjk, normal
from pipelines.language.units import canonical, quantity, quantity_end, rate

_SEPARATOR = re.compile(r",\s*(?:and |or )?|\s(?:and|or|n|&)\s|[、/]|(?<=[\w+#]) ?[和与跟及] ?(?=\w)")
_PROPER_RUN = re.compile(
    r"(?:[A-Z][\w&.'-]*|\d[\w-]*)(?: (?:(?:of|the|de|la|and|van|du) )?(?:[A-Z][\w&.'-]*|\d[\w-]*))*"
)
_EDGES = " \t\r\n\"'“”「」『』《》()（）*_~.,;:，。；：!！?？-–—"
_IDENTIFIER = re.compile(r"0\d+|\d{7,}")
"""Digits that name rather than count."""
_POUNDS = re.compile(r" ?pounds?\b", re.IGNORECASE)
LONGEST = 200
"""Code points of a value that the catalog does not know."""
_RANGE = re.compile(r" ?(?:[-–~～—至到]|to\b) ?", re.IGNORECASE)
_MEASURED = re.compile(r"\d|noon|midnight|[一二三四五六七八九十两]点|月")


@dataclass(frozen=True, slots=True)
class Value:
    """One value found in a turn."""

    attribute: str
    value: str
    start: int
    end: int
    quantity: Quantity | None = None


class Values:
    """Turns the words a rule caught into values."""

    def __init__(self, vocabulary: Vocabulary, language: Language) -> None:
        self._vocabulary = vocabulary
        self._language = language

    def read(self, text: str, start: int, end: int, rule: RuleData, attributes: tuple[str, ...]) -> Iterator[Value]:
        """The values in `text[start:end]` that `rule` takes, in order."""
        if rule.accept in {Accept.LITERAL, Accept.VERBATIM}:
            start, end = _shrink(text, start, end, " \t\r\n")
            words = text[start:end] if rule.accept is Accept.VERBATIM else normal(text[start:end])
            if words:
                yield Value(attributes[0], words, start, end)
            return
        listed = True
        for first, last in self._parts(text, start, end, many=rule.many):
            value = self._one(text, first, last, rule, attributes, listed=listed)
            if value is not None and self._barred(value.value, rule):
                return
            if value is not None:
                yield value
            # after a clause ("books about habits and mindset") a list holds no values but those the catalog knows
            listed = listed and value is not None and not text[value.end : last].strip(_EDGES)

    def _barred(self, value: str, rule: RuleData) -> bool:
        if value in rule.excluded:
            return True
        own = any(self._vocabulary.known(attribute, value) is not None for attribute in rule.attributes)
        return not own and any(self._vocabulary.known(key, value) is not None for key in rule.unless_known)

    def _parts(self, text: str, start: int, end: int, *, many: bool) -> Iterator[tuple[int, int]]:
        if not many:
            yield start, end
            return
        first = start
        for mark in _SEPARATOR.finditer(text, start, end):
            yield first, mark.start()
            first = mark.end()
        yield first, end

    def _one(
        self, text: str, start: int, end: int, rule: RuleData, attributes: tuple[str, ...], *, listed: bool
    ) -> Value | None:
        start, end = _shrink(text, start, end, _EDGES)
        whole = self._known(text, start, end, attributes)
        if whole is not None:
            return whole
        raw = start, end
        start, end = self._trim(text, start, end)
        if start >= end:
            return None
        known = self._known(text, start, end, attributes) or self._object(text, start, end, attributes)
        if known is not None:
            return known
        if rule.accept is Accept.KNOWN or not listed:
            return None
        return self._unknown(text, start, end, rule, attributes[-1], raw=raw)

    def _unknown(
        self,
        text: str,
        start: int,
        end: int,
        rule: RuleData,
        attribute: str,
        *,
        raw: tuple[int, int],
    ) -> Value | None:
        """A value the catalog does not know; nobody's word is longer than a sentence."""
        if end - start > LONGEST:
            return None
        if rule.accept in {Accept.PROPER, Accept.NOUN} and _is_amount(text, start, end):
            return _measure(text, start, end, attribute)
        if rule.accept is Accept.PROPER:
            return self._proper(text, start, end, rule, attribute)
        if rule.accept in _READERS:
            read = _READERS[rule.accept](text[start:end])
            return None if read is None else Value(attribute, read, start, end)
        if rule.accept is Accept.MEASURE:
            return _measure(text, start, end, attribute)
        if rule.many and self._of_the_moment(text, start, end, raw):
            return None
        return self._noun(text, start, end, rule, attribute)

    def _of_the_moment(self, text: str, start: int, end: int, raw: tuple[int, int]) -> bool:
        """Whether the words belong to the situation: "the colour", "sharing my skills"."""
        if self._language.determiner.match(text, *raw) or self._language.value_spoiler.search(text, *raw):
            return True
        first, _, rest = text[start:end].lower().partition(" ")
        cut = self._language.value_stop.search(text, start, raw[1]) is not None
        return first.endswith("ing") and (cut or "the " in rest)

    def _object(self, text: str, start: int, end: int, attributes: tuple[str, ...]) -> Value | None:
        """The known thing after a verb of use: playing board games."""
        verb = _USE.match(text, start, end)
        return self._known(text, verb.end(), end, attributes) if verb is not None else None

    def _known(self, text: str, start: int, end: int, attributes: tuple[str, ...]) -> Value | None:
        word = normal(text[start:end])
        for attribute in attributes:
            free = attribute not in self._vocabulary.words
            value = self._vocabulary.known("likes" if free else attribute, word)
            if value is not None:
                return Value(attribute, value, start, end)
        return None

    def _trim(self, text: str, start: int, end: int) -> tuple[int, int]:
        start, end = self._strip(text, start, end)
        stop = self._language.value_stop.search(text, start, end)
        return self._strip(text, start, end if stop is None else stop.start())

    def _strip(self, text: str, start: int, end: int) -> tuple[int, int]:
        while True:
            start, end = _shrink(text, start, end, _EDGES)
            word = self._language.value_strip.match(text, start, end)
            if word is None or word.end() == word.start():
                return start, end
            start = word.end()

    def _proper(self, text: str, start: int, end: int, rule: RuleData, attribute: str) -> Value | None:
        if has_cjk(text[start:end]):
            return self._noun(text, start, end, rule, attribute)
        run = _PROPER_RUN.match(text, start, end)
        if run is None or len(run[0].split()) > rule.max_words or len(run[0]) < 2:
            return None
        start, end = _shrink(text, start, run.end(), _EDGES)
        known = self._known(text, start, end, (attribute,))
        word = normal(text[start:end])
        if known is None and word in self._language.not_names:
            return None
        return known or Value(attribute, word, start, end)

    def _noun(self, text: str, start: int, end: int, rule: RuleData, attribute: str) -> Value | None:
        words = text[start:end].split()
        if has_cjk(text[start:end]):
            if not 2 <= end - start <= max(rule.max_words, 8) or self._starts_badly(text, start, end):
                return None
        elif not words or len(words) > rule.max_words or self._has_bad_word(words):
            return None
        return Value(attribute, normal(text[start:end]), start, end)

    def _starts_badly(self, text: str, start: int, end: int) -> bool:
        return any(text.startswith(word, start, end) for word in self._language.value_starts_not)

    def _has_bad_word(self, words: list[str]) -> bool:
        lowered = [word.lower() for word in words]
        bad = self._language.value_starts_not
        return lowered[0].strip("'\"") in bad or any(word in _NEVER_INSIDE for word in lowered)


_USE = re.compile(
    r"(?:play(?:ing)?|watch(?:ing)?|read(?:ing)?|eat(?:ing)?|drink(?:ing)?|doing|going|listen(?:ing)? to) "
    r"(?:the |some )?",
    re.IGNORECASE,
)
_READERS = {Accept.CLOCK: clock, Accept.EVENING_CLOCK: evening_clock, Accept.COUNT: count}
_NEVER_INSIDE = frozenset(
    (
        "it",
        "you",
        "your",
        "my",
        "our",
        "his",
        "her",
        "their",
        "i",
        "we",
        "he",
        "she",
        "they",
        "me",
        "us",
        "them",
    )
)


def _is_amount(text: str, start: int, end: int) -> bool:
    """Whether the words are an amount with a unit or currency, or begin one: the "HK" of "HK$500"."""
    last = quantity_end(text, start)
    amount = quantity(text[start:last]) if last >= end > start else None
    return amount is not None and amount.unit != ""


def _measure(text: str, start: int, end: int, attribute: str) -> Value | None:
    """A quantity with the unit and period that stand after it, or another value with a digit, a time, or a name."""
    last = quantity_end(text, start)
    per = rate(text, last)
    end = last if per is not None and per[1] >= end else max(end, last)
    range_to = _RANGE.match(text, end)
    if range_to is not None and (last := quantity_end(text, range_to.end())) > range_to.end():
        return Value(attribute, normal(text[start:last]), start, last)
    words = text[start:end]
    said = _POUNDS.sub(" lb", words) if attribute == "weight" else words  # on a scale pounds are no money
    amount = None if _IDENTIFIER.fullmatch(words) else quantity(said)
    per = rate(text, end)
    if amount is not None and per is not None:
        end = per[1]
        amount = replace(amount, unit=f"{amount.unit}/{per[0]}")
    words = text[start:end]
    if amount is not None:
        return Value(attribute, canonical(amount), start, end, amount)
    named = words[:1].isupper() and words.isascii() and not words.isalpha()
    return Value(attribute, normal(words), start, end) if _MEASURED.search(words) or named else None


def _shrink(text: str, start: int, end: int, edges: str) -> tuple[int, int]:
    while start < end and text[start] in edges:
        start += 1
    while end > start and text[end - 1] in edges:
        end -= 1
    return start, end
