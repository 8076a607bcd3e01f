"""Contenders: how evidence gathers, when it promotes a value, and when a promotion is undone."""

from lithify.domain.claims import Claim
from lithify.domain.policy import PromotionPolicy
from lithify.domain.promotion import Observation
from lithify.domain.slots import overrides
from lithify.domain.slots.cell import Cell, Fold, Rank, Watch
from lithify.domain.slots.declarations import open_fact
from lithify.domain.slots.evidence import ContenderRow, Day, Track
from lithify.domain.slots.rows import Hold, Said, Stance
from lithify.domain.slots.state import Contender, VerdictKind
from lithify.domain.slots.verdicts import Number, ask, decide, settle


def note(fold: Fold, cell: Cell, claim: Claim, stance: Stance, *, cued: bool, strong: bool) -> None:
    """Enter a claim into the evidence of its cell. In a safety slot evidence never decides, so none is
    kept.
    """
    if fold.safety:
        return
    day = cell.book.day_of(claim.day_end, fold.rates)
    fold.at(day.end, Rank.DAY_END, cell, day)
    cell.book.speak(claim, fold.sessions.key(claim), stance, cued=cued, strong=strong, day=day)
    _support(fold, cell, claim, stance)


def guess(fold: Fold, cell: Cell, claim: Claim, stance: Stance) -> None:
    """Enter what a model inferred: it neither speaks nor counts for a gate."""
    if fold.safety:
        return
    day = cell.book.day_of(claim.day_end, fold.rates)
    fold.at(day.end, Rank.DAY_END, cell, day)
    day.guess = stance
    _support(fold, cell, claim, stance)


def _support(fold: Fold, cell: Cell, claim: Claim, stance: Stance) -> None:
    if cell.active is not None and cell.active.stance == stance:
        return
    row = cell.book.support(claim, stance)
    fold.at(row.last_support + fold.rates.window, Rank.SILENT, cell, stance)


def fall_silent(fold: Fold, cell: Cell, stance: Stance) -> bool:
    """A contender without new support for the whole window is dropped."""
    row = cell.book.contenders.get(stance)
    if row is None or row.last_support + fold.rates.window > fold.now:
        return False
    numbers = trace(fold, cell, row)
    void(fold, cell, stance)
    decide(
        fold,
        VerdictKind.LAPSED,
        "contender_silent",
        stance,
        row.claim_ids,
        cause=row.claim_ids[-1],
        trace=numbers,
    )
    return True


def void(fold: Fold, cell: Cell, stance: Stance) -> bool:
    """Void the evidence for one stance; whether there was any."""
    settle(cell, fold.now, stance, "contender")
    return cell.book.forget(stance)


def needed_days(cell: Cell, stance: Stance, rates: PromotionPolicy) -> int:
    """Distinct days a contender needs: more where it would not replace anything, since a habit has to
    form.
    """
    return rates.min_days if cell.contradicts(stance) else rates.min_days_empty


def trace(fold: Fold, cell: Cell, row: ContenderRow) -> dict[str, Number]:
    """The numbers of a contender, as if the running day ended now."""
    return {
        "days": len(cell.book.plain_days(row.stance, fold.now, fold.rates.window)),
        "needed_days": needed_days(cell, row.stance, fold.rates),
        "posterior": round(cell.book.posterior(row, fold.rates), 6),
        "threshold": fold.rates.threshold,
        "window_days": fold.rates.window.days,
    }


def freeze(fold: Fold, cell: Cell, row: ContenderRow) -> Contender:
    """The contender as readers see it."""
    return Contender(
        value=row.value,
        text=row.text,
        polarity=row.stance[1],
        posterior=cell.book.posterior(row, fold.rates),
        days=len(cell.book.plain_days(row.stance, fold.now, fold.rates.window)),
        needed_days=needed_days(cell, row.stance, fold.rates),
        threshold=fold.rates.threshold,
        first_support=row.first_support,
        last_support=row.last_support,
        claim_ids=tuple(row.claim_ids),
    )


