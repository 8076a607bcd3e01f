"""Where values compete, and what all rules share while a slot is folded.

A single-valued slot has one cell; a set has one cell a value, so that everything is per value. A safety
slot is folded as a set whatever its catalog entry says: two dangers never compete.
"""

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from itertools import count

from lithify.domain.catalog import Attribute, AttributeKind
from lithify.domain.claims import Cardinality, Polarity, Quantity
from lithify.domain.policy import Policy, PromotionPolicy
from lithify.domain.promotion import Regimes, regimes
from lithify.domain.slots.calendar import SessionIndex
from lithify.domain.slots.evidence import Book, Track
from lithify.domain.slots.rows import FactRow, HintRow, OverrideRow, Scheduled, Stance
from lithify.domain.slots.state import Conflict, Verdict


class Rank(IntEnum):
    """The order of timers at one instant; all of them run before the claims at it."""

    LAPSE = 0
    SILENT = 1
    SCHEDULED = 2
    DAY_END = 3


@dataclass(slots=True)
class Watch:
    """A promotion by evidence that may still be undone."""

    promoted: FactRow
    before: FactRow
    until: datetime
    track: Track


@dataclass(slots=True, eq=False)
class Cell:
    """One place of competition: at most one active fact, and what challenges it."""

    topic: str
    """The value in a set; empty in a single-valued slot."""
    book: Book
    facts: list[FactRow] = field(default_factory=list)
    active: FactRow | None = None
    overrides: list[OverrideRow] = field(default_factory=list)
    """All, oldest first; a later one lies on top."""
    open: list[OverrideRow] = field(default_factory=list)
    """Those that are not over, in the same order."""
    scheduled: list[Scheduled] = field(default_factory=list)
    hints: list[HintRow] = field(default_factory=list)
    """All, oldest first."""
    asked: list[HintRow] = field(default_factory=list)
    """Those that were not settled, in the same order."""
    quiet: dict[Stance, datetime] = field(default_factory=dict)
    """Until when no hint is raised about a stance."""
    watch: Watch | None = None

    def running(self, at: datetime) -> list[OverrideRow]:
        """Overrides that hold at `at` in some session, oldest first."""
        return [row for row in self.open if row.runs(at)]

    def pending(self, at: datetime) -> list[OverrideRow]:
        """Overrides that hold at `at` or will, oldest first."""
        return [row for row in self.open if at < row.ends_at]

    def standing(self, stance: Stance, at: datetime) -> bool:
        """Whether a clarify hint about `stance` stands."""
        return any(row.stance == stance and row.stands(at) for row in self.asked)

    def denies_another(self, stance: Stance) -> bool:
        """Whether `stance` denies another value than the stored one, which says nothing against that."""
        return self.active is not None and stance[1] is Polarity.NEGATIVE and self.active.value != stance[0]

    def contradicts(self, stance: Stance) -> bool:
        """Whether `stance` cannot hold beside the active fact."""
        fact = self.active
        if fact is None or fact.stance == stance:
            return False
        if fact.value == stance[0]:
            return True
        return fact.polarity is Polarity.POSITIVE and stance[1] is Polarity.POSITIVE


@dataclass(slots=True)
class Fold:
    """One running fold: its inputs, its cells, its timers, and what it has decided."""

    slot_id: str
    attribute: Attribute
    policy: Policy
    sessions: SessionIndex
    now: datetime
    cells: dict[str, Cell] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    timers: list[tuple[datetime, int, int, Cell, object]] = field(default_factory=list)
    rates: PromotionPolicy = field(init=False)
    _regimes: tuple[Regimes, Regimes] = field(init=False)
    """For a contender that would replace a value, and for one that would fill an empty slot."""
    _serial: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.rates = self.policy.for_attribute(self.attribute.key)
        self._regimes = (regimes(self.rates), regimes(self.rates, empty=True))

    @property
    def safety(self) -> bool:
        """Whether the slot holds dangers."""
        return self.attribute.kind is AttributeKind.SAFETY

    @property
    def per_value(self) -> bool:
        """Whether each value has its own cell."""
        return self.safety or self.attribute.cardinality is Cardinality.MULTI

    def cell(self, value: str) -> Cell:
        """The cell in which `value` competes."""
        topic = value if self.per_value else ""
        if topic not in self.cells:
            self.cells[topic] = Cell(topic, Book(self.now))
        return self.cells[topic]

    def regimes(self, cell: Cell, stance: Stance) -> Regimes:
        """What the filter of a contender for `stance` goes by: its own rates where it replaces nothing (rule 21)."""
        replaces, fills = self._regimes
        return replaces if cell.contradicts(stance) else fills

    def canonical(self, value: str, quantity: Quantity | None) -> str:
        """`value`, or the stored value that is the same number within the coarser rounding."""
        if quantity is None:
            return value
        for cell in self.cells.values():
            for other, known in _quantities(cell):
                if known is not None and _same_number(quantity, known):
                    return other
        return value

    def at(self, when: datetime, rank: Rank, cell: Cell, payload: object) -> None:
        """Set a timer."""
        heapq.heappush(self.timers, (when, rank, next(self._serial), cell, payload))


def _quantities(cell: Cell) -> Iterable[tuple[str, Quantity | None]]:
    if cell.active is not None:
        yield cell.active.value, cell.active.quantity
    for override in cell.open:
        yield override.value, override.quantity
    for contender in cell.book.contenders.values():
        yield contender.value, contender.quantity


def _same_number(one: Quantity, other: Quantity) -> bool:
    within = max(one.rounding, other.rounding) + 1e-9 * max(abs(one.number), abs(other.number))
    return one.unit == other.unit and abs(one.number - other.number) <= within
