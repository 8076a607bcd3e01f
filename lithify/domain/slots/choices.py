"""Choices and passing words: what is laid over the fact for a while, and when the fact shows again."""

from lithify.domain.claims import Basis, Claim
from lithify.domain.slots import contenders, overrides
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.declarations import reinforce, rule_of
from lithify.domain.slots.denials import set_aside
from lithify.domain.slots.rows import FactRow, Hold, Said, Stance
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import Number, ask, clash, decide, override_trace, settle


def choose(fold: Fold, cell: Cell, claim: Claim, words: Said, hold: Hold) -> None:
    """A choice, or anything marked as passing: at most an override."""
    fact = cell.active
    cued = overrides.passing(claim) or stated_end_runs(fold, cell, words.stance)
    if fact is not None and fact.stance == words.stance:
        return_for_now(fold, cell, claim, words, fact, cued=cued)
    elif cell.denies_another(words.stance):
        set_aside(fold, cell, claim, words, lasting=False)
    else:
        contenders.note(fold, cell, claim, words.stance, cued=cued, strong=False)
        override(fold, cell, claim, words, hold)
        if overrides.passing(claim) and claim.basis is not Basis.CHOICE:
            settle(cell, fold.now, words.stance, "contradiction")


def override(fold: Fold, cell: Cell, claim: Claim, words: Said, hold: Hold) -> None:
    """Lay `words` over the cell, and log the conflict with the fact they contradict."""
    fact = cell.active
    contradicted = fact if fact is not None and cell.contradicts(words.stance) else None
    row = overrides.lay(fold, cell, claim, words, hold, trip=claim.scope.value == "trip")
    if contradicted is not None:
        clash(fold, claim, words.value, contradicted, VerdictKind.OVERRIDDEN)
    contender = cell.book.contenders.get(words.stance)
    numbers = contenders.trace(fold, cell, contender) if contender else {}
    decide(
        fold,
        VerdictKind.OVERRIDDEN,
        rule_of(claim.basis),
        words.stance,
        (claim.id,),
        cause=claim.id,
        fact=contradicted,
        replaced=contradicted.value if contradicted else None,
        trace=override_trace(row) | numbers,
    )


def return_for_now(fold: Fold, cell: Cell, claim: Claim, words: Said, fact: FactRow, *, cued: bool) -> None:
    """Rule 8: a choice of the stored value ends its session's overrides and lies over all others."""
    session = fold.sessions.key(claim)
    contenders.note(fold, cell, claim, words.stance, cued=cued, strong=False)
    reinforce(fold, fact, claim.id)
    for row in cell.running(fold.now):
        if row.session == session and row.stance != words.stance and row.rivals(words.stance):
            overrides.end(fold, cell, row, "chosen_again", cause=claim.id)
    if any(row.seen_from(session) and row.rivals(words.stance) for row in cell.running(fold.now)):
        override(fold, cell, claim, words, overrides.hold_of(claim))
        return
    reinforced(fold, claim, words, fact)


def reinforced(fold: Fold, claim: Claim, words: Said, fact: FactRow) -> None:
    """Record that `claim` mentioned the active fact."""
    trace: dict[str, Number] = {"confidence": round(fact.confidence, 4), "mentions": fact.mentions}
    decide(
        fold,
        VerdictKind.REINFORCED,
        rule_of(claim.basis),
        words.stance,
        (claim.id,),
        cause=claim.id,
        fact=fact,
        trace=trace,
    )


def stated_end_runs(fold: Fold, cell: Cell, stance: Stance) -> bool:
    """Whether an override of `stance` with a stated end runs, under which its mentions count as cued."""
    return any(row.stance == stance and row.hold is Hold.STATED for row in cell.running(fold.now))


def over_pinned(fold: Fold, cell: Cell, claim: Claim, words: Said, basis: Basis) -> None:
    """Rule 14: over a pinned fact even a declaration holds for its session only."""
    strong = basis is not Basis.CHOICE
    contenders.note(fold, cell, claim, words.stance, cued=False, strong=strong)
    override(fold, cell, claim, words, Hold.SESSION)
    ask(fold, cell, "pinned", words.stance, (claim.id,), until=fold.now + fold.policy.statement_life)
