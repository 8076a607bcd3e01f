"""Compiles a language's patterns: macros, value words of the catalog, cue words, rules."""

import gc
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from pipelines.language.catalog import SCHEMAS, Vocabulary
from pipelines.language.patterns import PatternData, RuleData
from pipelines.language.text import has_cjk

_TOOLS = ("tooling", "editor", "os", "programming_language")
"""Attributes whose values are written with a capital, as names of people are."""
_GROUP = re.compile(r"\(\?P<(\w+)>")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. Its pattern is compiled when the first turn needs it: all of them together take seconds."""

    data: RuleData
    order: int
    pattern: str
    """With its macros filled in."""
    context: re.Pattern[str] | None
    values: tuple[str, ...]
    """Groups of `regex` that hold values: value, value2, ..."""
    negations: tuple[str, ...]
    """Groups of `regex` that hold a negation inside the pattern: "is not"."""

    @property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern. re.error where it does not compile; `load_language` with `check` finds that out."""
        return _compiled(self.pattern)


@dataclass(frozen=True, slots=True)
class Language:
    """A compiled language."""

    name: str
    spaced: bool
    """Whether spaces part its words."""
    drops_subject: bool
    """Whether "I" may be left out anywhere."""
    rules: tuple[Rule, ...]
    by_word: Mapping[str, tuple[int, ...]]
    """Word to the indices of the rules that need it."""
    marks: Mapping[str, re.Pattern[str]]
    yes: re.Pattern[str]
    no: re.Pattern[str]
    turnabout: tuple[tuple[re.Pattern[str], str], ...]
    question_lead: re.Pattern[str]
    relations: Mapping[str, str]
    """Any word for a relation to its normalised word."""
    pronouns: Mapping[str, frozenset[str]]
    """"he" or "she" to the relations that it cannot stand for."""
    suspicious: tuple[str, ...]
    not_names: frozenset[str]
    """Capitalised words that name nobody; among them those that may start a sentence without a subject."""
    value_starts_not: frozenset[str]
    value_stop: re.Pattern[str]
    value_spoiler: re.Pattern[str]
    determiner: re.Pattern[str]
    value_strip: re.Pattern[str]
    clause_break: re.Pattern[str]
    """What ends a clause within a sentence."""
    subject: re.Pattern[str]
    """A subject at the start of a clause: groups me, relation, name, possessive."""
    lead: re.Pattern[str]
    """Adverbs and particles before the subject, any number."""
    adverb: re.Pattern[str]
    """Adverbs after the subject, any number."""
    negation: re.Pattern[str]
    trail: re.Pattern[str]
    """Particles and slang that end a clause and say nothing."""

    def marked(self, mark: str, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """Where `text[start:end]` first carries `mark`."""
        return self.marks[mark].search(text, start, len(text) if end is None else end)


def load_language(name: str, vocabulary: Vocabulary, folder: Path | None = None, *, check: bool = False) -> Language:
    """Read `<name>.json`, and compile all but its rules.

    Args:
        name: "en" or "zh".
        vocabulary: whose value words `{known:attribute}` stands for in patterns.
        folder: where the files are; by default those of this checkout.
        check: compile the rules too, to find faulty ones.

    Raises:
        ValueError: the file breaks its schema, a macro is unknown, or a pattern does not compile.
    """
    source = (folder or SCHEMAS / "patterns") / f"{name}.json"
    try:
        data = msgspec.json.decode(source.read_bytes(), type=PatternData)
    except msgspec.DecodeError as error:
        raise ValueError(f"{source}: {error}") from error
    compiler = _Compiler(source, data, vocabulary)
    if check:
        with _uncollected():
            for rule in data.rules:
                compiler.compiled(rule.id, rule.pattern)
    return compiler.language()


class _Compiler:
    """Expands macros and compiles, naming the faulty rule in errors."""

    def __init__(self, source: Path, data: PatternData, vocabulary: Vocabulary) -> None:
        self._source = source
        self._data = data
        self._vocabulary = vocabulary
        self._chinese = not data.spaced
        self._words: dict[str, str] = {}
        """By attribute, what matches any of its value words: many patterns ask for the same."""
        self._macros = dict(data.macros)
        words = (word for many in data.relations.values() for word in many)
        self._macros["relation"] = _alternatives(words)
        self._macros["surname"] = f"[{data.surnames}]" if data.surnames else ""

    def language(self) -> Language:
        data = self._data
        rules = tuple(self._rule(index, rule) for index, rule in enumerate(data.rules))
        marks = {mark: self._any(mark, patterns) for mark, patterns in data.marks.items()}
        return Language(
            name=data.language,
            spaced=data.spaced,
            drops_subject=data.drops_subject,
            rules=rules,
            by_word=_index(rules),
            marks=marks,
            yes=self.compiled("yes", data.answers.yes + data.answers.rest),
            no=self.compiled("no", data.answers.no + data.answers.rest),
            turnabout=tuple((self._word(a), b) for a, b in data.turnabout),
            question_lead=self.compiled("question_lead", data.question_lead),
            relations={word: key for key, many in data.relations.items() for word in many},
            pronouns={word: frozenset(many) for word, many in data.pronouns.items()},
            suspicious=tuple(data.suspicious),
            not_names=self._not_names(),
            value_starts_not=frozenset(data.value_starts_not),
            value_stop=self._any("value_stops", data.value_stops),
            value_spoiler=self._any("value_spoilers", data.value_spoilers),
            determiner=self._any("determiners", data.determiners),
            value_strip=self._any("value_strip", data.value_strip),
            clause_break=self._clause_break(),
            subject=re.compile(self._loose(self._expand("subject", data.macros["subject"]))),
            lead=self._some("lead"),
            adverb=self._some("adverb"),
            negation=self._some("negation"),
            trail=self.compiled("trail", "(?:" + "|".join(data.marks["trail"]) + ")+$"),
        )

    def _not_names(self) -> frozenset[str]:
        """Words that name nobody: those listed, those a rule may start with, in Chinese text those of known tools."""
        bare = (rule.needs for rule in self._data.rules if rule.bare)
        tools = [self._vocabulary.words.get(key, {}) for key in _TOOLS] if self._chinese else []
        return frozenset(self._data.not_names).union(*bare, *tools)

    def _rule(self, order: int, data: RuleData) -> Rule:
        missing = [key for key in data.attributes if key not in self._vocabulary.catalog.attributes]
        if missing and not data.prefix and data.attributes != ["*"]:
            raise ValueError(f"{self._source}: {data.id}: unknown attributes {missing}")
        context = self.compiled(data.id, data.context) if data.context else None
        pattern = self._filled(data.id, data.pattern)
        groups = _GROUP.findall(pattern)
        negations = tuple(name for name in groups if name.startswith("neg"))
        values = tuple(sorted(name for name in groups if name.startswith("value")))
        if not values or not (data.attributes or "attr" in groups):
            raise ValueError(f"{self._source}: {data.id}: the pattern needs groups value, and attr or attributes")
        return Rule(data, order, pattern, context, values, negations)

    def _word(self, pattern: str) -> re.Pattern[str]:
        return self.compiled("turnabout", pattern if self._chinese else rf"(?<![\w'])(?:{pattern})(?![\w'])")

    def _some(self, mark: str) -> re.Pattern[str]:
        return self.compiled(mark, "(?:" + "|".join(self._data.marks[mark]) + ")*")

    def _clause_break(self) -> re.Pattern[str]:
        strong = "|".join(self._data.marks["clause_break"])
        if self._chinese:
            return self.compiled("clause_break", rf"(?<!\d)(?:{strong})|(?:{strong})(?!\d)")
        openers = "|".join(self._data.marks["clause_opener"])
        names = "|".join(self._data.marks["name_opener"])
        colon = r"(?<!remember)(?<!note)(?<!reminder):"
        soft = (
            rf"(?:(?:,|{colon})\s*(?:and |or |so |yet |also |then )*|\s(?:and|yet|so|or|while|since)\s)(?:also |then )?"
        )
        pattern = rf"(?i:\s(?:{strong})(?=\s)|;)|(?i:{soft})(?=(?i:(?:{openers})(?![\w]))|(?:{names})\b)"
        return re.compile(self._loose(self._expand("clause_break", pattern)))

    def _any(self, name: str, patterns: list[str]) -> re.Pattern[str]:
        body = "|".join(patterns)
        bounded = body if self._chinese else rf"(?<![\w'])(?:{body})(?![\w])"
        return self.compiled(name, bounded if patterns else r"(?!)")

    def _filled(self, name: str, pattern: str) -> str:
        return _number_groups(self._loose(self._expand(name, pattern)))

    def compiled(self, name: str, pattern: str) -> re.Pattern[str]:
        """The pattern of that name, compiled. Raises ValueError."""
        try:
            return _compiled(self._filled(name, pattern))
        except re.error as error:
            raise ValueError(f"{self._source}: {name}: {error}") from error

    def _loose(self, pattern: str) -> str:
        """`pattern` for hasty typing: apostrophes left out; in Chinese, spaces around Latin words."""
        if self._chinese:
            return pattern.replace("(?P<value", " ?(?P<value")
        return pattern.replace("n't", "n'?t").replace("'m", "'?m").replace("'ve", "'?ve")

    def _expand(self, name: str, pattern: str) -> str:
        def fill(found: re.Match[str]) -> str:
            key = found[1]
            if key.startswith("known:"):
                return self._known(key.removeprefix("known:"))
            if key not in self._macros:
                raise ValueError(f"{self._source}: {name}: unknown macro {key}")
            return self._expand(name, self._macros[key])

        return re.sub(r"\{([a-z_]+(?::[a-z_]+)?)\}", fill, pattern)

    def _known(self, attribute: str) -> str:
        if attribute not in self._words:
            self._words[attribute] = self._any_word(attribute)
        return self._words[attribute]

    def _any_word(self, attribute: str) -> str:
        words = self._vocabulary.words.get(attribute, {})
        own = _alternatives(word for word in words if has_cjk(word) == self._chinese)
        if not self._chinese:
            return own
        foreign = _alternatives(word for word in words if not has_cjk(word))
        return f"(?:{own}| ?{foreign}(?![A-Za-z]) ?)"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """`re` keeps but the last 512 patterns; these are more, take a second to compile, and three readers want them."""
    return re.compile(pattern, re.IGNORECASE)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection: compiling leaves little of it, and looking for it takes as long again."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def _alternatives(words: Iterable[str]) -> str:
    listed = sorted(set(words), key=len, reverse=True)
    return "(?:" + "|".join(re.escape(word) for word in listed) + ")"


def _number_groups(pattern: str) -> str:
    """`pattern` with each repeated group `neg` (from macros) under a name of its own: neg, neg1, neg2."""
    head, *rest = pattern.split("(?P<neg>")
    return head + "".join(f"(?P<neg{index or ''}>{part}" for index, part in enumerate(rest))


def _index(rules: tuple[Rule, ...]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for rule in rules:
        for word in {form for need in rule.data.needs for form in (need, need.replace("'", ""))}:
            found.setdefault(word, []).append(rule.order)
    return {word: tuple(orders) for word, orders in found.items()}
