"""Where values compete, and what all rules share while a slot is folded.

A single-valued slot has one cell; a set has one cell a value, so that everything is per value. A safety
slot is folded as a set whatever its catalog entry says: two dangers never compete.
"""

import heapq
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum

from lithify.domain.catalog import Attribute, AttributeKind
from lithify.domain.claims import Cardinality, Polarity, Quantity
from lithify.domain.policy import Policy, PromotionPolicy
from lithify.domain.promotion import Regimes, regimes
from lithify.domain.slots.calendar import SessionIndex
from lithify.domain.slots.evidence import Book, Track
from lithify.domain.slots.rows import FactRow, HintRow, OverrideRow, Scheduled, Stance
from lithify.domain.slots.state import Conflict, Fact, Hint, Override, Verdict


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


Frozen = tuple[list[Fact], list[Override], list[Hint]]
"""The rows of one cell as readers see them."""


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
    frozen: Frozen | None = None
    """Its rows as readers see them, kept once nobody may change the cell any more."""

    def fork(self) -> "Cell":
        """The same, to be taken further on its own; what is over for good is shared."""
        facts = {id(row): row.fork() for row in self.facts}
        laid = {id(row): row.fork() for row in self.open}
        asked = {id(row): row.fork() for row in self.asked}
        cell = Cell(self.topic, self.book.fork())
        cell.facts, cell.open, cell.asked = list(facts.values()), list(laid.values()), list(asked.values())
        cell.active = facts[id(self.active)] if self.active is not None else None
        cell.overrides = [laid.get(id(row), row) for row in self.overrides]
        cell.hints = [asked.get(id(row), row) for row in self.hints]
        cell.scheduled, cell.quiet = self.scheduled.copy(), self.quiet.copy()
        if self.watch is not None:
            promoted, before = facts[id(self.watch.promoted)], facts[id(self.watch.before)]
            cell.watch = Watch(promoted, before, self.watch.until, self.watch.track.fork())
        return cell

    def freeze(self) -> Frozen:
        """Its rows as readers see them."""
        return (
            [row.freeze() for row in self.facts],
            [row.freeze() for row in self.overrides],
            [row.freeze() for row in self.hints],
        )

    def laid(self, override_id: str) -> OverrideRow | None:
        """An override that is not over."""
        return next((row for row in self.open if row.id == override_id), None)

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
    """One running fold: its inputs, its cells, its timers, and what it has decided.

    A fork shares each cell with the fold it came from until it takes the cell to change it.
    """

    slot_id: str
    attribute: Attribute
    policy: Policy
    sessions: SessionIndex
    now: datetime
    cells: dict[str, Cell] = field(default_factory=dict)
    """To be read only; `cell` and `own` give one that may be changed."""
    verdicts: list[Verdict] = field(default_factory=list)
    conflicts: dict[str, Conflict] = field(default_factory=dict)
    timers: list[tuple[datetime, int, int, str, object]] = field(default_factory=list)
    """When, rank, serial number, topic of the cell, and what the timer is about; a heap."""
    rates: PromotionPolicy = field(init=False)
    _regimes: tuple[Regimes, Regimes] = field(init=False)
    """For a contender that would replace a value, and for one that would fill an empty slot."""
    _serial: int = 0
    _owned: set[str] = field(default_factory=set)
    """Topics of the cells that are this fold's own."""

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
            self._owned.add(topic)
        return self.own(topic)

    def held(self, value: str) -> Cell | None:
        """The same, where something was said of it already: asking must not begin a cell."""
        topic = value if self.per_value else ""
        return self.own(topic) if topic in self.cells else None

    def own(self, topic: str) -> Cell:
        """The cell of `topic`, to be changed."""
        if topic not in self._owned:
            self.cells[topic] = self.cells[topic].fork()
            self._owned.add(topic)
        return self.cells[topic]

    def own_all(self) -> list[Cell]:
        """Every cell, to be changed."""
        return [self.own(topic) for topic in self.cells]

    def fork(self, sessions: SessionIndex | None = None) -> "Fold":
        """The same, to be taken further on its own; this one may be read and forked, but not taken further.

        Args:
            sessions: what the fork asks for sessions, by default the same.
        """
        fold = copy(self)
        fold.sessions = sessions if sessions is not None else self.sessions.fork()
        fold.cells, fold._owned = self.cells.copy(), set()
        fold.verdicts, fold.conflicts, fold.timers = self.verdicts.copy(), self.conflicts.copy(), self.timers.copy()
        return fold

    def freeze(self) -> list[Frozen]:
        """The rows of every cell as readers see them."""
        return [self._frozen(topic, cell) for topic, cell in self.cells.items()]

    def _frozen(self, topic: str, cell: Cell) -> Frozen:
        if topic in self._owned:
            return cell.freeze()
        if cell.frozen is None:
            cell.frozen = cell.freeze()
        return cell.frozen

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
        heapq.heappush(self.timers, (when, rank, self._serial, cell.topic, payload))
        self._serial += 1


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
