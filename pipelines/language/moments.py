"""Basis, cue, scope and interval of a claim, from the words around it."""

from dataclasses import dataclass
from datetime import datetime

from lithify.domain.claims import Basis, Cue, Scope
from pipelines.language.clauses import Clause
from pipelines.language.languages import Language
from pipelines.language.model import TurnText
from pipelines.language.patterns import RuleData
from pipelines.language.text import fold
from pipelines.language.timewords import Bound, TimeWord, TimeWords

_CUE_MARKS = ("temporary", "trip", "period", "permanent", "day")
_MARGIN_SPACED, _MARGIN = 8, 2
"""Letters beside its cue words that a trailing clause may hold: "just", "only for"; 就, 七点."""


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

    spans: tuple[tuple[int, int], ...]
    """The clause, with the clauses that lead or trail it, and the lead it inherits."""
    leads: tuple[tuple[int, int], ...]
    """What stands before the subject."""
    changed: bool = False
    """Whether the clause shares its subject with one that told of a change."""
    value: tuple[int, int] = (0, 0)
    """Where the value stands: time words in it belong to it ("Tuesdays")."""

    def alone(self) -> "Region":
        """The same without what it inherits: no cue of a neighbour weakens a danger."""
        return Region(self.spans[:1], self.leads[:1], changed=False, value=self.value)


class Moments:
    """Reads moments in one language."""

    def __init__(self, language: Language, times: TimeWords) -> None:
        self._language = language
        self._times = times

    def read(self, turn: TurnText, text: str, region: Region, rule: RuleData) -> Moment:
        """What the words of `region` say about the claim that `rule` found there."""
        basis = self._basis(text, region, rule)
        elapsed = self._marked("elapsed", text, region)
        words = [word for word in self._words(turn, text, region) if not (elapsed and word.lasting)]
        later = rule.scope is Scope.NEXT_SESSION or self._marked("next_session", text, region)
        trip = rule.scope is Scope.TRIP or self._marked("trip", text, region)
        passing = trip or later or (not elapsed and self._marked("temporary", text, region))
        cue = rule.cue or self._cue(text, region, rule, basis, words, passing=passing)
        if cue is Cue.TEMPORARY and basis is Basis.CHANGE:
            basis = Basis.STATEMENT
        valid_from, valid_to = _interval(words, cue, basis, turn.occurred_at)
        scope = Scope.NEXT_SESSION if later else Scope.TRIP if trip else Scope.SESSION
        return Moment(basis, cue, scope if cue is Cue.TEMPORARY else Scope.SESSION, valid_from, valid_to)

    def answer(self, turn: TurnText, question: str, region: Region) -> Moment:
        """What a plain yes or no says: the cue words of the question hold, those of the answer go first."""
        text = fold(turn.content)
        words = self._words(turn, text, region)
        trip = self._marked("trip", text, region)
        passing = trip or self._marked("temporary", text, region) or self._marked("period", text, region)
        if passing or any(word.bound is Bound.UNTIL for word in words):
            cue = Cue.TEMPORARY
        elif self._marked("permanent", text, region) or self._language.marked("permanent", question):
            cue = Cue.PERMANENT
        else:
            cue = Cue.NONE
        valid_from, valid_to = _interval(words, cue, Basis.CONFIRMATION, turn.occurred_at)
        return Moment(Basis.CONFIRMATION, cue, Scope.TRIP if trip else Scope.SESSION, valid_from, valid_to)

    def only_cues(self, turn: TurnText, text: str, clause: Clause) -> bool:
        """Whether a clause holds cue and time words, and hardly anything beside them."""
        words = text[clause.start : clause.end]
        rest = list(words)
        spans = [word.span for word in self._times.find(words, turn.occurred_at, turn.timezone)]
        for mark in _CUE_MARKS:
            spans += [found.span() for found in self._language.marks[mark].finditer(words)]
        for start, end in spans:
            rest[start:end] = " " * (end - start)
        left = len("".join(rest).replace(" ", ""))
        return bool(spans) and left <= (_MARGIN_SPACED if self._language.spaced else _MARGIN)

    def _marked(self, mark: str, text: str, region: Region) -> bool:
        return any(self._language.marked(mark, text, *span) for span in region.spans)

    def _words(self, turn: TurnText, text: str, region: Region) -> list[TimeWord]:
        found = []
        happened = self._marked("happened", text, region) and not self._marked("coming", text, region)
        for start, end in region.spans:
            for word in self._times.find(text[start:end], turn.occurred_at, turn.timezone, happened=happened):
                first, last = start + word.span[0], start + word.span[1]
                if last <= region.value[0] or first >= region.value[1]:
                    found.append(word)
        return found

    def _basis(self, text: str, region: Region, rule: RuleData) -> Basis:
        if rule.basis is not None:
            return rule.basis
        if any(self._language.marked("instruction", text, *span) for span in region.leads):
            return Basis.INSTRUCTION
        if self._marked("from_now", text, region):
            return Basis.INSTRUCTION
        return Basis.CHANGE if region.changed or self._marked("change", text, region) else Basis.STATEMENT

    def _cue(
        self, text: str, region: Region, rule: RuleData, basis: Basis, words: list[TimeWord], *, passing: bool
    ) -> Cue:
        ends = any(word.bound is Bound.UNTIL for word in words)
        if passing or ends:
            return Cue.TEMPORARY
        # "I moved this week" tells when, "I eat meat this week" how long
        told = rule.basis is Basis.CHANGE
        if not told and self._marked("period", text, region):
            return Cue.TEMPORARY
        if not told and basis in {Basis.STATEMENT, Basis.INSTRUCTION} and self._marked("day", text, region):
            return Cue.TEMPORARY
        return Cue.PERMANENT if self._marked("permanent", text, region) else Cue.NONE


def _interval(
    words: list[TimeWord], cue: Cue, basis: Basis, occurred_at: datetime
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
        elif cue is Cue.TEMPORARY:
            end = end or word.end
        elif word.begin is not None and basis is Basis.CHANGE and not word.vague:
            begin = (
                word.begin if word.begin > occurred_at or (word.end is not None and word.end <= occurred_at) else begin
            )
        elif word.begin is not None and basis is Basis.STATEMENT and word.unit in _DATED:
            begin = word.begin if word.begin > occurred_at else begin
    return begin, end


_DATED = frozenset(["week", "month", "year", "date", "count"])
"""Units after which a statement about the future holds; a weekday may be a habit ("Fridays I eat fish")."""
