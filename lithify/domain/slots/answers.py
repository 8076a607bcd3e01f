"""What is denied, over already, or dangerous to believe: claims that end things, or must not."""

from lithify.domain.claims import Basis, Claim, Cue, Polarity
from lithify.domain.slots import contenders, overrides
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.contenders import keep
from lithify.domain.slots.intervals import past_interval
from lithify.domain.slots.rows import Said, Stance
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import ask, clash, decide, settle


def answered_no(cell: Cell, claim: Claim, words: Said) -> bool:
    """Whether the claim is a no to a question about something other than what is stored."""
    if claim.basis is not Basis.CONFIRMATION or claim.polarity is Polarity.POSITIVE:
        return False
    return cell.active is None or cell.active.value != words.value


def answer_no(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
    """Rule 9: a no voids the evidence for its value and quiets the hint."""
    asked: Stance = (words.value, Polarity.POSITIVE)
    row = cell.book.contenders.get(asked)
    numbers = contenders.trace(fold, cell, row) if row else {}
    contenders.void(fold, cell, asked)
    settle(cell, fold.now, asked)
    cell.quiet[asked] = fold.now + fold.policy.hint_quiet
    if claim.cue is not Cue.PERMANENT:
        for item in cell.running(fold.now):
            if item.stance == asked:
                overrides.end(fold, cell, item, "answered_no", cause=claim.id)
    decide(
        fold,
        VerdictKind.REJECTED,
        "answered_no",
        asked,
        (claim.id,),
        cause=claim.id,
        fact=cell.active,
        trace=numbers | {"quiet_until": cell.quiet[asked].isoformat()},
    )


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
    return (
        fold.safety
        and fact is not None
        and fact.polarity is Polarity.POSITIVE
        and stance[1] is Polarity.NEGATIVE
    )


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


def set_aside(fold: Fold, cell: Cell, claim: Claim, words: Said, *, lasting: bool) -> None:
    """Rule 5: a no to another value is kept; what spoke for that value is void."""
    denied: Stance = (words.value, Polarity.POSITIVE)
    session = fold.sessions.key(claim)
    if lasting:
        contenders.void(fold, cell, denied)
        settle(cell, fold.now, denied)
    for row in cell.running(fold.now):
        if row.stance == denied and (lasting or row.session == session):
            overrides.end(fold, cell, row, "denied", cause=claim.id)
    keep(fold, cell, claim, words, "compatible")


def compatible(cell: Cell, stance: Stance) -> bool:
    """Whether the claim denies another value than the stored one, which says nothing against it."""
    return cell.active is not None and stance[1] is Polarity.NEGATIVE and cell.active.value != stance[0]
