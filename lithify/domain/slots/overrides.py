"""Overrides: how a passing value is laid over a fact, how long it holds, and how it ends."""

from dataclasses import replace
from datetime import datetime

from lithify.domain.claims import Basis, Claim, Cue, Evidence, Scope
from lithify.domain.ids import derive
from lithify.domain.slots.cell import Cell, Fold, Rank
from lithify.domain.slots.rows import FOREVER, Hold, Lapse, OverrideRow, Said, SessionKey, Stance
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import decide, override_trace, settle

_REACH = [Hold.SESSION, Hold.NEXT_SESSION, Hold.STATEMENT, Hold.TRIP, Hold.STATED]
"""A mention with a farther reach lifts the override to it; a nearer one only refreshes it."""

_SAID = (Hold.STATED, Hold.NEXT_SESSION)
"""Holds whose end is in the words, so that saying them again sets it anew."""


def passing(claim: Claim) -> bool:
    """Whether the words themselves mark `claim` as passing."""
    ends_later = claim.valid_to is not None and claim.valid_to > claim.occurred_at
    return claim.cue is Cue.TEMPORARY or claim.scope is not Scope.SESSION or ends_later


def hold_of(claim: Claim) -> Hold:
    """What the end of an override opened by `claim` hangs on."""
    if claim.valid_to is not None and claim.valid_to > claim.occurred_at:
        return Hold.STATED
    if claim.scope is Scope.NEXT_SESSION:
        return Hold.NEXT_SESSION
    if claim.scope is Scope.TRIP:
        return Hold.TRIP
    if claim.cue is Cue.TEMPORARY or claim.basis not in (Basis.STATEMENT, Basis.CONFIRMATION):
        return Hold.SESSION
    return Hold.STATEMENT


def lay(fold: Fold, cell: Cell, item: Evidence, said: Said, hold: Hold, *, trip: bool = False) -> OverrideRow:
    """Lay `said` over the cell: a new override on top, or a mention of the one that already says so.

    An equal override that others were laid over is closed and opened anew on top, so that the interval of
    each stays true.
    """
    row = _same(cell, said.stance, fold.sessions.key(item), fold.now, hold)
    if row is None:
        return _open(fold, cell, item, said, hold, trip=trip)
    if _on_top(cell, row, fold.now):
        return _mention(fold, cell, row, item, said, hold=hold, trip=trip)
    planned = row.ends_at
    end(fold, cell, row, "restated", cause=item.id)
    if row.hold is Hold.STATED and said.valid_to is None:
        said = replace(said, valid_to=planned)
    held = Hold.SESSION if row.hold is Hold.NEXT_SESSION else row.hold  # the next session is this one by now
    return _open(fold, cell, item, said, max(hold, held, key=_REACH.index), trip=trip or row.trip)


def _open(fold: Fold, cell: Cell, item: Evidence, said: Said, hold: Hold, *, trip: bool) -> OverrideRow:
    row = OverrideRow(
        id=derive(fold.slot_id, "override", *said.stance, item.id),
        value=said.value,
        text=said.text,
        polarity=said.polarity,
        started_at=max(said.since, fold.now),
        hold=hold,
        ends_at=FOREVER,
        end_rule=hold.value,
        session=None,
        claim_ids=[item.id],
        last_mention=fold.now,
        quantity=said.quantity,
        trip=trip,
    )
    cell.overrides.append(row)
    cell.open.append(row)
    _set_end(fold, cell, row, item, said)
    return row


def _mention(
    fold: Fold, cell: Cell, row: OverrideRow, item: Evidence, said: Said, *, hold: Hold, trip: bool
) -> OverrideRow:
    row.claim_ids.append(item.id)
    row.last_mention = fold.now
    farther = _REACH.index(hold) > _REACH.index(row.hold)
    if farther:
        row.hold = hold
    row.trip = row.trip or trip
    _set_end(fold, cell, row, item, said if farther or hold in _SAID else None)
    return row


