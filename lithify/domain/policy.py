"""The numbers of the rules: one frozen record, with meaning and unit, and a default for each.

A policy may differ per attribute; see `Policy.for_attribute`. Sources: design 4.4 and `docs/concepts/promotion.md`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from lithify.domain.claims import Basis


@dataclass(frozen=True, slots=True)
class PromotionPolicy:
    """When evidence makes a contender the fact."""

    threshold: float = 0.85
    """Posterior at or above which a contender may be promoted."""
    clarify_at: float = 0.5
    """Posterior at or above which a contender that is not promoted raises a clarify hint."""
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
    new_when_stable: float = 0.15
    """Probability that a day shows the new value though nothing changed (a deviation)."""
    new_when_changed: float = 0.9
    """Probability that a day shows the new value once it changed."""
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
        """The promotion settings of one attribute. An unknown field name raises TypeError."""
        changed = self.attributes.get(key)
        return replace(self.promotion, **changed) if changed else self.promotion
