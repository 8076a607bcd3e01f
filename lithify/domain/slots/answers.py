"""Claims that would end a fact: by a time that is past, or by taking a danger away."""

from lithify.domain.claims import Basis, Claim, Polarity
from lithify.domain.slots import contenders
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.contenders import keep
from lithify.domain.slots.intervals import past_interval
from lithify.domain.slots.rows import Said, Stance
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import ask, clash, decide


def over_already(fold: Fold, cell: Cell, claim: Claim, words: Said, basis: Basis) -> None:
    """Rule 4: an interval that is already over."""
    fact = cell.active
    about_fact = fact is not None and fact.stance == words.stance
    if basis is Basis.CHOICE:
        contenders.note(fold, cell, claim, words.stance, cued=False, strong=False)
        keep(fold, cell, claim, words, "choice_over")
    elif about_fact and fold.safety and basis is not Basis.INSTRUCTION:
        guard(fold, cell, claim, words)
    elif fact is not None and about_fact and fact.pinned:
        ask(fold, cell, "pinned", words.stance, (claim.id,), until=fold.now + fold.policy.statement_life)
        keep(fold, cell, claim, words, "pinned")
    else:
        past_interval(fold, cell, claim, words)


def removes_danger(fold: Fold, cell: Cell, stance: Stance) -> bool:
    """Whether `stance` would take a stored danger away."""
    fact = cell.active
    return fold.safety and fact is not None and fact.polarity is Polarity.POSITIVE and stance[1] is Polarity.NEGATIVE


def guard(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
    """Rule 13: what would take a danger away is asked about, and the fact stays."""
    assert cell.active is not None
    gone: Stance = (words.value, Polarity.NEGATIVE)
    ask(fold, cell, "safety", gone, (claim.id,))
    clash(fold, claim, words.value, cell.active, VerdictKind.KEPT)
    decide(
        fold,
        VerdictKind.KEPT,
        "safety",
        gone,
        (claim.id,),
        cause=claim.id,
        fact=cell.active,
        replaced=words.value,
    )
