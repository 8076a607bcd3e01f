"""What one claim about a value does to its cell: the table of bases, read against what the cell holds."""

from lithify.domain.claims import Basis, Claim, Cue, Polarity
from lithify.domain.slots import contenders, overrides
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.declarations import declare, establish, past_interval, reinforce, rule_of, schedule
from lithify.domain.slots.rows import FactRow, Hold, Said, Stance, said
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import Number, ask, clash, decide, override_trace, settle

_DECLARING = (Basis.INSTRUCTION, Basis.CHANGE)
_STATING = (Basis.STATEMENT, Basis.CONFIRMATION)


def on_value(fold: Fold, claim: Claim) -> None:
    """Fold a claim about a value."""
    value = fold.canonical(claim.value, claim.quantity)
    cell, words = fold.cell(value), said(claim, value)
    basis = _basis(fold, cell, claim, words.stance)
    if basis is Basis.INFERRED:
        _infer(fold, cell, claim, words)
    elif _answered_no(cell, claim, words):
        _answer_no(fold, cell, claim, words)
    elif claim.valid_to is not None and claim.valid_to <= claim.occurred_at:
        _past(fold, cell, claim, words, basis)
    elif _removes_danger(fold, cell, words.stance) and (
        basis is not Basis.INSTRUCTION or overrides.passing(claim)
    ):
        _guard(fold, cell, claim, words)
    elif overrides.passing(claim) or basis is Basis.CHOICE:
        _pass(fold, cell, claim, words, overrides.hold_of(claim))
    elif claim.valid_from is not None and claim.valid_from > claim.occurred_at:
        schedule(fold, cell, claim, words)
    else:
        _lasting(fold, cell, claim, words, basis)


def _basis(fold: Fold, cell: Cell, claim: Claim, stance: Stance) -> Basis:
    """The basis as the cell reads it: a lasting word, or the answer to a standing question, is an
    instruction.
    """
    if claim.basis in _STATING and claim.cue is Cue.PERMANENT:
        yes = claim.basis is Basis.STATEMENT or claim.polarity is Polarity.POSITIVE or fold.safety
        return Basis.INSTRUCTION if yes else claim.basis
    if claim.basis is Basis.CONFIRMATION and cell.standing(stance, fold.now):
        return Basis.INSTRUCTION
    if claim.basis is Basis.STATEMENT and cell.active is not None:
        opposite = cell.active.value == stance[0] and cell.active.polarity is not stance[1]
        return Basis.CHANGE if opposite and not overrides.passing(claim) else claim.basis
    return claim.basis


