"""Whether a posterior means what it says: of the days at 0.9, nine in ten should be right."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.promotion.measure import wilson

EDGES = (0.0, 0.02, 0.1, 0.25, 0.5, 0.85, 1.0)


@dataclass(frozen=True, slots=True)
class Bin:
    """User-days whose posterior lies in [low, high)."""

    low: float
    high: float
    days: int
    users: int
    mean: float
    """Mean posterior."""
    right: float
    """Share of days on which the new value was lasting."""

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval as if each user counted once, since the days of one user are not independent."""
        return wilson(self.right * self.users, self.users)


def bins(users: Sequence[Sequence[tuple[float, bool]]], edges: Sequence[float] = EDGES) -> list[Bin]:
    """Group user-days by posterior.

    Args:
        users: of each user, the posterior of every day, and whether the new value was lasting on it.
        edges: ascending; the last bin includes its upper edge.
    """
    return [_bin(users, low, high) for low, high in itertools.pairwise(edges)]


def _bin(users: Sequence[Sequence[tuple[float, bool]]], low: float, high: float) -> Bin:
    closed = high == 1.0
    inside = [[day for day in days if low <= day[0] < high or (closed and day[0] == high)] for days in users]
    days = [day for user in inside for day in user]
    return Bin(
        low,
        high,
        days=len(days),
        users=sum(bool(user) for user in inside),
        mean=sum(value for value, _ in days) / max(1, len(days)),
        right=sum(right for _, right in days) / max(1, len(days)),
    )