def end_of_day(fold: Fold, cell: Cell, day: Day) -> bool:
    """Take a day into the filters, and promote, undo or ask where its gates are met."""
    book = cell.book
    if day.observed or day.end > fold.now or not any(other is day for other in book.days):
        return False
    observed = book.observe(day, fold.rates)
    if observed is None:
        return False
    if _undone(fold, cell, day, observed):
        return True
    spoken = [
        talk.last for talk in day.talks if talk.last and talk.supports(talk.last) and talk.plainly(talk.last)
    ]
    fresh = [row for stance, row in book.contenders.items() if stance in spoken]
    for row in sorted(fresh, key=lambda row: book.posterior(row, fold.rates), reverse=True):
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
        cell.book.posterior(row, rates) >= rates.threshold
        and len(cell.book.plain_days(row.stance, fold.now, rates.window)) >= needed
        and all(talk.supports(row.stance) for talk in latest)
    )


def promote(fold: Fold, cell: Cell, row: ContenderRow, day: Day) -> None:
    """The contender becomes the fact, from the midnight that ends the deciding day."""
    numbers = trace(fold, cell, row)
    posterior = cell.book.posterior(row, fold.rates)
    old, track = cell.active, row.track
    for item in [item for item in cell.overrides if not item.over and item.stance == row.stance]:
        overrides.end(fold, cell, item, "promoted", cause=row.claim_ids[-1])
    words = Said(
        cause=day.first_end.isoformat(),
        turn_id="",
        at=row.last_support,
        value=row.value,
        text=row.text,
        polarity=row.stance[1],
        claim_ids=tuple(row.claim_ids),
        quantity=row.quantity,
        valid_from=fold.now,
    )
    fact = open_fact(fold, cell, words, "evidence", posterior)
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


def _undone(fold: Fold, cell: Cell, day: Day, observed: tuple[Stance, Observation]) -> bool:
    """Rule 20: after a promotion its filter goes on; days for the old value may bring that back."""
    watch, rates = cell.watch, fold.rates
    if watch is None or cell.active is not watch.promoted or fold.now > watch.until:
        return False
    stance, seen = observed
    if stance != watch.promoted.stance:
        seen = Observation(supports=False, weak=seen.weak)
    watch.track.observe(day, cell.book.gap(day), seen, rates)
    posterior = watch.track.state.posterior
    days = len(cell.book.plain_days(watch.before.stance, fold.now, rates.window))
    if watch.promoted.pinned or posterior >= rates.undo_below or days < rates.undo_min_days:
        return False
    back = cell.book.contenders[watch.before.stance]
    words = Said(
        cause=day.first_end.isoformat(),
        turn_id="",
        at=back.last_support,
        value=watch.before.value,
        text=watch.before.text,
        polarity=watch.before.polarity,
        claim_ids=tuple(back.claim_ids),
        quantity=watch.before.quantity,
        valid_from=fold.now,
    )
    fact = open_fact(fold, cell, words, "undone", watch.before.confidence)
    numbers: dict[str, Number] = {
        "days": days,
        "needed_days": rates.undo_min_days,
        "posterior": round(posterior, 6),
        "undo_below": rates.undo_below,
    }
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
    return True


def _ask_about_contenders(fold: Fold, cell: Cell) -> bool:
    before = [row.until for row in cell.hints]
    for row in cell.book.contenders.values():
        if cell.book.posterior(row, fold.rates) >= fold.rates.clarify_at:
            ask(fold, cell, "contender", row.stance, row.claim_ids)
        else:
            settle(cell, fold.now, row.stance, "contender")
    return before != [row.until for row in cell.hints]


def _ask_about_unsupported(fold: Fold, cell: Cell, day: Day, observed: tuple[Stance, Observation]) -> bool:
    """Rule 19: a fact that none of the latest speaking days supported is worth a question."""
    fact, book = cell.active, cell.book
    if fact is None or observed[1].weak:
        return False
    if any(talk.supports(fact.stance) and talk.firsts[fact.stance] is day for talk in day.talks):
        book.unsupported.clear()
        settle(cell, fold.now, fact.stance, "unsupported")
        return False
    if not any(other is day for other in book.unsupported):
        book.unsupported.append(day)
    if len(book.unsupported) < fold.rates.unsupported_days or cell.standing(fact.stance, fold.now):
        return False
    ask(fold, cell, "unsupported", fact.stance, fact.claim_ids)
    return True


def best(cell: Cell, rates: PromotionPolicy) -> ContenderRow | None:
    """The most probable contender of the cell."""
    rows = cell.book.contenders.values()
    return max(
        rows, key=lambda row: (cell.book.posterior(row, rates), row.last_support, row.value), default=None
    )
