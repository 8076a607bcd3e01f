"""Facts: how one is opened, replaced, reinforced, scheduled and closed."""

from datetime import datetime

from lithify.domain.claims import Basis, Claim, Evidence, Polarity
from lithify.domain.ids import derive
from lithify.domain.slots import overrides
from lithify.domain.slots.cell import Cell, Fold, Rank
from lithify.domain.slots.evidence import Book
from lithify.domain.slots.rows import UNKNOWN_START, FactRow, Said, Scheduled, Stance, said
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import Number, clash, decide, settle


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
    cell.book = Book(fold.now)
    cell.watch = None


def reinforce(fold: Fold, fact: FactRow, claim_id: str) -> None:
    """A mention of the active fact: more confidence, fresher."""
    policy = fold.policy
    fact.confidence += max(0.0, policy.reinforcement * (policy.confidence_cap - fact.confidence))
    fact.mentions += 1
    fact.last_mention = fold.now
    fact.claim_ids.append(claim_id)


def declare(
    fold: Fold,
    cell: Cell,
    words: Said,
    rule: str,
    *,
    kind: VerdictKind,
    confidence: float,
    trace: dict[str, Number],
) -> FactRow:
    """Rule 1: the word of the user decides at once, ends the overrides and voids the evidence.

    A declaration against the stored value leaves alone what it is compatible with: "I am not a
    vegetarian" does not end "meat, until Friday".

    Args:
        fold: the running fold.
        cell: where the value competes.
        words: what is declared.
        rule: why it decides; also what the fact says it was opened by.
        kind: the verdict where it changes the fact.
        confidence: where the fact's confidence starts.
        trace: numbers for the verdict.
    """
    cancel_scheduled(fold, cell, words.cause)
    for row in [row for row in cell.overrides if not row.over and row.ends_at > fold.now]:
        if words.polarity is Polarity.POSITIVE or row.value == words.value:
            overrides.end(fold, cell, row, "declared", cause=words.cause)
    old = cell.active
    if old is not None and old.stance == words.stance:
        reinforce(fold, old, words.cause)
        old.confidence = max(old.confidence, confidence)
        start_anew(fold, cell)
        settle(cell, fold.now)
        fact, kind = old, VerdictKind.REINFORCED
    else:
        fact = open_fact(fold, cell, words, rule, confidence)
    replaced = old.value if old is not None and fact is not old else None
    numbers: dict[str, Number] = {
        "confidence": round(fact.confidence, 4),
        "valid_from": fact.valid_from.isoformat(),
    }
    decide(
        fold,
        kind,
        rule,
        words.stance,
        words.claim_ids,
        cause=words.cause,
        fact=fact,
        replaced=replaced,
        trace=numbers | trace,
    )
    return fact


def establish(fold: Fold, cell: Cell, claim: Claim, words: Said, rule: str) -> None:
    """A statement fills an empty slot, or one that only knows what is not so."""
    for row in cell.running(fold.now):
        overrides.end(fold, cell, row, "stated_again", cause=claim.id)
    fact = open_fact(fold, cell, words, rule, fold.policy.confidence[claim.basis])
    trace: dict[str, Number] = {"confidence": fact.confidence, "valid_from": fact.valid_from.isoformat()}
    decide(
        fold, VerdictKind.ESTABLISHED, rule, words.stance, (claim.id,), cause=claim.id, fact=fact, trace=trace
    )


def schedule(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
    """Rule 3: what holds from a stated instant on takes effect then."""
    item = Scheduled(words, claim)
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


def cancel_scheduled(fold: Fold, cell: Cell, cause: str) -> None:
    """A later declaration takes back what was to take effect."""
    for item in cell.scheduled:
        if not item.cancelled:
            item.cancelled = True
            decide(
                fold,
                VerdictKind.REJECTED,
                "schedule_cancelled",
                item.said.stance,
                (*item.said.claim_ids, cause),
                cause=item.said.cause,
            )
    cell.scheduled.clear()


def take_effect(fold: Fold, cell: Cell, item: Scheduled) -> bool:
    """The instant of a scheduled fact has come; whether it still counts."""
    if item.cancelled:
        return False
    item.cancelled = True
    cell.scheduled.remove(item)
    old = cell.active
    contradicted = old is not None and cell.contradicts(item.said.stance)
    if old is not None and contradicted and old.pinned:
        clash(fold, item.claim, item.said.value, old, VerdictKind.KEPT)
        decide(
            fold,
            VerdictKind.KEPT,
            "pinned",
            item.said.stance,
            (item.claim.id,),
            cause=item.said.cause,
            fact=old,
            replaced=old.value,
        )
        return True
    if old is not None and contradicted:
        clash(fold, item.claim, item.said.value, old, VerdictKind.SUPERSEDED)
    kind = VerdictKind.SUPERSEDED if old else VerdictKind.ESTABLISHED
    confidence = fold.policy.confidence[item.claim.basis]
    declare(fold, cell, item.said, "scheduled", kind=kind, confidence=confidence, trace={})
    return True


def past_interval(fold: Fold, cell: Cell, claim: Claim, words: Said) -> None:
    """Rule 4: "until March" ends the active fact if it is about its value, else adds a closed interval.

    A whole interval that lies before the active fact began is another period of the same value, not its end.
    """
    assert words.valid_to is not None
    fact = cell.active
    about_fact = fact is not None and fact.stance == words.stance
    earlier = fact is not None and words.valid_from is not None and words.valid_to <= fact.valid_from
    if fact is not None and about_fact and not earlier:
        end_of_fact(fold, cell, fact, claim, words.valid_to)
        return
    row = new_fact(fold, words, "past_interval", fold.policy.confidence[claim.basis])
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


def rule_of(basis: Basis) -> str:
    """The code of the rule by which a basis decides."""
    codes = {
        Basis.INSTRUCTION: "instruction",
        Basis.CHANGE: "change",
        Basis.STATEMENT: "statement",
        Basis.CONFIRMATION: "confirmation",
        Basis.CHOICE: "choice",
        Basis.INFERRED: "inferred",
    }
    return codes[basis]


def words_of(claim: Claim, stance: Stance) -> Said:
    """What `claim` says about `stance`."""
    return said(claim, stance[0])
