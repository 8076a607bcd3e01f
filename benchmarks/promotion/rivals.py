"""Simpler rules, for comparison: last write wins, k of n days, and a Beta-Binomial posterior.

Each reads the same uses as the product, believes one value at a time, and may change its mind any day.
"""

from collections.abc import Callable
from functools import lru_cache
from math import comb

from benchmarks.promotion.outcomes import Belief
from benchmarks.promotion.worlds import OLD, Use, User

Rule = Callable[[User], list[Belief]]
WINDOW = 30


def last_write_wins(user: User) -> list[Belief]:
    """What was used last without a mark is the fact, at once."""
    return _follow(user, lambda use, _: use.value)


def days_in_window(user: User, needed: int = 5) -> list[Belief]:
    """A value used on `needed` distinct days of 30, marked or not, is the fact."""

    def decide(use: Use, past: list[Use]) -> str | None:
        days = {item.day for item in past if item.value == use.value and use.day - item.day < WINDOW}
        return use.value if len(days) >= needed else None

    return _follow(user, decide, cued=True)


def beta_binomial(user: User, threshold: float = 0.85) -> list[Belief]:
    """A value that most probably makes up the greater half of the last 30 days' uses is the fact.

    The share of uses has a Beta(1, 1) prior; marked uses are left out, and three distinct days are asked for.
    """

    def decide(use: Use, past: list[Use]) -> str | None:
        near = [item for item in past if use.day - item.day < WINDOW and not item.cued]
        days = {item.day for item in near if item.value == use.value}
        ours = sum(item.value == use.value for item in near)
        return use.value if len(days) >= 3 and _beyond_half(ours, len(near) - ours) >= threshold else None

    return _follow(user, decide)


@lru_cache(maxsize=65536)
def _beyond_half(ours: int, others: int) -> float:
    """P(share > 1/2 | Beta(ours + 1, others + 1)), by the binomial identity of the incomplete beta function."""
    trials = ours + others + 1
    ways: int = sum(comb(trials, k) for k in range(ours + 1))
    return ways / float(2**trials)


def _follow(user: User, decide: Callable[[Use, list[Use]], str | None], *, cued: bool = False) -> list[Belief]:
    held: str | None = None if user.world.empty else OLD
    beliefs: list[Belief] = []
    past: list[Use] = []
    for use in user.uses:
        past.append(use)
        value = decide(use, past) if cued or not use.cued else None
        if value is None or value == held:
            continue
        if beliefs:
            last = beliefs[-1]
            beliefs[-1] = Belief(last.value, last.day, use.day)
        beliefs.append(Belief(value, use.day))
        held = value
    return beliefs


RIVALS: dict[str, Rule] = {
    "last write wins": last_write_wins,
    "5 of 30 days": days_in_window,
    "Beta-Binomial": beta_binomial,
}
