"""Safety slots: a danger is believed at once, and taken away with care."""

from lithify.domain.claims import Claim, Polarity
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.rows import Said, Stance
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import ask, clash, decide


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
