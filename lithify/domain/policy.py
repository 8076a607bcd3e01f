"""The numbers of the rules: one frozen record, with meaning and unit, and a default for each.

A policy may differ per attribute; see `Policy.for_attribute`. Sources: design 4.4 and `docs/concepts/promotion.md`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from lithify.domain.claims import Basis

EPISODE_STAGES = 3
"""An episode passes through so many stages; that makes lengths near the mean likelier than very short or long ones."""
Grid = tuple[tuple[float, float], ...]
"""What an unknown rate may be: (rate, prior probability), the priors summing to 1."""


@dataclass(frozen=True, slots=True)
class PromotionPolicy:
    """When evidence makes a contender the fact.

    Raises:
        ValueError: a rate outside (0, 1), or priors that do not sum to 1.
    """

    threshold: float = 0.85
    """Posterior at or above which a contender may be promoted."""
    clarify_at: float = 0.5
    """Posterior at or above which a contender that is not promoted raises a clarify hint."""
    clarify_days_empty: int = 7
    """Days, counted as for `min_days_empty`, before a contender for an empty slot is worth a question."""
    min_days: int = 3
    """Distinct local days with an uncued supporting session, within `window`."""
    min_days_empty: int = 9
    """The same in a slot that holds nothing yet: a habit has to form (rule 21)."""
    window: timedelta = timedelta(days=30)
    """Bounds the day count and the life of a silent contender."""
    require_consecutive: bool = False
    """Ask of the last `min_days` speaking sessions, not only of the last, that they support the contender."""
    hazard: float = 1 / 240
    """Probability a day that a lasting value changes."""
    hazard_empty: float = 1 / 2000
    """The same where nothing is stored yet: that a habit begins (rule 21)."""
    episode_rate: float = 1 / 29
    """Probability a day that an episode (a trip, a guest, a diet week) begins."""
    episode_rate_empty: float = 1 / 20000
    """The same where nothing is stored yet: that a passing phase begins."""
    episode_days: float = 9.2
    """Mean length of an episode in days, at least 3; Erlang distributed with three stages."""
    new_in_episode: float = 0.95
    """Probability that a day of an episode shows the new value."""
    new_when_changed: float = 0.885
    """Probability that a day shows the new value once it changed."""
    deviation_rates: Grid = ((0.1, 0.68), (0.28, 0.32))
    """How often a day shows the new value though nothing changed: (probability a day, prior) of each kind of user."""
    cue_rates: Grid = ((0.01, 0.29), (0.1, 0.08), (0.26, 0.17), (0.48, 0.39), (0.61, 0.07))
    """How often passing use is marked as passing: (probability, prior) of each kind of user."""
    cue_noise: Grid = ((0.0025, 0.95), (0.15, 0.05))
    """How often lasting use is marked as passing: (probability, prior) of each kind of user."""
    cue_noise_empty: Grid = ((0.02, 1.0),)
    """The same where nothing is stored yet: uses marked as passing make no habit."""
    strong_factor: float = 0.2
    """What an uncued self statement or plain yes multiplies the stable likelihood by (rule 15)."""
    weak_exponent: float = 0.25
    """Exponent of an inferred claim's emission (rule 15)."""
    undo_window: timedelta = timedelta(days=60)
    """How long after a promotion by evidence its filter goes on (rule 20)."""
    undo_below: float = 0.15
    """Posterior below which a promotion by evidence is undone (rule 20)."""
    undo_min_days: int = 3
    """Days for the old value that undoing asks for besides (rule 20)."""
    unsupported_days: int = 10
    """A fact that none of its last so many speaking days supported gives a hint (rule 19)."""
    same_day: timedelta = timedelta(hours=20)
    """Day ends nearer than this are one day: a flight east makes two dates in one evening (rule 17)."""

    def __post_init__(self) -> None:
        for name in ("deviation_rates", "cue_rates", "cue_noise", "cue_noise_empty"):
            grid = tuple((float(rate), float(prior)) for rate, prior in getattr(self, name))
            object.__setattr__(self, name, grid)
            if not grid or abs(sum(prior for _, prior in grid) - 1.0) > 1e-9 or min(prior for _, prior in grid) < 0.0:
                raise ValueError(f"{name}: the priors must sum to 1: {grid}")
            _check(name, *(rate for rate, _ in grid))
        for name in _PROBABILITIES:
            _check(name, getattr(self, name))
        if self.episode_days < EPISODE_STAGES:
            raise ValueError(f"episode_days: at least {EPISODE_STAGES}, not {self.episode_days}")


_PROBABILITIES = (
    "hazard",
    "hazard_empty",
    "episode_rate",
    "episode_rate_empty",
    "new_in_episode",
    "new_when_changed",
    "strong_factor",
)


def _check(name: str, *rates: float) -> None:
    """A rate of 0 or 1 would leave the filter no way back from a surprise."""
    for rate in rates:
        if not 0.0 < rate < 1.0:
            raise ValueError(f"{name}: must lie between 0 and 1, both excluded, not {rate}")


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything the slot rules may be tuned by."""

    promotion: PromotionPolicy = field(default_factory=PromotionPolicy)
    override_idle: timedelta = timedelta(hours=6)
    """An override without a stated end lapses so long after its last mention, or with its session."""
    statement_life: timedelta = timedelta(days=7)
    """The override of an uncued contradicting self statement holds so long after its last mention (rule 7)."""
    trip_life: timedelta = timedelta(days=7)
    """"This trip" without a date holds so long after its last mention, or until a return cue."""
    hint_quiet: timedelta = timedelta(days=30)
    """A clarify hint answered no stays quiet so long (rule 9)."""
    confidence: Mapping[Basis, float] = field(
        default_factory=lambda: {
            Basis.INSTRUCTION: 0.95,
            Basis.CHANGE: 0.9,
            Basis.CONFIRMATION: 0.85,
            Basis.STATEMENT: 0.8,
        }
    )
    """Where a fact's confidence starts (rule 23)."""
    reinforcement: float = 0.2
    """Each mention adds this share of what is missing to `confidence_cap` (rule 23)."""
    confidence_cap: float = 0.99
    """What confidence approaches and never reaches by mentions (rule 23)."""
    attributes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Promotion settings that differ for an attribute, by field name."""

    def for_attribute(self, key: str) -> PromotionPolicy:
        """The promotion settings of one attribute.

        Raises:
            TypeError: an unknown field name.
            ValueError: an impossible value.
        """
        changed = self.attributes.get(key)
        return replace(self.promotion, **changed) if changed else self.promotion
