"""The attribute catalog: what kinds of thing are remembered, and how each behaves.

The catalog's content is data (`schemas/catalog/attributes.json`); here is its shape.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lithify.domain.claims import Cardinality


class AttributeKind(StrEnum):
    """What an attribute says about its subject."""

    IDENTITY = "identity"
    STATE = "state"
    PREFERENCE = "preference"
    CONSTRAINT = "constraint"
    """A rule for the agent, always injected first."""
    SAFETY = "safety"
    """Allergy, illness, medication: only an instruction or a confirmed answer takes one away."""


class Sensitivity(StrEnum):
    """How a value may be shown."""

    NORMAL = "normal"
    PERSONAL = "personal"
    HIGH = "high"
    """Rendered masked."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One catalog entry."""

    key: str
    kind: AttributeKind
    cardinality: Cardinality
    name_en: str
    name_zh: str
    sensitivity: Sensitivity = Sensitivity.NORMAL
    half_life_days: float = 180.0
    """After which an unmentioned value has lost half of its activation."""
    is_a: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Value to the broader values it is one of ("latte": ("coffee",)). Transitive."""
    words_zh: Mapping[str, str] = field(default_factory=dict)
    """Normalised value to how it is called in Chinese, where the catalog knows."""
    topics: tuple[str, ...] = ()
    """Words that bring it up though they do not name it ("lunch" for diet), in both languages."""

    def ancestors(self, value: str) -> frozenset[str]:
        """Every broader value of `value`, itself excluded. A cycle in the data ends the walk."""
        seen: set[str] = set()
        todo = list(self.is_a.get(value, ()))
        while todo:
            parent = todo.pop()
            if parent not in seen:
                seen.add(parent)
                todo.extend(self.is_a.get(parent, ()))
        return frozenset(seen - {value})


@dataclass(frozen=True, slots=True)
class Catalog:
    """All attributes by key."""

    attributes: Mapping[str, Attribute]

    def get(self, key: str, hint: Cardinality | None = None) -> Attribute:
        """The attribute of `key`; an unknown one is a preference with the cardinality its first claim suggests."""
        known = self.attributes.get(key)
        if known is not None:
            return known
        return Attribute(key, AttributeKind.PREFERENCE, hint or Cardinality.SINGLE, key, key)