def _same(cell: Cell, stance: Stance, session: SessionKey, at: datetime, hold: Hold) -> OverrideRow | None:
    """The override that says `stance` here already; one not yet begun is met by words of its kind only."""
    found = [
        row
        for row in cell.open
        if row.stance == stance
        and ((hold is not Hold.NEXT_SESSION and row.runs(at)) or (at < row.started_at and row.hold is hold))
    ]
    return next((row for row in reversed(found) if at < row.started_at or row.seen_from(session)), None)


def _on_top(cell: Cell, row: OverrideRow, at: datetime) -> bool:
    """Whether no other value is laid over `row`: readers see the one that began last."""
    running = sorted(cell.running(at), key=lambda other: other.started_at)
    return row not in running or all(other.stance == row.stance for other in running[running.index(row) :])


def _set_end(fold: Fold, cell: Cell, row: OverrideRow, item: Evidence, said: Said | None) -> None:
    """Work out when `row` lapses, and set the timer. `said` is given where its words set the hold anew."""
    policy, mention = fold.policy, max(row.last_mention, row.started_at)
    if row.hold is Hold.STATED:
        if said is not None and said.valid_to is not None:
            row.ends_at = max(said.valid_to, row.started_at)
        row.session, row.end_rule = None, "stated_end"
    elif row.hold is Hold.TRIP:
        row.session, row.ends_at, row.end_rule = None, mention + policy.trip_life, "trip_life"
    elif row.hold is Hold.STATEMENT:
        row.session, row.ends_at, row.end_rule = None, mention + policy.statement_life, "statement_life"
    elif row.hold is Hold.NEXT_SESSION:
        if said is not None:
            _set_next_session(fold, row, item)
    else:
        _set_session(fold, row, item)
    if row.ends_at < FOREVER:
        fold.at(row.ends_at, Rank.LAPSE, cell, Lapse(row.id))


def _set_session(fold: Fold, row: OverrideRow, item: Evidence) -> None:
    idle = max(row.last_mention, row.started_at) + fold.policy.override_idle
    if row.started_at > fold.now:
        row.session, row.ends_at, row.end_rule = None, idle, "idle"
        return
    session = fold.sessions.of(item)
    row.session = session.key
    row.ends_at, row.end_rule = min((session.ended_at, "session_end"), (idle, "idle"))


def _set_next_session(fold: Fold, row: OverrideRow, item: Evidence) -> None:
    """From the end of the session that said so to the end of the next; open while that is unknown."""
    here, there = fold.sessions.of(item), fold.sessions.after(row.last_mention)
    row.end_rule = "next_session_end"
    if there is None:
        row.started_at, row.ends_at, row.session = here.ended_at, FOREVER, None
    else:
        row.started_at = min(here.ended_at, there.started_at)
        row.ends_at, row.session = there.ended_at, there.key


def end(fold: Fold, cell: Cell, row: OverrideRow, rule: str, *, cause: str) -> None:
    """End an override before its time, because of `cause`."""
    _close(cell, row)
    row.ends_at, row.end_rule = max(row.started_at, fold.now), rule
    _ended(fold, cell, row, (*row.claim_ids, cause))


def is_over(fold: Fold, cell: Cell, timer: Lapse) -> bool:
    """Whether an override has come to its end; a later mention may have moved that."""
    row = cell.laid(timer.override_id)
    return row is not None and row.ends_at <= fold.now


def lapse(fold: Fold, cell: Cell, override_id: str) -> None:
    """End an override at its time."""
    row = cell.laid(override_id)
    assert row is not None
    _close(cell, row)
    _ended(fold, cell, row, row.claim_ids)


def _close(cell: Cell, row: OverrideRow) -> None:
    row.over = True
    cell.open.remove(row)


def _ended(fold: Fold, cell: Cell, row: OverrideRow, claim_ids: tuple[str, ...] | list[str]) -> None:
    if not any(other.stance == row.stance for other in cell.running(fold.now)):
        settle(cell, fold.now, row.stance, "contradiction")
    fact = cell.active
    decide(
        fold,
        VerdictKind.LAPSED,
        row.end_rule,
        row.stance,
        dict.fromkeys(claim_ids),
        cause=row.id,
        fact=fact,
        replaced=row.value,
        trace=override_trace(row) | {"returns_to": fact.value if fact else None},
    )
