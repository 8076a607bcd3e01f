"""Finds, in one clause, the rule that matches, and what it says about whom."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lithify.domain.claims import USER, Basis, Polarity
from pipelines.language.catalog import Vocabulary
from pipelines.language.clauses import Clause
from pipelines.language.patterns import Language, Rule, Shape
from pipelines.language.subjects import Subject, find_subject
from pipelines.language.text import normal
from pipelines.language.values import Value, Values

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_GROUPS = ("value", "value2", "value3")


@dataclass(frozen=True, slots=True)
class Heard:
    """One value a rule found in a clause."""

    subject: Subject
    attribute: str
    value: Value
    rule: Rule
    polarity: Polarity
    span: tuple[int, int]
    past: bool


@dataclass(frozen=True, slots=True)
class Head:
    """How a clause starts."""

    subject: Subject | None
    """Its own subject; None also where it has none, see `own`."""
    own: bool
    start: int
    """Where the subject starts."""
    predicate: int
    """Where the predicate starts."""


class Matcher:
    """Matches the rules of one language against clauses."""

    def __init__(self, vocabulary: Vocabulary, language: Language) -> None:
        self._vocabulary = vocabulary
        self.language = language
        self._values = Values(vocabulary, language)
        self._words = frozenset(language.by_word)

    def relevant(self, text: str) -> bool:
        """Whether any rule's word occurs: the cheap test before all others."""
        return bool(self._candidates(text))

    def head(self, text: str, clause: Clause, me: Subject) -> Head:
        """The leading adverbs and the subject of a clause."""
        lead = self.language.lead.match(text, clause.start, clause.end)
        start = lead.end() if lead is not None else clause.start
        found = find_subject(self.language, text, start, clause.end, me)
        if found is None:
            return Head(None, own=False, start=start, predicate=start)
        return Head(found.subject, own=True, start=start, predicate=found.end)

    def match(self, text: str, clause: Clause, head: Head, inherited: Subject | None, me: Subject) -> list[Heard]:
        """What the first matching rule finds in the clause, and what rules find after one that goes on.

        Args:
            text: the folded turn.
            clause: where to look.
            head: of the clause.
            inherited: the subject of the clause before it in the sentence, if any.
            me: who "I" is.
        """
        orders = self._candidates(text[clause.start : clause.end])
        if inherited is not None and not head.own:  # "I never use tabs and always use spaces" gives no order
            orders.sort(key=lambda order: self.language.rules[order].data.basis is Basis.INSTRUCTION)
        ordered = me.name == USER and self._may_order(text, clause, head)
        positions: list[tuple[int, bool]] | None = None
        found: list[Heard] = []
        for order in orders:
            rule = self.language.rules[order]
            if rule.context is not None and rule.context.search(text) is None:
                continue
            if rule.data.basis is Basis.INSTRUCTION and not ordered:
                continue
            if rule.data.shape is Shape.CLAUSE:
                heard = self._clause_rule(text, clause, head, rule, me)
            else:
                positions = positions or list(self._positions(text, clause, head))
                heard = self._predicate_rule(text, clause, head, rule, inherited, me, positions)
            found.extend(heard)
            if heard and not rule.data.go_on:
                break
        return found

    def _may_order(self, text: str, clause: Clause, head: Head) -> bool:
        """Whether the clause may be an order: "it grew and always reminds me" is none."""
        return head.own or not text[: clause.start].rstrip().lower().endswith(" and") or head.start > clause.start

    def _candidates(self, text: str) -> list[int]:
        if self.language.name == "zh":
            words = [word for word in self._words if word in text]
        else:
            words = list(self._words.intersection(_WORD.findall(text.lower())))
        if not words:
            return []
        by_word = self.language.by_word
        return sorted({order for word in words for order in by_word[word]})

    def _positions(self, text: str, clause: Clause, head: Head) -> Iterator[tuple[int, bool]]:
        """Where the predicate may start, and whether a negation stands before it."""
        start = head.predicate
        while start < clause.end and text[start] == " ":
            start += 1
        yield start, False
        adverb = self._skip(self.language.adverb, text, start, clause.end)
        if adverb > start:
            yield adverb, False
        negation = self.language.negation.match(text, adverb, clause.end)
        if negation is None or negation.end() == adverb:
            return
        yield negation.end(), True
        after = self._skip(self.language.adverb, text, negation.end(), clause.end)
        if after > negation.end():
            yield after, True

    @staticmethod
    def _skip(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
        found = pattern.match(text, start, end)
        return found.end() if found is not None else start

    def _clause_rule(self, text: str, clause: Clause, head: Head, rule: Rule, me: Subject) -> list[Heard]:
        starts = [head.start] if head.start == clause.start else [head.start, clause.start]
        for start in starts:
            found = rule.regex.match(text, start, clause.end)
            if found is not None:
                return list(self._heard(text, found, rule, me, negated=False))
        return []

    def _predicate_rule(
        self,
        text: str,
        clause: Clause,
        head: Head,
        rule: Rule,
        inherited: Subject | None,
        me: Subject,
        positions: list[tuple[int, bool]],
    ) -> list[Heard]:
        subject = head.subject if head.own else inherited
        if subject is None and not head.own and (rule.data.bare or self.language.name == "zh"):
            subject = me
        if subject is None or (subject is not me and not rule.data.third) or (rule.data.owned and not head.own):
            return []
        for start, negated in positions:
            if rule.data.negated is not None and rule.data.negated is not negated:
                continue
            found = rule.regex.match(text, start, clause.end)
            if found is not None:
                return list(self._heard(text, found, rule, subject, negated=negated, start=head.start))
        return []

    def _heard(
        self,
        text: str,
        found: re.Match[str],
        rule: Rule,
        subject: Subject,
        *,
        negated: bool,
        start: int | None = None,
    ) -> Iterator[Heard]:
        group = next((name for name in _GROUPS if found.groupdict().get(name) is not None), None)
        if group is None:
            return
        attributes = self._attributes(found, rule)
        negated = negated or any(found[name] for name in rule.negations)
        polarity = turned(rule.data.polarity) if negated and rule.data.negated is not True else rule.data.polarity
        if rule.data.negated is True:
            polarity = Polarity.NEGATIVE
        if negated and rule.data.polarity is Polarity.NEGATIVE:
            return  # "I don't dislike it" says neither
        span = (start if start is not None else found.start(), found.end())
        past = _is_past(text, found.start(), span[1])
        for value in self._read(text, found, group, rule, attributes):
            yield self._turn_value(Heard(subject, value.attribute, value, rule, polarity, span, past))

    def _read(
        self, text: str, found: re.Match[str], group: str, rule: Rule, attributes: tuple[str, ...]
    ) -> Iterator[Value]:
        start, end = found.span(group)
        if rule.data.value is not None:
            yield Value(attributes[0], rule.data.value, start, end)
            return
        yield from self._values.read(text, start, end, rule.data, attributes)
        if group == "value" and found.groupdict().get("value2") is not None:
            yield from self._values.read(text, *found.span("value2"), rule.data, attributes)

    def _attributes(self, found: re.Match[str], rule: Rule) -> tuple[str, ...]:
        if rule.data.attributes:
            return tuple(rule.data.attributes)
        name = normal(found["attr"])
        known = self._vocabulary.known("device", name) or self._vocabulary.known("likes", name)
        return (rule.data.prefix + (known or name),)

    @staticmethod
    def _turn_value(heard: Heard) -> Heard:
        instead = heard.rule.data.instead.get(heard.value.value)
        if instead is None or heard.polarity is Polarity.POSITIVE:
            return heard
        value = Value(heard.value.attribute, instead, heard.value.start, heard.value.end)
        return Heard(heard.subject, heard.attribute, value, heard.rule, Polarity.POSITIVE, heard.span, heard.past)


def turned(polarity: Polarity) -> Polarity:
    """The opposite polarity."""
    return Polarity.NEGATIVE if polarity is Polarity.POSITIVE else Polarity.POSITIVE


_PAST = re.compile(r"\s*(?:was|were)\b", re.IGNORECASE)


def _is_past(text: str, start: int, end: int) -> bool:
    return _PAST.match(text, start, end) is not None
