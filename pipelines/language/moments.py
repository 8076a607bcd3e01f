"""Basis, cue, scope and interval of a claim, from the words around it."""

from dataclasses import dataclass
from datetime import datetime

from lithify.domain.claims import Basis, Cue, Scope
from pipelines.language.model import TurnText
from pipelines.language.patterns import Language, RuleData
from pipelines.language.timewords import Bound, TimeWord, TimeWords


@dataclass(frozen=True, slots=True)
class Moment:
    """How strongly and for how long something was said."""

    basis: Basis
    cue: Cue
    scope: Scope = Scope.SESSION
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """The stretch of text whose cue words speak about a claim."""

    start: int
    end: int
    subject: int
    """Where the subject starts; what stands before it leads the clause."""


def moment(
    language: Language, times: TimeWords, turn: TurnText, text: str, region: Region, rule: RuleData
) -> Moment:
    """What the words of `region` say about the claim that `rule` found there."""
    basis = _basis(language, text, region, rule)
    words = times.find(text[region.start : region.end], turn.occurred_at, turn.timezone)
    trip = language.marked("trip", text, region.start, region.end) is not None
    later = rule.scope is Scope.NEXT_SESSION or bool(
        language.marked("next_session", text, region.start, region.end)
    )
    cue = _cue(language, text, region, rule, basis, words, trip=trip or later)
    if cue is Cue.TEMPORARY and basis is Basis.CHANGE:
        basis = Basis.STATEMENT
    valid_from, valid_to = _interval(words, cue, basis, turn.occurred_at)
    scope = Scope.NEXT_SESSION if later else Scope.TRIP if trip or rule.scope is Scope.TRIP else Scope.SESSION
    return Moment(basis, cue, scope if cue is Cue.TEMPORARY else Scope.SESSION, valid_from, valid_to)


def _basis(language: Language, text: str, region: Region, rule: RuleData) -> Basis:
    if rule.basis is not None:
        return rule.basis
    if language.marked("instruction", text, region.start, region.subject):
        return Basis.INSTRUCTION
    if language.marked("from_now", text, region.start, region.end):
        return Basis.INSTRUCTION
    if language.marked("change", text, region.start, region.end):
        return Basis.CHANGE
    return Basis.STATEMENT


def _cue(
    language: Language,
    text: str,
    region: Region,
    rule: RuleData,
    basis: Basis,
    words: tuple[TimeWord, ...],
    *,
    trip: bool,
) -> Cue:
    if rule.cue is not None:
        return rule.cue
    marked = (region.start, region.end)
    if trip or language.marked("temporary", text, *marked) or any(w.bound is Bound.UNTIL for w in words):
        return Cue.TEMPORARY
    declared = rule.basis is Basis.CHANGE
    if not declared and language.marked("period", text, *marked):
        return Cue.TEMPORARY
    if not declared and basis in {Basis.STATEMENT, Basis.INSTRUCTION} and language.marked("day", text, *marked):
        return Cue.TEMPORARY
    return Cue.PERMANENT if language.marked("permanent", text, *marked) else Cue.NONE


def _interval(
    words: tuple[TimeWord, ...], cue: Cue, basis: Basis, occurred_at: datetime
) -> tuple[datetime | None, datetime | None]:
    begin: datetime | None = None
    end: datetime | None = None
    for word in words:
        if word.bound is Bound.UNTIL:
            end = word.end
        elif word.bound is Bound.SINCE:
            begin = word.begin
        elif word.unit == "months":
            begin, end = word.begin, word.end
        elif cue is Cue.TEMPORARY and end is None:
            end = word.end
        elif word.begin is not None and not word.vague and basis is not Basis.CHOICE:
            future = word.begin > occurred_at
            begin = word.begin if future or basis is Basis.CHANGE else begin
    return begin, end