def _infer(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
    contenders.guess(fold, cell, claim, words.stance)
    fact = cell.active
    if fact is not None and cell.contradicts(words.stance):
        clash(fold, claim, words.value, fact, VerdictKind.KEPT)
    _keep(fold, cell, claim, words, "inferred")


def _keep(fold: Fold, cell: Cell, claim: Claim, words: Said, rule: str) -> None:
    fact = cell.active
    replaced = fact.value if fact is not None and cell.contradicts(words.stance) else None
    row = cell.book.contenders.get(words.stance)
    numbers = contenders.trace(fold, cell, row) if row else {}
    decide(
        fold,
        VerdictKind.KEPT,
        rule,
        words.stance,
        (claim.id,),
        cause=claim.id,
        fact=fact,
        replaced=replaced,
        trace=numbers,
    )


def _answered_no(cell: Cell, claim: Claim, words: Said) -> bool:
    """Whether the claim is a no to a question about something other than what is stored."""
    if claim.basis is not Basis.CONFIRMATION or claim.polarity is Polarity.POSITIVE:
        return False
    return cell.active is None or cell.active.value != words.value


def _answer_no(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
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


def _past(fold: Fold, cell: Cell, claim: Claim, words: Said, basis: Basis) -> None:
    """Rule 4: an interval that is already over."""
    fact = cell.active
    about_fact = fact is not None and fact.stance == words.stance
    if basis is Basis.CHOICE:
        contenders.note(fold, cell, claim, words.stance, cued=False, strong=False)
        _keep(fold, cell, claim, words, "choice_over")
    elif about_fact and fold.safety and basis is not Basis.INSTRUCTION:
        _guard(fold, cell, claim, words)
    elif fact is not None and about_fact and fact.pinned:
        ask(fold, cell, "pinned", words.stance, (claim.id,), until=fold.now + fold.policy.statement_life)
        _keep(fold, cell, claim, words, "pinned")
    else:
        past_interval(fold, cell, claim, words)


def _removes_danger(fold: Fold, cell: Cell, stance: Stance) -> bool:
    fact = cell.active
    return (
        fold.safety
        and fact is not None
        and fact.polarity is Polarity.POSITIVE
        and stance[1] is Polarity.NEGATIVE
    )


def _guard(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
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


def _pass(fold: Fold, cell: Cell, claim: Claim, words: Said, hold: Hold) -> None:
    """A choice, or anything marked as passing: at most an override."""
    fact = cell.active
    cued = overrides.passing(claim) or _stated_end_runs(fold, cell, words.stance)
    if fact is not None and fact.stance == words.stance:
        _return_for_now(fold, cell, claim, words, fact, cued=cued)
    elif _compatible(cell, words.stance):
        _set_aside(fold, cell, claim, words, lasting=False)
    else:
        contenders.note(fold, cell, claim, words.stance, cued=cued, strong=False)
        _override(fold, cell, claim, words, hold)


def _override(fold: Fold, cell: Cell, claim: Claim, words: Said, hold: Hold) -> None:
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


def _return_for_now(fold: Fold, cell: Cell, claim: Claim, words: Said, fact: FactRow, *, cued: bool) -> None:
    """Rule 8: a choice of the stored value ends its session's overrides, and lies over those of every
    session.
    """
    session = fold.sessions.key(claim)
    contenders.note(fold, cell, claim, words.stance, cued=cued, strong=False)
    reinforce(fold, fact, claim.id)
    for row in cell.running(fold.now):
        if row.session == session and row.stance != words.stance:
            overrides.end(fold, cell, row, "chosen_again", cause=claim.id)
    running = [row for row in cell.running(fold.now) if row.seen_from(session)]
    if running:
        _override(fold, cell, claim, words, overrides.hold_of(claim))
        return
    _reinforced(fold, claim, words, fact)


def _reinforced(fold: Fold, claim: Claim, words: Said, fact: FactRow) -> None:
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


def _stated_end_runs(fold: Fold, cell: Cell, stance: Stance) -> bool:
    return any(row.stance == stance and row.hold is Hold.STATED for row in cell.running(fold.now))


def _compatible(cell: Cell, stance: Stance) -> bool:
    """Whether the claim denies another value than the stored one, which says nothing against it."""
    return cell.active is not None and stance[1] is Polarity.NEGATIVE and cell.active.value != stance[0]


def _set_aside(fold: Fold, cell: Cell, claim: Claim, words: Said, *, lasting: bool) -> None:
    """Rule 5: a no to another value is kept; what spoke for that value is void."""
    denied: Stance = (words.value, Polarity.POSITIVE)
    session = fold.sessions.key(claim)
    if lasting:
        contenders.void(fold, cell, denied)
        settle(cell, fold.now, denied)
    for row in cell.running(fold.now):
        if row.stance == denied and (lasting or row.session == session):
            overrides.end(fold, cell, row, "denied", cause=claim.id)
    _keep(fold, cell, claim, words, "compatible")


def _lasting(fold: Fold, cell: Cell, claim: Claim, words: Said, basis: Basis) -> None:
    """A statement, change or instruction without a passing cue."""
    fact, stance = cell.active, words.stance
    if _compatible(cell, stance):
        _set_aside(fold, cell, claim, words, lasting=True)
    elif fact is not None and fact.pinned and cell.contradicts(stance):
        _over_pinned(fold, cell, claim, words, basis)
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
    rule = rule_of(basis)
    if claim.basis is Basis.CONFIRMATION:
        rule = "confirmed"
    elif claim.basis is Basis.STATEMENT and basis is Basis.CHANGE:
        rule = "opposite_statement"
    confidence = max(
        fold.policy.confidence[claim.basis], fold.policy.confidence[basis] if rule == "confirmed" else 0
    )
    declare(fold, cell, words, rule, kind=kind, confidence=confidence, trace={})
    contenders.note(fold, cell, claim, words.stance, cued=False, strong=True)


def _state_again(fold: Fold, cell: Cell, claim: Claim, words: Said, fact: FactRow) -> None:
    """Rule 8: a statement of the stored value ends all overrides."""
    for row in cell.running(fold.now):
        overrides.end(fold, cell, row, "stated_again", cause=claim.id)
    settle(cell, fold.now)
    contenders.note(fold, cell, claim, words.stance, cued=False, strong=True)
    reinforce(fold, fact, claim.id)
    _reinforced(fold, claim, words, fact)


def _contradict(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
    """Rule 7: an uncued statement against the fact holds everywhere for a while, and is asked about."""
    cued = _stated_end_runs(fold, cell, words.stance)
    contenders.note(fold, cell, claim, words.stance, cued=cued, strong=not cued)
    _override(fold, cell, claim, words, Hold.STATEMENT)
    if not cued:
        ask(fold, cell, "contradiction", words.stance, (claim.id,))


def _over_pinned(fold: Fold, cell: Cell, claim: Claim, words: Said, basis: Basis) -> None:
    """Rule 14: over a pinned fact even a declaration holds for its session only."""
    strong = basis is not Basis.CHOICE
    contenders.note(fold, cell, claim, words.stance, cued=False, strong=strong)
    _override(fold, cell, claim, words, Hold.SESSION)
    ask(fold, cell, "pinned", words.stance, (claim.id,), until=fold.now + fold.policy.statement_life)
