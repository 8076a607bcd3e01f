"""Finds, in one clause, the rule that matches, and what it says about whom."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lithify.domain.claims import USER, Basis, Cardinality, Polarity
from pipelines.language.catalog import Vocabulary
from pipelines.language.clauses import Clause
from pipelines.language.languages import Language, Rule
from pipelines.language.patterns import RuleData, Shape
from pipelines.language.subjects import Subject, find_subject
from pipelines.language.text import normal
from pipelines.language.values import Value, Values

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_DIGITS = "#"
"""Stands among the words that a rule needs for any number."""
_DIGIT = re.compile("[0-9]")
_PAST = re.compile(r"\s*(?:was|were)\b", re.IGNORECASE)


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
    pronoun: str | None = None
    """"he", "she": the subject, where it is only that."""
    brought_up: bool = False
    """Whether the subject is somebody whom nothing names."""

    @property
    def stranger(self) -> bool:
        """Whether it is somebody else, unknown who."""
        return self.subject is None and (self.brought_up or self.pronoun is not None)


class Around:
    """A sentence and the next one: where the contexts of rules may stand. Each rule's is sought once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[int, bool] = {}

    def holds(self, rule: Rule) -> bool:
        """Whether the context that `rule` asks for is there."""
        if rule.context is None:
            return True
        known = self._known.get(rule.order)
        if known is None:
            known = self._known[rule.order] = rule.context.search(self._text) is not None
        return known


@dataclass(frozen=True, slots=True)
class Spoken:
    """A clause with what is needed to understand it."""

    text: str
    """The folded turn."""
    clause: Clause
    head: Head
    inherited: Subject | None
    """The subject of the clause before it in the sentence, if any."""
    described: bool
    """Whether clauses before it told something of that subject."""
    stranger: bool
    """Whether the clause before it spoke of somebody unknown: a subject left out is not "I"."""
    me: Subject
    """Who "I" is."""
    around: Around

    @property
    def others(self) -> bool:
        """Whether a subject left out here is somebody else."""
        return not self.head.own and (self.stranger or self.inherited not in {None, self.me})

    def subject(self, rule: RuleData, *, dropped: bool) -> Subject | None:
        """Whom a predicate rule speaks about here; None: it does not apply.

        Args:
            rule: which may exclude other people, or need a subject in the clause.
            dropped: whether the language leaves "I" out freely.
        """
        found = self.head.subject if self.head.own else self.inherited
        if found is None and not self.head.own and not self.stranger and (rule.bare or dropped):
            found = self.me
        if rule.related and (found is None or found.relation is None):
            return None
        if found is not self.me and not rule.third:
            return None
        if rule.listed and (self.head.own or self.inherited is None or not self.described):
            return None
        return None if rule.owned and not self.head.own else found


