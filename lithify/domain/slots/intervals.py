"""Facts whose time was said: those that begin later, and those that are over."""

from datetime import datetime

from lithify.domain.claims import Claim, Evidence
from lithify.domain.slots.cell import Cell, Fold, Rank
from lithify.domain.slots.declarations import declare, new_fact, rule_of, start_anew
from lithify.domain.slots.denials import set_aside
from lithify.domain.slots.rows import UNKNOWN_START, FactRow, Said, Scheduled
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import Number, clash, decide, settle


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


def take_effect(fold: Fold, cell: Cell, item: Scheduled) -> bool:
    """The instant of a scheduled fact has come; whether it still counts."""
    if item not in cell.scheduled:
        return False
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
    if cell.denies_another(item.said.stance):
        set_aside(fold, cell, item.claim, item.said, lasting=True)
        return True
    if old is not None and contradicted:
        clash(fold, item.claim, item.said.value, old, VerdictKind.SUPERSEDED)
    kind = VerdictKind.SUPERSEDED if contradicted else VerdictKind.ESTABLISHED
    basis = item.claim.basis
    confidence = fold.policy.confidence[basis]
    declare(fold, cell, item.said, "scheduled", kind=kind, opened_by=rule_of(basis), confidence=confidence)
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
    row = new_fact(fold, words, rule_of(claim.basis), fold.policy.confidence[claim.basis])
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
