"""The end of a day: evidence promotes a contender, undoes a promotion, or raises a question."""

from lithify.domain.promotion import Observation
from lithify.domain.slots import overrides
from lithify.domain.slots.cell import Cell, Fold, Watch
from lithify.domain.slots.contenders import needed_days, trace
from lithify.domain.slots.days import DayEnd, DayNumber
from lithify.domain.slots.declarations import open_fact
from lithify.domain.slots.evidence import ContenderRow, Track
from lithify.domain.slots.rows import Hold, Said, Stance
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import Number, ask, decide, settle


def is_over(fold: Fold, cell: Cell, timer: DayEnd) -> bool:
    """Whether a day waits to be taken in: it may have been already, may last longer by now, or be void."""
    if timer.book != cell.book.number:
        return False
    day = cell.book.days[timer.day]
    return not day.observed and day.end <= fold.now


def end_of_day(fold: Fold, cell: Cell, day: DayNumber) -> bool:
    """Take a day that is over into the filters, and promote, undo or ask where its gates are met."""
    book = cell.book
    observed = book.observe(day)
    if observed is None:
        return False
    if _undone(fold, cell, day, observed):
        return True
    talks = book.talks_on(day)
    spoken = [talk.last for talk in talks if talk.last and talk.supports(talk.last) and talk.plainly(talk.last)]
    fresh = [row for stance, row in book.contenders.items() if stance in spoken]
    for row in sorted(fresh, key=book.posterior, reverse=True):
        if _passes(fold, cell, row):
            promote(fold, cell, row, day)
            return True
    changed = _ask_about_contenders(fold, cell)
    return _ask_about_unsupported(fold, cell, day, observed) or changed


def _passes(fold: Fold, cell: Cell, row: ContenderRow) -> bool:
    rates, fact = fold.rates, cell.active
    if fact is not None and fact.pinned:
        return False
    if any(item.stance == row.stance and item.hold is Hold.STATED for item in cell.running(fold.now)):
        return False
    needed = needed_days(cell, row.stance, rates)
    latest = cell.book.latest_talks(rates.min_days if rates.require_consecutive else 1)
    return (
        cell.book.posterior(row) >= rates.threshold
        and cell.book.plain_days(row.stance, fold.now, rates.window) >= needed
        and all(talk.supports(row.stance) for talk in latest)
    )


def _words(fold: Fold, cell: Cell, row: ContenderRow, day: DayNumber) -> Said:
    """What the days up to `day` say for `row`, from now on."""
    return Said(
        cause=cell.book.days[day].first_end.isoformat(),
        turn_id="",
        at=row.last_support,
        value=row.value,
        text=row.text,
        polarity=row.stance[1],
        claim_ids=tuple(row.claim_ids),
        quantity=row.quantity,
        valid_from=fold.now,
    )


def promote(fold: Fold, cell: Cell, row: ContenderRow, day: DayNumber) -> None:
    """The contender becomes the fact, from the midnight that ends the deciding day."""
    numbers = trace(fold, cell, row)
    posterior = cell.book.posterior(row)
    old, track = cell.active, row.track
    for item in [item for item in cell.open if item.stance == row.stance]:
        overrides.end(fold, cell, item, "promoted", cause=row.claim_ids[-1])
    fact = open_fact(fold, cell, _words(fold, cell, row, day), "evidence", posterior)
    fact.mentions = len(row.claim_ids)
    if old is not None and track is not None:
        cell.watch = Watch(fact, old, fold.now + fold.rates.undo_window, Track(track.state, track.state))
    decide(
        fold,
        VerdictKind.PROMOTED,
        "evidence",
        row.stance,
        row.claim_ids,
        cause=fact.id,
        fact=fact,
        replaced=old.value if old else None,
        trace=numbers,
    )


def _undone(fold: Fold, cell: Cell, day: DayNumber, observed: tuple[Stance, Observation]) -> bool:
    """Rule 20: after a promotion its filter goes on; days for the old value may bring that back."""
    watch, rates = cell.watch, fold.rates
    if watch is None or cell.active is not watch.promoted or fold.now > watch.until:
        return False
    stance, seen = observed
    if stance != watch.promoted.stance:
        seen = Observation(supports=False, weak=seen.weak)
    watch.track.observe(day, cell.book.gap(day), seen)
    posterior = watch.track.state.posterior
    days = cell.book.plain_days(watch.before.stance, fold.now, rates.window)
    if watch.promoted.pinned or posterior >= rates.undo_below or days < rates.undo_min_days:
        return False
    numbers: dict[str, Number] = {
        "days": days,
        "needed_days": rates.undo_min_days,
        "posterior": round(posterior, 6),
        "undo_below": rates.undo_below,
    }
    _bring_back(fold, cell, day, watch, numbers)
    return True


def _bring_back(fold: Fold, cell: Cell, day: DayNumber, watch: Watch, numbers: dict[str, Number]) -> None:
    back = cell.book.contenders[watch.before.stance]
    fact = open_fact(fold, cell, _words(fold, cell, back, day), "evidence", watch.before.confidence)
    decide(
        fold,
        VerdictKind.RETRACTED,
        "undone",
        watch.promoted.stance,
        back.claim_ids,
        cause=fact.id,
        fact=fact,
        replaced=watch.promoted.value,
        trace=numbers,
    )


def _ask_about_contenders(fold: Fold, cell: Cell) -> bool:
    changed = False
    for row in cell.book.contenders.values():
        if _worth_asking(fold, cell, row):
            changed = ask(fold, cell, "contender", row.stance, row.claim_ids) or changed
        else:
            changed = settle(cell, fold.now, row.stance, "contender") or changed
    return changed


def _worth_asking(fold: Fold, cell: Cell, row: ContenderRow) -> bool:
    """Rule 19; in an empty slot nothing is wrong meanwhile, so the question waits until a habit is near."""
    if cell.book.posterior(row) < fold.rates.clarify_at:
        return False
    days = cell.book.plain_days(row.stance, fold.now, fold.rates.window)
    return cell.contradicts(row.stance) or days >= fold.rates.clarify_days_empty


def _ask_about_unsupported(fold: Fold, cell: Cell, day: DayNumber, observed: tuple[Stance, Observation]) -> bool:
    """Rule 19: a fact that none of the latest speaking days supported is worth a question."""
    fact, book = cell.active, cell.book
    if fact is None or observed[1].weak:
        return False
    if any(talk.supports(fact.stance) and talk.firsts[fact.stance] == day for talk in book.talks_on(day)):
        book.unsupported.clear()
        settle(cell, fold.now, fact.stance, "unsupported")
        return False
    if day not in book.unsupported:
        book.unsupported.append(day)
    enough = len(book.unsupported) >= fold.rates.unsupported_days
    return enough and ask(fold, cell, "unsupported", fact.stance, fact.claim_ids)
