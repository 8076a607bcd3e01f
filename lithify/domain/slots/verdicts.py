"""What the fold writes down: verdicts with their numbers, conflicts, and hints worth asking about."""

from collections.abc import Iterable
from datetime import datetime

from lithify.domain.claims import Evidence
from lithify.domain.ids import derive
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.rows import FactRow, HintRow, OverrideRow, Stance
from lithify.domain.slots.state import Conflict, Verdict, VerdictKind

Number = float | int | str | bool | None


def decide(
    fold: Fold,
    kind: VerdictKind,
    rule: str,
    stance: Stance,
    claim_ids: Iterable[str],
    *,
    cause: str,
    fact: FactRow | None = None,
    replaced: str | None = None,
    trace: dict[str, Number] | None = None,
) -> Verdict:
    """Record a verdict that takes effect now.

    Args:
        fold: the running fold.
        kind: what was decided.
        rule: stable code of the rule.
        stance: the value and side it is about.
        claim_ids: what caused it, never empty.
        cause: the claim, command, override or day that tells this verdict from others of its kind and rule.
        fact: the fact it opened, reinforced, closed or returned to.
        replaced: the value it replaces or stands over.
        trace: the numbers behind it.
    """
    verdict = Verdict(
        id=derive(fold.slot_id, "verdict", kind, rule, cause, *stance),
        kind=kind,
        rule=rule,
        at=fold.now,
        value=stance[0],
        polarity=stance[1],
        claim_ids=tuple(claim_ids),
        fact_id=fact.id if fact else None,
        replaced=replaced,
        trace=trace or {},
    )
    fold.verdicts.append(verdict)
    return verdict


def clash(fold: Fold, item: Evidence, value: str, fact: FactRow, resolution: VerdictKind) -> None:
    """Record that `item` disagreed with `fact`."""
    key = derive("conflict", item.id, fact.id)
    fold.conflicts[key] = Conflict(
        id=key,
        at=item.occurred_at,
        claim_id=item.id,
        fact_id=fact.id,
        claim_turn_id=item.turn_id,
        fact_claim_id=fact.claim_ids[0],
        fact_value=fact.value,
        claim_value=value,
        resolution=resolution,
    )


def ask(
    fold: Fold,
    cell: Cell,
    code: str,
    stance: Stance,
    claim_ids: Iterable[str],
    *,
    until: datetime | None = None,
) -> bool:
    """Raise a clarify hint, or add to the one that stands; a stance that was answered no stays quiet.

    Returns:
        Whether a hint was raised.
    """
    if cell.quiet.get(stance, fold.now) > fold.now:
        return False
    for row in cell.asked:
        if row.code == code and row.stance == stance and row.stands(fold.now):
            row.claim_ids.extend(claim for claim in claim_ids if claim not in row.claim_ids)
            row.until = until
            return False
    against = cell.active.value if cell.active else None
    hint = HintRow(code, *stance, against, fold.now, list(claim_ids), until)
    cell.hints.append(hint)
    cell.asked.append(hint)
    return True


def settle(cell: Cell, at: datetime, stance: Stance | None = None, code: str | None = None) -> bool:
    """End the hints that stand, all or those of one stance and code; whether there were any."""
    ended = [row for row in cell.asked if stance in (None, row.stance) and code in (None, row.code)]
    for row in ended:
        if row.stands(at):
            row.until = at
        cell.asked.remove(row)
    return bool(ended)


def override_trace(row: OverrideRow) -> dict[str, Number]:
    """The numbers of an override."""
    return {"ends_at": row.ends_at.isoformat(), "end_rule": row.end_rule, "everywhere": row.session is None}
