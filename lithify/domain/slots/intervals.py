"""Facts whose time was said: those that begin later, and those that are over."""

from datetime import datetime

from lithify.domain.claims import Basis, Claim, Evidence, Polarity
from lithify.domain.slots import contenders
from lithify.domain.slots.cell import Cell, Fold, Rank
from lithify.domain.slots.contenders import keep
from lithify.domain.slots.declarations import declare, new_fact, rule_of, start_anew
from lithify.domain.slots.denials import set_aside
from lithify.domain.slots.overrides import passing
from lithify.domain.slots.rows import UNKNOWN_START, FactRow, Said, Scheduled
from lithify.domain.slots.safety import guard, removes_danger
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import Number, ask, clash, decide, settle


def schedule(fold: Fold, cell: Cell, claim: Claim, words: Said, basis: Basis) -> None:
    """Rule 3: what holds from a stated instant on takes effect then."""
    item = Scheduled(words, claim, basis)
    cell.scheduled.append(item)
    fold.at(words.since, Rank.SCHEDULED, cell, item)
    trace: dict[str, Number] = {"takes_effect": words.since.isoformat()}
    decide(
        fold,
        VerdictKind.KEPT,
        "scheduled",
        words.stance,
        (claim.id,),
        cause=claim.id,
        fact=cell.active,
        trace=trace,
    )


def take_effect(fold: Fold, cell: Cell, item: Scheduled) -> None:
    """The instant of a scheduled fact has come."""
    cell.scheduled.remove(item)
    stance, old = item.said.stance, cell.active
    if cell.denies_another(stance):
        set_aside(fold, cell, item.claim, item.said, lasting=True)
    elif removes_danger(fold, cell, stance) and item.basis is not Basis.INSTRUCTION:
        guard(fold, cell, item.claim, item.said)
    elif old is not None and old.pinned and old.stance != stance:
        if cell.contradicts(stance):
            clash(fold, item.claim, item.said.value, old, VerdictKind.KEPT)
        keep(fold, cell, item.claim, item.said, "pinned")
    else:
        _begin(fold, cell, item)


def _begin(fold: Fold, cell: Cell, item: Scheduled) -> None:
    kind, old = VerdictKind.ESTABLISHED, cell.active
    if old is not None and cell.contradicts(item.said.stance):
        kind = VerdictKind.SUPERSEDED
        clash(fold, item.claim, item.said.value, old, kind)
    opened_by, confidence = rule_of(item.claim.basis), fold.policy.confidence[item.basis]
    declare(fold, cell, item.said, "scheduled", kind=kind, opened_by=opened_by, confidence=confidence)


def past_interval(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
    """Rule 4: "until March" ends the active fact if it is about its value, else adds a closed interval.

    A whole interval that lies before the active fact began is another period of the same value, not its end.
    """
    assert words.valid_to is not None
    if (fact := _ended_by(cell, words)) is not None:
        end_of_fact(fold, cell, fact, claim, words.valid_to)
        return
    row = new_fact(fold, words, rule_of(claim.basis), fold.policy.confidence[claim.basis])
    row.valid_from = min(words.valid_from or UNKNOWN_START, words.valid_to)
    row.valid_to = words.valid_to
    cell.facts.append(row)
    trace: dict[str, Number] = {
        "valid_from": row.valid_from.isoformat(),
        "valid_to": words.valid_to.isoformat(),
    }
    decide(
        fold,
        VerdictKind.ESTABLISHED,
        "past_interval",
        words.stance,
        (claim.id,),
        cause=claim.id,
        fact=row,
        trace=trace,
    )


def _ended_by(cell: Cell, words: Said) -> FactRow | None:
    """The active fact, where `words` say when it ended, and do not tell of an earlier period of it."""
    fact = cell.active
    if fact is None or words.valid_to is None or fact.stance != words.stance:
        return None
    earlier = words.valid_from is not None and words.valid_to <= fact.valid_from
    return None if earlier else fact


def end_of_fact(fold: Fold, cell: Cell, fact: FactRow, item: Evidence, at: datetime) -> None:
    """The active fact held until `at`: an end, not a contradiction, so the cell is empty afterwards."""
    fact.close(at)
    cell.active = None
    start_anew(fold, cell)
    settle(cell, fold.now)
    trace: dict[str, Number] = {"valid_to": fact.valid_to.isoformat() if fact.valid_to else None}
    decide(
        fold,
        VerdictKind.RETRACTED,
        "ended",
        fact.stance,
        (item.id,),
        cause=item.id,
        fact=fact,
        replaced=fact.value,
        trace=trace,
    )


def over_already(fold: Fold, cell: Cell, claim: Claim, words: Said, basis: Basis) -> None:
    """Rule 4: an interval that is already over."""
    fact = _ended_by(cell, words)
    danger = fold.safety and words.polarity is Polarity.POSITIVE
    if basis is Basis.CHOICE and removes_danger(fold, cell, words.stance):
        guard(fold, cell, claim, words)
    elif basis is Basis.CHOICE:
        if not cell.denies_another(words.stance):
            contenders.note(fold, cell, claim, words.stance, cued=passing(claim), strong=False)
        keep(fold, cell, claim, words, "choice_over")
    elif fact is not None and danger and basis is not Basis.INSTRUCTION:
        guard(fold, cell, claim, words)
    elif fact is not None and fact.pinned:
        ask(fold, cell, "pinned", words.stance, (claim.id,), until=fold.now + fold.policy.statement_life)
        keep(fold, cell, claim, words, "pinned")
    else:
        past_interval(fold, cell, claim, words)
