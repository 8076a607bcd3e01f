"""The rule extractor's data, as the files in `schemas/patterns` state it: one file per language."""

from enum import StrEnum

import msgspec

from lithify.domain.claims import Basis, Cardinality, Cue, Kind, Polarity, Scope


class Shape(StrEnum):
    """Where a rule's pattern starts."""

    CLAUSE = "clause"
    """At the start of the clause, after its leading adverbs."""
    PREDICATE = "predicate"
    """After the subject and its adverbs."""


class Accept(StrEnum):
    """What a rule takes as its value."""

    KNOWN = "known"
    """Only a value of the catalog."""
    PROPER = "proper"
    """A value of the catalog, or a name: capitalised words, or Chinese words."""
    NOUN = "noun"
    """A short noun phrase."""
    LITERAL = "literal"
    """All the words."""
    VERBATIM = "verbatim"
    """All the words, case and width included: tags and codes."""
    CLOCK = "clock"
    """A time of day; the value is HH:MM."""
    EVENING_CLOCK = "evening_clock"
    """The same, where an hour up to twelve is one of the evening."""
    COUNT = "count"
    """A whole number in digits or words; the value is in digits."""
    MEASURE = "measure"
    """A value with a digit, a clock time, or a name: something one can look up again."""


class RuleData(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One rule as the file states it."""

    id: str
    pattern: str
    needs: list[str]
    """Words of which one must occur in the clause."""
    attributes: list[str] = []
    """Catalog keys in order; the first that knows the value takes it. Empty: the pattern's group `attr`."""
    shape: Shape = Shape.PREDICATE
    accept: Accept = Accept.NOUN
    value: str | None = None
    """A fixed value instead of the pattern's group `value`."""
    polarity: Polarity = Polarity.POSITIVE
    basis: Basis | None = None
    """None: from the cue words."""
    cue: Cue | None = None
    scope: Scope = Scope.SESSION
    kind: Kind = Kind.VALUE
    many: bool = False
    """Whether "a, b and c" are three values."""
    third: bool = True
    """Whether it holds of other people too."""
    related: bool = False
    """Whether it holds of other people only where their relation to the user is said: "my kids love it"."""
    listed: bool = False
    """Whether it only continues what a clause before it said of the same subject: ", 34, a nurse"."""
    owned: bool = False
    """Whether the clause must have a subject of its own ("like" may be a preposition)."""
    bare: bool = False
    """Whether a sentence may start with it, without a subject."""
    negated: bool | None = None
    """False: never after a negation. True: only after one. None: a negation turns the polarity."""
    instead: dict[str, str] = {}
    """Negated value to the value it means: no meat is vegetarian."""
    also: dict[str, str] = {}
    """Broader value to attribute: a choice of a food that is meat is a choice of the diet meat too."""
    go_on: bool = False
    """Whether later rules may match the same clause too; else the first match is the last."""
    context: str | None = None
    """A pattern that must occur somewhere in the turn."""
    past: bool = False
    """Whether it takes "was" too, and then only with a stated interval."""
    prefix: str = ""
    """What a free attribute's name starts with."""
    cardinality: Cardinality | None = None
    excluded: list[str] = []
    """Values never taken: "allergic to Mondays"."""
    unless_known: list[str] = []
    """Attributes whose known values are no value here: one works in a city, but not for it."""
    max_words: int = 5
    confidence: float = 0.8


class AnswerData(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Patterns of a plain yes or no, and of what may follow without adding anything."""

    yes: str
    no: str
    rest: str


class PatternData(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One language's file."""

    language: str
    spaced: bool
    """Whether spaces part words; else words are found anywhere in the text."""
    drops_subject: bool
    """Whether "I" may be left out anywhere."""
    macros: dict[str, str]
    marks: dict[str, list[str]]
    """Cue words and frames, as patterns, by what they mark."""
    answers: AnswerData
    turnabout: list[tuple[str, str]]
    """What turns a question to the user into a statement by the user: patterns and replacements, in order."""
    question_lead: str
    """What may stand before the question proper."""
    relations: dict[str, list[str]]
    pronouns: dict[str, list[str]]
    """Words for "he" and "she", each with the relations that it cannot stand for."""
    suspicious: list[str]
    """Words of which one occurs in every text that marks `injection` or `privilege`: a cheap first test."""
    not_names: list[str]
    value_starts_not: list[str]
    """Words no value starts with."""
    value_stops: list[str]
    """Words at which a value ends."""
    value_spoilers: list[str]
    """Words that show that what was caught is no value but a clause."""
    determiners: list[str]
    """Words that make a value one of the situation ("the colour"): taken only where the catalog knows it."""
    value_strip: list[str]
    """Words dropped from both ends of a value."""
    rules: list[RuleData]
    surnames: str = ""
    schema: str = msgspec.field(name="$schema", default="")
