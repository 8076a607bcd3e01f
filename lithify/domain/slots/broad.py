"""Evidence that enters every slot of its subject: broad withdrawals and return cues."""

import re

from lithify.domain.claims import Basis, Claim, Cue, Polarity
from lithify.domain.slots import contenders, overrides
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.declarations import cancel, start_anew
from lithify.domain.slots.rows import Stance
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import ask, clash, decide, settle


def on_withdrawal(fold: Fold, claim: Claim) -> None:
    """Rule 6: close each earlier value that matches the topics, and only those."""
    lasting = claim.cue is not Cue.TEMPORARY and claim.basis is not Basis.INFERRED
    touched = [_withdraw(fold, cell, claim) for cell in fold.own_all()] if lasting else []
    if not any(touched):
        stance: Stance = (claim.value, claim.polarity)
        decide(fold, VerdictKind.KEPT, "nothing_to_withdraw", stance, (claim.id,), cause=claim.id)


def _withdraw(fold: Fold, cell: Cell, claim: Claim) -> bool:
    """Apply a withdrawal to one cell; whether anything in it matched."""
    touched = _withdraw_overrides(fold, cell, claim)
    for row in list(cell.book.contenders.values()):
        if row.last_support < fold.now and matches(fold, claim, row.value, row.text):
            contenders.void(fold, cell, row.stance)
            decide(fold, VerdictKind.REJECTED, "withdrawal", row.stance, (claim.id,), cause=claim.id)
            touched = True
    for item in list(cell.scheduled):
        if item.claim.turn_id != claim.turn_id and matches(fold, claim, item.said.value, item.said.text):
            cancel(fold, cell, item, claim.id)
            touched = True
    return _withdraw_fact(fold, cell, claim) or touched


def _withdraw_overrides(fold: Fold, cell: Cell, claim: Claim) -> bool:
    """End the overrides that match, but none that warns of a danger."""
    rows = [
        row
        for row in cell.pending(fold.now)
        if row.last_mention < fold.now
        and matches(fold, claim, row.value, row.text)
        and not (fold.safety and row.polarity is Polarity.POSITIVE)
    ]
    for row in rows:
        overrides.end(fold, cell, row, "withdrawn", cause=claim.id)
    return bool(rows)


def _withdraw_fact(fold: Fold, cell: Cell, claim: Claim) -> bool:
    fact = cell.active
    if fact is None or fact.turn_id == claim.turn_id or not matches(fold, claim, fact.value, fact.text):
        return False
    if fold.safety or fact.pinned:
        rule = "safety" if fold.safety else "pinned"
        clash(fold, claim, claim.value, fact, VerdictKind.KEPT)
        if fold.safety and fact.polarity is Polarity.POSITIVE:
            ask(fold, cell, "safety", (fact.value, Polarity.NEGATIVE), (claim.id,))
        decide(fold, VerdictKind.KEPT, rule, fact.stance, (claim.id,), cause=claim.id, fact=fact)
        return True
    clash(fold, claim, claim.value, fact, VerdictKind.RETRACTED)
    fact.close(min(claim.valid_from or fold.now, fold.now))
    cell.active = None
    start_anew(fold, cell)
    settle(cell, fold.now)
    decide(
        fold,
        VerdictKind.RETRACTED,
        "withdrawal",
        fact.stance,
        (claim.id,),
        cause=claim.id,
        fact=fact,
        replaced=fact.value,
    )
    return True


def matches(fold: Fold, claim: Claim, value: str, text: str) -> bool:
    """Whether a topic is the slot's attribute, the value, one of its broader values, or stands in its words."""
    if fold.attribute.key in claim.topics:
        return True
    broader = fold.attribute.ancestors(value)
    return any(
        topic == value or topic in broader or _stands_in(topic, value) or _stands_in(topic, text)
        for topic in claim.topics
    )


def _stands_in(topic: str, text: str) -> bool:
    """Whole words for Latin script ("tea" is not in "steak"); anywhere for scripts without spaces."""
    if not topic:
        return False
    if topic.isascii():
        return re.search(rf"(?<![0-9a-z]){re.escape(topic.casefold())}(?![0-9a-z])", text.casefold()) is not None
    return topic.casefold() in text.casefold()


def on_return(fold: Fold, claim: Claim) -> None:
    """Rule 12: "I'm back home" ends the overrides of a trip."""
    for cell in fold.own_all():
        for row in cell.running(fold.now):
            if row.trip:
                overrides.end(fold, cell, row, "return", cause=claim.id)
