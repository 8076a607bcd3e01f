"""Words against a value that is not the stored one: they void what spoke for it, and touch nothing else."""

from lithify.domain.claims import Basis, Claim, Cue, Evidence, Polarity
from lithify.domain.slots import contenders, overrides
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.contenders import keep
from lithify.domain.slots.rows import Said, Stance
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import decide, settle


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
    contenders.void(fold, cell, asked, denied=True)
    settle(cell, fold.now, asked)
    cell.quiet[asked] = fold.now + fold.policy.hint_quiet
    if claim.cue is not Cue.PERMANENT:
        for item in cell.pending(fold.now):
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


def set_aside(fold: Fold, cell: Cell, claim: Evidence, words: Said, *, lasting: bool) -> None:
    """Rule 5: a no to another value is kept; what spoke for that value is void."""
    denied: Stance = (words.value, Polarity.POSITIVE)
    session = fold.sessions.key(claim)
    if lasting:
        contenders.void(fold, cell, denied, denied=True)
        settle(cell, fold.now, denied)
    for row in cell.pending(fold.now):
        if row.stance == denied and (lasting or row.session == session):
            overrides.end(fold, cell, row, "denied", cause=claim.id)
    keep(fold, cell, claim, words, "compatible")
