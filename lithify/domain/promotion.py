"""Promotion by evidence: how probable it is that a value has changed for good.

A forward filter over the days on which a slot was spoken of. The fold carries a `Filter` from day to day
through `advance`; which regimes it distinguishes is this module's secret.
"""

from dataclasses import dataclass

from lithify.domain.policy import PromotionPolicy


@dataclass(frozen=True, slots=True)
class Observation:
    """What one day said about one contender."""

    supports: bool
    """Whether the day's last speaking session was for it; False: for another value."""
    cued: bool = False
    """All supports of the day were marked as passing."""
    strong: bool = False
    """An uncued self statement or a plain yes was among them."""
    weak: bool = False
    """Nothing but a guess was observed."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Probabilities of the regimes given all days so far; they sum to 1."""

    stable: float = 1.0
    changed: float = 0.0

    @property
    def posterior(self) -> float:
        """P(changed for good | days so far), in [0, 1]."""
        return self.changed


ANOTHER = Observation(supports=False)
"""A day that spoke for another value: all that the base state of a slot ever sees."""


def advance(state: Filter, gap: int, seen: Observation, policy: PromotionPolicy) -> Filter:
    """One step of the forward filter: `gap` days pass, then a day is observed.

    Args:
        state: the filter after the last observed day.
        gap: days since then, at least 1.
        seen: what the day said.
        policy: rates and likelihoods; `hazard` is per day.
    """
    stayed = state.stable * (1.0 - policy.hazard) ** gap
    stable_likelihood, changed_likelihood = _emission(seen, policy)
    stable = stayed * stable_likelihood
    changed = (1.0 - stayed) * changed_likelihood
    total = stable + changed
    return Filter(stable / total, changed / total)


def _emission(seen: Observation, policy: PromotionPolicy) -> tuple[float, float]:
    if seen.supports and seen.cued:
        return 1.0, 1.0
    stable, changed = policy.new_when_stable, policy.new_when_changed
    if not seen.supports:
        stable, changed = 1.0 - stable, 1.0 - changed
    elif seen.strong:
        stable *= policy.strong_factor
    if seen.weak:
        stable, changed = stable**policy.weak_exponent, changed**policy.weak_exponent
    return stable, changed
