"""Counts and rates over simulated users, with what chance alone would allow."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from benchmarks.promotion.outcomes import Outcome

_Z = 1.959964
"""Two-sided 95 %."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of users, with its 95 % Wilson interval."""

    hits: int
    of: int

    @property
    def value(self) -> float:
        """The share, in [0, 1]; 0 of nobody."""
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's score interval (1927), in [0, 1]."""
        return wilson(self.hits, self.of)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.value:.1f} ({100 * low:.1f}-{100 * high:.1f})"


def wilson(hits: float, of: float) -> tuple[float, float]:
    """Wilson's score interval at 95 % for `hits` of `of` trials; of no trials, all of [0, 1]."""
    if of <= 0:
        return 0.0, 1.0
    share = hits / of
    middle = share + _Z**2 / (2 * of)
    spread = _Z * sqrt(share * (1 - share) / of + _Z**2 / (4 * of**2))
    scale = 1 + _Z**2 / of
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


@dataclass(frozen=True, slots=True)
class Measured:
    """How one rule did in one world."""

    false: Rate
    """Unchanged users who saw a false promotion in 60 days."""
    early: Rate
    """Changers who saw a false promotion, before their change or after it."""
    missed: Rate
    delays: tuple[int, ...]
    """In days, ascending, of the changers whose change was noticed."""
    sessions: tuple[int, ...]
    """The same in sessions about the slot."""
    wrong_days: float
    """Mean days wrong per unchanged user with a false promotion; 0 where there is none."""
    undone: Rate
    """Noticed changes that were taken back although they were true."""
    questions: float
    """Clarify hints per unchanged user."""

    @property
    def worst(self) -> Rate:
        """The larger of the two rates of false promotion."""
        return max(self.false, self.early, key=lambda rate: rate.value)


def measure(unchanged: Sequence[Outcome], changed: Sequence[Outcome]) -> Measured:
    """Summarise the outcomes of one rule in one world."""
    found = [outcome for outcome in changed if outcome.delay is not None]
    wrong = [outcome.wrong_days for outcome in unchanged if outcome.false]
    return Measured(
        false=Rate(len(wrong), len(unchanged)),
        early=Rate(sum(outcome.false for outcome in changed), len(changed)),
        missed=Rate(sum(outcome.missed for outcome in changed), len(changed)),
        delays=tuple(sorted(outcome.delay for outcome in found if outcome.delay is not None)),
        sessions=tuple(sorted(outcome.sessions for outcome in found if outcome.sessions is not None)),
        wrong_days=sum(wrong) / len(wrong) if wrong else 0.0,
        undone=Rate(sum(outcome.undone for outcome in found), len(found)),
        questions=sum(outcome.questions for outcome in unchanged) / max(1, len(unchanged)),
    )


def quantile(ordered: Sequence[int], share: float) -> int | None:
    """The value below or at which `share` of an ascending sequence lies; None of an empty one."""
    if not ordered:
        return None
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
