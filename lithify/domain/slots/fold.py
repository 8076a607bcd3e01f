"""The fold itself: evidence in event order, timers in between, and the state they leave."""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from lithify.domain.catalog import Attribute
from lithify.domain.claims import Claim, Command, Evidence, Kind, Polarity, order
from lithify.domain.policy import Policy
from lithify.domain.sessions import Session
from lithify.domain.slots import contenders, intervals, overrides, promotions
from lithify.domain.slots.broad import on_return, on_withdrawal
from lithify.domain.slots.calendar import SessionIndex
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.claims import on_value
from lithify.domain.slots.commands import on_command
from lithify.domain.slots.days import DayEnd
from lithify.domain.slots.evidence import ContenderRow
from lithify.domain.slots.rows import Lapse, Scheduled
from lithify.domain.slots.state import Contender, SlotState

Place = tuple[datetime, int, str, int, str]
NEVER = datetime.min.replace(tzinfo=UTC)
"""Before all evidence."""


def replay(
    slot_id: str,
    attribute: Attribute,
    evidence: Sequence[Evidence],
    sessions: Sequence[Session],
    policy: Policy,
    as_of: datetime | None = None,
) -> SlotState:
    """Decide a slot from all of its evidence.

    Args:
        slot_id: the slot, the root of every derived id.
        attribute: its catalog entry; for a free attribute the cardinality of the slot's first claim.
        evidence: claims and commands of the slot, and the broad withdrawals and return cues of its
        subject, in any
            order, duplicates allowed. Of each turn only the highest generation counts; a turn whose highest
            generation said nothing must be left out by the caller, who alone can know.
        sessions: the sessions of the subject; later ones decide when "next session" ends.
        policy: the numbers of the rules.
        as_of: None folds to the horizon: after the last evidence every timer runs out, so that lapses and
        the coming
            midnight's promotion are part of the state, with their future instants. An instant (aware)
            leaves out evidence and timers after it; overrides still carry their planned end.

    Returns:
        The state, equal for equal sets of evidence. Contenders are those alive after the last evidence (or at
        `as_of`), as if the running day ended now.
    """
    items = current(evidence, as_of)
    start = items[0].occurred_at if items else NEVER
    fold = Fold(slot_id, attribute, policy, SessionIndex(sessions, items), start)
    run(fold, items)
    return outlook(fold, as_of)


def run(fold: Fold, items: Iterable[Evidence]) -> None:
    """Take evidence in, given in order and later than all before, with the timers in between."""
    for item in items:
        _run_timers(fold, item.occurred_at)
        fold.now = item.occurred_at
        _apply(fold, item)


def outlook(fold: Fold, as_of: datetime | None) -> SlotState:
    """The state after the last evidence; timers run out, so the fold is spent. Arguments as for `replay`."""
    if as_of is not None:
        _run_timers(fold, as_of)
        fold.now = as_of
        state = _freeze(fold, _contenders(fold), None)
        return replace(state, next_change_at=_first_change(fold))
    alive = _contenders(fold)
    next_change = _first_change(fold)
    _run_timers(fold, None)
    return _freeze(fold, alive, next_change)


def current(evidence: Sequence[Evidence], as_of: datetime | None) -> list[Evidence]:
    """Evidence in order, each once, of each turn the highest generation."""
    highest: dict[str, int] = {}
    for item in evidence:
        highest[item.turn_id] = max(highest.get(item.turn_id, 0), generation_of(item))
    unique = {item.id: item for item in evidence if generation_of(item) == highest[item.turn_id]}
    known = [item for item in unique.values() if as_of is None or item.occurred_at <= as_of]
    return sorted(known, key=place_of)


def place_of(item: Evidence) -> Place:
    """Where an item stands among all evidence."""
    return (*order(item), item.id)


def generation_of(item: Evidence) -> int:
    """Which extraction of its turn an item is from; commands have but one."""
    return item.generation if isinstance(item, Claim) else 0


def _apply(fold: Fold, item: Evidence) -> None:
    if isinstance(item, Command):
        on_command(fold, item)
    elif item.kind is Kind.WITHDRAWAL:
        on_withdrawal(fold, item)
    elif item.kind is Kind.RETURN:
        on_return(fold, item)
    else:
        on_value(fold, item)


def _run_timers(fold: Fold, until: datetime | None) -> None:
    """Run every timer up to and including `until`; None: all of them."""
    while fold.timers and (until is None or fold.timers[0][0] <= until):
        _run_next(fold)


def _first_change(fold: Fold) -> datetime | None:
    """Run timers until one changes something, and say when that is."""
    while fold.timers:
        if _run_next(fold):
            return fold.now
    return None


def _run_next(fold: Fold) -> bool:
    when, _, _, topic, payload = heapq.heappop(fold.timers)
    fold.now = max(fold.now, when)
    return _due(fold, fold.cells[topic], payload) and _fire(fold, fold.own(topic), payload)


def _due(fold: Fold, cell: Cell, payload: object) -> bool:
    """Whether what a timer was set for is still to come about."""
    match payload:
        case Lapse():
            return overrides.is_over(fold, cell, payload)
        case Scheduled():
            return payload in cell.scheduled
        case DayEnd():
            return promotions.is_over(fold, cell, payload)
        case (str(value), Polarity() as polarity):
            return contenders.is_silent(fold, cell, (value, polarity))
        case _:
            raise TypeError(f"no such timer: {payload!r}")


def _fire(fold: Fold, cell: Cell, payload: object) -> bool:
    """Let a timer that is due take effect; whether it changed anything."""
    match payload:
        case Lapse(override_id):
            overrides.lapse(fold, cell, override_id)
        case Scheduled():
            intervals.take_effect(fold, cell, payload)
        case DayEnd(day=day):
            return promotions.end_of_day(fold, cell, day)
        case (str(value), Polarity() as polarity):
            contenders.fall_silent(fold, cell, (value, polarity))
    return True


def _contenders(fold: Fold) -> list[tuple[Contender, ContenderRow]]:
    """Those alive now, most probable first, each with the row that will know how it ended."""
    topics = [topic for topic, cell in fold.cells.items() if cell.book.contenders]
    rows = [(cell, row) for cell in map(fold.own, topics) for row in cell.book.contenders.values()]
    frozen = [(contenders.freeze(fold, cell, row), row) for cell, row in rows]
    return sorted(frozen, key=lambda pair: (-pair[0].posterior, pair[0].value, pair[0].polarity))


def _freeze(fold: Fold, alive: list[tuple[Contender, ContenderRow]], next_change: datetime | None) -> SlotState:
    cells = fold.freeze()
    facts = [fact for rows, _, _ in cells for fact in rows]
    laid = [override for _, rows, _ in cells for override in rows]
    hints = [hint for _, _, rows in cells for hint in rows]
    return SlotState(
        slot_id=fold.slot_id,
        facts=tuple(sorted(facts, key=lambda fact: fact.valid_from)),
        overrides=tuple(sorted(laid, key=lambda row: row.started_at)),
        contenders=tuple(replace(item, ends_at=row.ended_at or item.ends_at) for item, row in alive),
        verdicts=tuple(sorted(fold.verdicts, key=lambda verdict: verdict.at)),
        conflicts=tuple(fold.conflicts.values()),
        hints=tuple(sorted(hints, key=lambda hint: hint.since)),
        next_change_at=next_change,
    )
