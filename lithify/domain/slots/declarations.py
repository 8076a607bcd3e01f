"""Facts: how one is opened, replaced, reinforced, scheduled and closed."""

from lithify.domain.claims import Basis, Claim
from lithify.domain.ids import derive
from lithify.domain.slots import overrides
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.evidence import Book
from lithify.domain.slots.rows import FactRow, Said, Scheduled
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import Number, decide, settle


def new_fact(fold: Fold, words: Said, opened_by: str, confidence: float) -> FactRow:
    """A fact that holds from when `words` say; not yet part of a cell."""
    return FactRow(
        id=derive(fold.slot_id, "fact", *words.stance, words.cause),
        value=words.value,
        text=words.text,
        polarity=words.polarity,
        valid_from=words.since,
        opened_at=fold.now,
        turn_id=words.turn_id,
        confidence=confidence,
        opened_by=opened_by,
        claim_ids=list(words.claim_ids),
        last_mention=words.at,
        quantity=words.quantity,
    )


def open_fact(fold: Fold, cell: Cell, words: Said, opened_by: str, confidence: float) -> FactRow:
    """Open a fact in the cell: older ones end where it begins, and the evidence starts anew."""
    row = new_fact(fold, words, opened_by, confidence)
    for old in cell.facts:
        if not old.corrected and (old.valid_to is None or old.valid_to > row.valid_from):
            old.close(row.valid_from, row.id)
    cell.facts.append(row)
    cell.active = row
    start_anew(fold, cell)
    settle(cell, fold.now)
    return row


def start_anew(fold: Fold, cell: Cell) -> None:
    """Void all evidence of the cell, the watch over the last promotion included."""
    for row in cell.book.contenders.values():
        row.ended_at = fold.now
    cell.book = Book(fold.now, cell.book.number + 1)
    cell.watch = None


def reinforce(fold: Fold, fact: FactRow, claim_id: str) -> None:
    """A mention of the active fact: more confidence, fresher."""
    policy = fold.policy
    fact.confidence += max(0.0, policy.reinforcement * (policy.confidence_cap - fact.confidence))
    fact.mentions += 1
    fact.last_mention = fold.now
    fact.claim_ids.append(claim_id)


def take_place(fold: Fold, cell: Cell, words: Said, opened_by: str, confidence: float) -> FactRow:
    """Rule 1: the word of the user decides at once, ends the overrides and voids the evidence.

    A declaration against the stored value leaves alone what it is compatible with: "I am not a vegetarian"
    does not end "meat, until Friday". One that was scheduled leaves alone what was said after it.

    Returns:
        The fact that now holds: a new one, or the stored one where the words repeat it.
    """
    cancel_scheduled(fold, cell, words)
    for row in cell.pending(fold.now):
        older = row.last_mention <= words.at or fold.safety
        if older and row.rivals(words.stance):
            overrides.end(fold, cell, row, "declared", cause=words.cause)
    old = cell.active
    if old is None or old.stance != words.stance:
        return open_fact(fold, cell, words, opened_by, confidence)
    reinforce(fold, old, words.cause)
    old.confidence = max(old.confidence, confidence)
    start_anew(fold, cell)
    settle(cell, fold.now)
    return old


def declare(
    fold: Fold, cell: Cell, words: Said, rule: str, *, kind: VerdictKind, opened_by: str, confidence: float
) -> FactRow:
    """Let a declaration take its place, and record the verdict.

    Args:
        fold: the running fold.
        cell: where the value competes.
        words: what is declared.
        rule: why it decides.
        kind: the verdict where it changes the fact.
        opened_by: what the fact says it was opened by.
        confidence: where the fact's confidence starts.
    """
    old = cell.active
    fact = take_place(fold, cell, words, opened_by, confidence)
    trace: dict[str, Number] = {
        "confidence": round(fact.confidence, 4),
        "valid_from": fact.valid_from.isoformat(),
    }
    decide(
        fold,
        VerdictKind.REINFORCED if fact is old else kind,
        rule,
        words.stance,
        words.claim_ids,
        cause=words.cause,
        fact=fact,
        replaced=old.value if old is not None and fact is not old else None,
        trace=trace,
    )
    return fact


def end_overrides(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
    """A statement ends what runs against it; in a safety slot also what is to come, for it might hide a danger."""
    for row in cell.pending(fold.now) if fold.safety else cell.running(fold.now):
        if row.rivals(words.stance):
            overrides.end(fold, cell, row, "stated_again", cause=claim.id)


def establish(fold: Fold, cell: Cell, claim: Claim, words: Said, rule: str) -> None:
    """A statement fills an empty slot, or one that only knows what is not so."""
    end_overrides(fold, cell, claim, words)
    fact = open_fact(fold, cell, words, rule, fold.policy.confidence[claim.basis])
    trace: dict[str, Number] = {"confidence": fact.confidence, "valid_from": fact.valid_from.isoformat()}
    decide(fold, VerdictKind.ESTABLISHED, rule, words.stance, (claim.id,), cause=claim.id, fact=fact, trace=trace)


def cancel_scheduled(fold: Fold, cell: Cell, words: Said) -> None:
    """A declaration takes back what was to take effect, if that was said before it."""
    for item in list(cell.scheduled):
        if item.said.at < words.at:
            cancel(fold, cell, item, words.cause)


def cancel(fold: Fold, cell: Cell, item: Scheduled, cause: str) -> None:
    """Take back one thing that was to take effect."""
    cell.scheduled.remove(item)
    decide(
        fold,
        VerdictKind.REJECTED,
        "schedule_cancelled",
        item.said.stance,
        (*item.said.claim_ids, cause),
        cause=item.said.cause,
    )


_RULES = {
    Basis.INSTRUCTION: "instruction",
    Basis.CHANGE: "change",
    Basis.STATEMENT: "statement",
    Basis.CONFIRMATION: "confirmation",
    Basis.CHOICE: "choice",
    Basis.INFERRED: "inferred",
}


def rule_of(basis: Basis) -> str:
    """The code of the rule by which a basis decides."""
    return _RULES[basis]