class Matcher:
    """Matches the rules of one language against clauses."""

    def __init__(self, vocabulary: Vocabulary, language: Language) -> None:
        self._vocabulary = vocabulary
        self.language = language
        self._values = Values(vocabulary, language)
        self._words = frozenset(language.by_word)

    def relevant(self, text: str) -> bool:
        """Whether any rule's word occurs: the cheap test before all others."""
        if not self.language.spaced:
            return any(word in text for word in self._words)
        return not self._words.isdisjoint(_WORD.findall(text.lower()))

    def head(self, text: str, clause: Clause, me: Subject) -> Head:
        """The leading adverbs and the subject of a clause."""
        lead = self.language.lead.match(text, clause.start, clause.end)
        start = lead.end() if lead is not None else clause.start
        found = find_subject(self.language, text, start, clause.end, me)
        if found is None:
            return Head(None, own=False, start=start, predicate=start)
        return Head(found.subject, True, start, found.end, found.pronoun, found.stranger)

    def match(self, spoken: Spoken) -> list[Heard]:
        """What the first matching rule finds in the clause, and what rules find after one that goes on."""
        clause, head = spoken.clause, spoken.head
        orders = self._candidates(spoken.text[clause.start : clause.end])
        if spoken.inherited is not None and not head.own:
            # "I never use tabs and always use spaces" gives no order
            orders.sort(key=lambda order: self.language.rules[order].data.basis is Basis.INSTRUCTION)
        ordered = spoken.me.name == USER and self._may_order(spoken)
        positions = list(self._positions(spoken))
        found: list[Heard] = []
        for order in orders:
            rule = self.language.rules[order]
            if rule.data.basis is Basis.INSTRUCTION and not ordered:
                continue
            if rule.data.shape is Shape.CLAUSE:
                heard = self._clause_rule(spoken, rule)
            else:
                heard = self._predicate_rule(spoken, rule, positions)
            if not heard or not spoken.around.holds(rule):
                continue
            found.extend(heard)
            if not rule.data.go_on:
                break
        return found

    def contrasted(self, text: str, item: Heard, end: int) -> Iterator[Heard]:
        """What is denied right after the value, up to `end`: the Lisbon of "I live in Porto, not Lisbon"."""
        if item.polarity is Polarity.NEGATIVE:
            return
        start = item.value.end
        while start < end and text[start] in " ,，、":
            start += 1
        found = self.language.marks["contrast"].match(text, start, end)
        if found is None:
            return
        single = self._vocabulary.catalog.get(item.attribute, item.rule.data.cardinality).cardinality
        for value in self._values.read(text, *found.span("value"), item.rule.data, (item.attribute,)):
            known = self._vocabulary.known(item.attribute, value.value) is not None
            if value.value != item.value.value and (known or single is Cardinality.SINGLE):
                yield replace(item, value=value, polarity=Polarity.NEGATIVE, span=(item.span[0], found.end()))

    @staticmethod
    def _may_order(spoken: Spoken) -> bool:
        """Whether the clause may be an order: "it grew and always reminds me" is none."""
        start = spoken.clause.start
        joined = spoken.text[max(0, start - 6) : start].rstrip().lower().endswith(" and")
        return spoken.head.own or not joined or spoken.head.start > start

    def _candidates(self, text: str) -> list[int]:
        if not self.language.spaced:
            words = [word for word in self._words if word in text]
        else:
            words = list(self._words.intersection(_WORD.findall(text.lower())))
            if _DIGIT.search(text) is not None:
                words.append(_DIGITS)
        if not words:
            return []
        by_word = self.language.by_word
        return sorted({order for word in words for order in by_word.get(word, ())})

    def _positions(self, spoken: Spoken) -> Iterator[tuple[int, bool]]:
        """Where the predicate may start, and whether a negation stands before it."""
        text, start, end = spoken.text, spoken.head.predicate, spoken.clause.end
        while start < end and text[start] == " ":
            start += 1
        yield start, False
        adverb = self._skip(self.language.adverb, text, start, end)
        if adverb > start:
            yield adverb, False
        negation = self._skip(self.language.negation, text, adverb, end)
        if negation > adverb:
            yield negation, True
            after = self._skip(self.language.adverb, text, negation, end)
            if after > negation:
                yield after, True

    @staticmethod
    def _skip(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
        found = pattern.match(text, start, end)
        return found.end() if found is not None else start

    def _clause_rule(self, spoken: Spoken, rule: Rule) -> list[Heard]:
        clause, head = spoken.clause, spoken.head
        if head.start == clause.end:
            return []
        if self.language.drops_subject and spoken.others and rule.data.basis in {None, Basis.CHANGE}:
            return []  # "she is in Rome, birthday 3 May"
        if (
            self.language.spaced
            and spoken.stranger
            and not head.own
            and rule.data.basis is None
            and not self._own(spoken)
        ):
            return []  # "The landlord, a retired dentist, plays golf every Sunday"
        for start in dict.fromkeys((head.start, clause.start)):
            found = rule.regex.match(spoken.text, start, clause.end)
            if found is not None:
                return list(self._heard(found, rule, spoken.me, start, negated=False))
        return []

    def _own(self, spoken: Spoken) -> bool:
        """Whether the clause has a word for the one who speaks."""
        return self.language.marked("own_thing", spoken.text, spoken.clause.start, spoken.clause.end) is not None

    def _predicate_rule(self, spoken: Spoken, rule: Rule, positions: list[tuple[int, bool]]) -> list[Heard]:
        subject = spoken.subject(rule.data, dropped=self.language.drops_subject)
        if subject is None:
            return []
        for start, negated in positions:
            if rule.data.negated is None or rule.data.negated is negated:
                found = rule.regex.match(spoken.text, start, spoken.clause.end)
                if found is not None:
                    return list(self._heard(found, rule, subject, spoken.head.start, negated=negated))
        return []

    def _heard(
        self, found: re.Match[str], rule: Rule, subject: Subject, start: int, *, negated: bool
    ) -> Iterator[Heard]:
        """What a match says; `start` is where its subject starts."""
        negated = negated or any(found[name] for name in rule.negations)
        polarity = rule.data.polarity
        if negated:
            if polarity is Polarity.NEGATIVE:
                return  # "I don't dislike it" says neither
            polarity = Polarity.NEGATIVE
        past = rule.data.past and _PAST.match(found[0]) is not None
        for value in self._read(found, rule):
            heard = Heard(subject, value.attribute, value, rule, polarity, (start, found.end()), past)
            yield _meant(heard)

    def _read(self, found: re.Match[str], rule: Rule) -> Iterator[Value]:
        attributes = self._attributes(found, rule)
        for group in rule.values:
            start, end = found.span(group)
            if start < 0:
                continue
            if rule.data.value is not None:
                yield Value(attributes[0], rule.data.value, start, end)
            else:
                yield from self._values.read(found.string, start, end, rule.data, attributes)

    def _attributes(self, found: re.Match[str], rule: Rule) -> tuple[str, ...]:
        if rule.data.attributes:
            return tuple(rule.data.attributes)
        name = normal(found["attr"])
        if not rule.data.prefix:
            name = self._vocabulary.attribute_of(name)
        known = self._vocabulary.known("device", name) or self._vocabulary.known("likes", name)
        return (rule.data.prefix + (known or name),)


def _meant(heard: Heard) -> Heard:
    """What a denied value means, where that has a name: no meat is vegetarian."""
    instead = heard.rule.data.instead.get(heard.value.value)
    if instead is None or heard.polarity is Polarity.POSITIVE:
        return heard
    return replace(heard, value=replace(heard.value, value=instead), polarity=Polarity.POSITIVE)


def turned(polarity: Polarity) -> Polarity:
    """The opposite polarity."""
    return Polarity.NEGATIVE if polarity is Polarity.POSITIVE else Polarity.POSITIVE
