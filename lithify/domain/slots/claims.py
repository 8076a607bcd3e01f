"""What one claim about a value does to its cell: the table of bases, read against what the cell holds."""

from lithify.domain.claims import Basis, Claim, Cue, Polarity
from lithify.domain.slots import contenders, overrides
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.choices import choose, over_pinned, override, reinforced, stated_end_runs
from lithify.domain.slots.contenders import keep
from lithify.domain.slots.declarations import declare, end_overrides, establish, reinforce, rule_of
from lithify.domain.slots.denials import answer_no, answered_no, set_aside
from lithify.domain.slots.intervals import over_already, schedule
from lithify.domain.slots.rows import FactRow, Hold, Said, Stance, said
from lithify.domain.slots.safety import guard, removes_danger
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import ask, clash, settle

_DECLARING = (Basis.INSTRUCTION, Basis.CHANGE)
_STATING = (Basis.STATEMENT, Basis.CONFIRMATION)


def on_value(fold: Fold, claim: Claim) -> None:
    """Fold a claim about a value."""
    value = fold.canonical(claim.value, claim.quantity)
    cell, words = fold.cell(value), said(claim, value)
    basis = _basis(fold, cell, claim, words.stance)
    if answered_no(cell, claim, words):
        answer_no(fold, cell, claim, words)
    elif basis is not Basis.INFERRED and claim.valid_to is not None and claim.valid_to <= claim.occurred_at:
        over_already(fold, cell, claim, words, basis)
    elif removes_danger(fold, cell, words.stance) and (basis is not Basis.INSTRUCTION or overrides.passing(claim)):
        guard(fold, cell, claim, words)
    elif basis is Basis.INFERRED:
        _infer(fold, cell, claim, words)
    elif overrides.passing(claim) or basis is Basis.CHOICE:
        choose(fold, cell, claim, words, overrides.hold_of(claim))
    elif claim.valid_from is not None and claim.valid_from > claim.occurred_at:
        schedule(fold, cell, claim, words, basis)
    else:
        _lasting(fold, cell, claim, words, basis)


def _basis(fold: Fold, cell: Cell, claim: Claim, stance: Stance) -> Basis:
    """The basis as the cell reads it: a lasting word or an awaited answer is an instruction."""
    if claim.basis is Basis.CONFIRMATION and cell.standing(stance, fold.now):
        return Basis.INSTRUCTION
    if claim.cue is Cue.PERMANENT and claim.basis in _STATING:
        answer = claim.basis is Basis.CONFIRMATION
        yes = claim.polarity is Polarity.POSITIVE
        if answer if fold.safety else yes or not answer:
            return Basis.INSTRUCTION
    if claim.basis is Basis.STATEMENT and cell.active is not None:
        opposite = cell.active.value == stance[0] and cell.active.polarity is not stance[1]
        return Basis.CHANGE if opposite and not overrides.passing(claim) else claim.basis
    return claim.basis


def _infer(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
    if not cell.denies_another(words.stance):
        contenders.guess(fold, cell, claim, words.stance)
    fact = cell.active
    if fact is not None and cell.contradicts(words.stance):
        clash(fold, claim, words.value, fact, VerdictKind.KEPT)
    keep(fold, cell, claim, words, "inferred")


def _lasting(fold: Fold, cell: Cell, claim: Claim, words: Said, basis: Basis) -> None:
    """A statement, change or instruction without a passing cue."""
    fact, stance = cell.active, words.stance
    if cell.denies_another(stance):
        set_aside(fold, cell, claim, words, lasting=True)
    elif fact is not None and fact.pinned and fact.stance != stance:
        over_pinned(fold, cell, claim, words, basis)
    elif basis in _DECLARING:
        _declare(fold, cell, claim, words, basis)
    elif fact is not None and fact.stance == stance:
        _state_again(fold, cell, claim, words, fact)
    elif (
        cell.contradicts(stance)
        and claim.basis is Basis.CONFIRMATION
        and fact is not None
        and fact.value == words.value
    ):
        _declare(fold, cell, claim, words, basis)
    elif cell.contradicts(stance):
        _contradict(fold, cell, claim, words)
    else:
        establish(fold, cell, claim, words, rule_of(basis))
        contenders.note(fold, cell, claim, stance, cued=False, strong=True)


def _declare(fold: Fold, cell: Cell, claim: Claim, words: Said, basis: Basis) -> None:
    fact = cell.active
    if fact is not None and cell.contradicts(words.stance):
        kind = VerdictKind.PROMOTED if basis is Basis.INSTRUCTION else VerdictKind.SUPERSEDED
        clash(fold, claim, words.value, fact, kind)
    elif basis is Basis.INSTRUCTION:
        kind = VerdictKind.PROMOTED
    else:
        kind = VerdictKind.ESTABLISHED
    rule, confidence = rule_of(basis), fold.policy.confidence[basis]
    if claim.basis is Basis.CONFIRMATION:
        rule = "confirmed"
    elif claim.basis is Basis.STATEMENT and basis is Basis.CHANGE:
        rule, confidence = "opposite_statement", fold.policy.confidence[claim.basis]
    opened_by = rule_of(claim.basis if rule == "confirmed" else basis)
    declare(fold, cell, words, rule, kind=kind, opened_by=opened_by, confidence=confidence)
    contenders.note(fold, cell, claim, words.stance, cued=False, strong=True)


def _state_again(fold: Fold, cell: Cell, claim: Claim, words: Said, fact: FactRow) -> None:
    """Rule 8: a statement of the stored value ends all overrides."""
    end_overrides(fold, cell, claim, words)
    settle(cell, fold.now)
    contenders.note(fold, cell, claim, words.stance, cued=False, strong=True)
    reinforce(fold, fact, claim.id)
    reinforced(fold, claim, words, fact)


def _contradict(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
    """Rule 7: an uncued statement against the fact holds everywhere for a while, and is asked about."""
    cued = stated_end_runs(fold, cell, words.stance)
    contenders.note(fold, cell, claim, words.stance, cued=cued, strong=not cued)
    override(fold, cell, claim, words, Hold.STATEMENT)
    if not cued:
        ask(fold, cell, "contradiction", words.stance, (claim.id,))
