"""Contenders: how evidence gathers, when it promotes a value, and when a promotion is undone."""

from lithify.domain.claims import Claim, Evidence
from lithify.domain.policy import PromotionPolicy
from lithify.domain.slots.cell import Cell, Fold, Rank
from lithify.domain.slots.evidence import ContenderRow
from lithify.domain.slots.rows import Said, Stance
from lithify.domain.slots.state import Contender, VerdictKind
from lithify.domain.slots.verdicts import Number, decide, settle


def note(fold: Fold, cell: Cell, claim: Claim, stance: Stance, *, cued: bool, strong: bool) -> None:
    """Enter a claim into the evidence of its cell; a safety slot keeps none, for none decides there."""
    if fold.safety:
        return
    day = cell.book.day_of(claim.day_end, fold.rates)
    fold.at(cell.book.days[day].end, Rank.DAY_END, cell, cell.book.ends(day))
    cell.book.speak(claim, fold.sessions.key(claim), stance, cued=cued, strong=strong, day=day)
    _support(fold, cell, claim, stance)


def guess(fold: Fold, cell: Cell, claim: Claim, stance: Stance) -> None:
    """Enter what a model inferred: it neither speaks nor counts for a gate."""
    if fold.safety:
        return
    day = cell.book.day_of(claim.day_end, fold.rates)
    fold.at(cell.book.days[day].end, Rank.DAY_END, cell, cell.book.ends(day))
    cell.book.guess(stance, day)
    _support(fold, cell, claim, stance)


def _support(fold: Fold, cell: Cell, claim: Claim, stance: Stance) -> None:
    if cell.active is not None and cell.active.stance == stance:
        return
    row = cell.book.support(claim, stance, fold.regimes(cell, stance))
    fold.at(row.last_support + fold.rates.window, Rank.SILENT, cell, stance)


def is_silent(fold: Fold, cell: Cell, stance: Stance) -> bool:
    """Whether a contender had no new support for the whole window."""
    row = cell.book.contenders.get(stance)
    return row is not None and row.last_support + fold.rates.window <= fold.now


def fall_silent(fold: Fold, cell: Cell, stance: Stance) -> None:
    """Drop a silent contender."""
    row = cell.book.contenders[stance]
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


def void(fold: Fold, cell: Cell, stance: Stance, *, denied: bool = False) -> None:
    """Void the evidence for one stance, because the user denied that anything has changed, or for another reason."""
    settle(cell, fold.now, stance, "contender")
    cell.book.forget(stance, fold.now, denied=denied)


def needed_days(cell: Cell, stance: Stance, rates: PromotionPolicy) -> int:
    """Distinct days a contender needs: more where nothing is replaced, since a habit has to form."""
    return rates.min_days if cell.contradicts(stance) else rates.min_days_empty


def trace(fold: Fold, cell: Cell, row: ContenderRow) -> dict[str, Number]:
    """The numbers of a contender, as if the running day ended now."""
    return {
        "days": cell.book.plain_days(row.stance, cell.book.day_close(fold.now), fold.rates.window),
        "needed_days": needed_days(cell, row.stance, fold.rates),
        "posterior": round(cell.book.posterior(row), 6),
        "threshold": fold.rates.threshold,
        "window_days": fold.rates.window.days,
    }


def freeze(fold: Fold, cell: Cell, row: ContenderRow) -> Contender:
    """The contender as readers see it."""
    return Contender(
        value=row.value,
        text=row.text,
        polarity=row.stance[1],
        posterior=cell.book.posterior(row),
        days=cell.book.plain_days(row.stance, cell.book.day_close(fold.now), fold.rates.window),
        needed_days=needed_days(cell, row.stance, fold.rates),
        threshold=fold.rates.threshold,
        first_support=row.first_support,
        last_support=row.last_support,
        ends_at=row.last_support + fold.rates.window,
        claim_ids=tuple(row.claim_ids),
    )


def best(cell: Cell) -> ContenderRow | None:
    """The most probable contender of the cell."""
    rows = cell.book.contenders.values()
    return max(rows, key=lambda row: (cell.book.posterior(row), row.last_support, row.value), default=None)


def keep(fold: Fold, cell: Cell, claim: Evidence, words: Said, rule: str) -> None:
    """Record that `claim` changed nothing, by `rule`."""
    fact = cell.active
    replaced = fact.value if fact is not None and cell.contradicts(words.stance) else None
    row = cell.book.contenders.get(words.stance)
    numbers = trace(fold, cell, row) if row else {}
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
