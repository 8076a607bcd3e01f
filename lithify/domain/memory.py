"""What is known about one user, as a reader sees it: slots, episodes and the turns of the running session."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from lithify.domain.catalog import AttributeKind, Catalog
from lithify.domain.claims import Cardinality, Polarity
from lithify.domain.slots.state import Contender, Fact, Hint, Override

DECLARED = "declared"
"""End rule of a provisional value that was said to last: it will become the fact."""

STATED = "stated"
"""End rule of a provisional value that was stated: where nothing is stored against it, it will become the fact."""

BeliefKind = Literal["fact", "override", "provisional"]


@dataclass(frozen=True, slots=True)
class SlotView:
    """One slot as stored: every interval, so that any `as_of` can be read from it."""

    slot_id: str
    subject: str
    attribute: str
    facts: tuple[Fact, ...] = ()
    overrides: tuple[Override, ...] = ()
    """Oldest first; a later one lies on top."""
    contenders: tuple[Contender, ...] = ()
    hints: tuple[Hint, ...] = ()
    provisional: tuple[Override, ...] = ()
    """From turns that are not consolidated yet; oldest first, above every stored override."""

    def active(self, at: datetime) -> tuple[Fact, ...]:
        """Facts that hold at `at`."""
        return tuple(
            fact
            for fact in self.facts
            if not fact.corrected and fact.valid_from <= at and (fact.valid_to is None or at < fact.valid_to)
        )

    def running(self, at: datetime, session_id: str | None) -> tuple[Override, ...]:
        """Stored overrides that hold at `at` and are seen from `session_id`, oldest first."""
        return tuple(
            item
            for item in self.overrides
            if item.started_at <= at < item.ends_at and (item.session is None or item.session[0] == session_id)
        )

    def competing(self, at: datetime) -> tuple[Contender, ...]:
        """Contenders alive at `at`."""
        return tuple(item for item in self.contenders if item.first_support <= at < item.ends_at)

    def asked(self, at: datetime) -> tuple[Hint, ...]:
        """Hints that stand at `at`."""
        return tuple(hint for hint in self.hints if hint.since <= at and (hint.until is None or at < hint.until))


@dataclass(frozen=True, slots=True)
class Episode:
    """One coherent stretch of a session, summarised."""

    id: str
    session_id: str
    summary: str
    started_at: datetime
    ended_at: datetime
    importance: int = 5
    """1..10."""


@dataclass(frozen=True, slots=True)
class RecentTurn:
    """One turn of the running session."""

    role: str
    content: str
    occurred_at: datetime
    id: str | None = None
    speaker: str | None = None
    importance: int | None = None
    """1..10; None: not scored yet."""
    timezone: str | None = None
    """IANA name of the user's zone at that moment, where known."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Everything a context block may be made of."""

    slots: tuple[SlotView, ...] = ()
    episodes: tuple[Episode, ...] = ()
    turns: tuple[RecentTurn, ...] = ()
    """Of the running session, oldest first."""
    version: int = 0


@dataclass(frozen=True, slots=True)
class Belief:
    """One value that holds for a slot at one instant, and what it stands over."""

    kind: BeliefKind
    id: str
    slot_id: str
    subject: str
    attribute: str
    value: str
    text: str
    polarity: Polarity
    confidence: float
    since: datetime
    last_mention: datetime
    until: datetime | None = None
    session_only: bool = False
    stated_end: bool = False
    lasting: bool = False
    """Provisional, but said to last."""
    usually: tuple[Fact, ...] = ()
    """Facts an override hides."""


def beliefs(slot: SlotView, catalog: Catalog, at: datetime, session_id: str | None) -> tuple[Belief, ...]:
    """What holds in `slot` at `at`, seen from `session_id`: overrides over the facts they shadow.

    A single-valued slot shows its topmost override instead of its fact; in a set an override shadows the fact of its
    own value only (an attribute that is in no catalog is a set where it holds several facts). "Not V" shadows V and no
    other value. A fact of safety is never shadowed: the override is shown beside it. An override that says what the
    fact says changes nothing, so the fact is shown.
    """
    attribute = catalog.get(slot.attribute)
    facts = slot.active(at)
    single = attribute.cardinality is Cardinality.SINGLE and len(facts) <= 1
    on_top = _topmost(slot, at, session_id, single=single)
    shadowed: set[str] = set()
    shown: list[Belief] = []
    for kind, item in on_top:
        whole = single and item.polarity is Polarity.POSITIVE
        under = tuple(fact for fact in facts if whole or fact.value == item.value)
        if any(fact.value == item.value and fact.polarity is item.polarity for fact in under):
            continue
        if attribute.kind is not AttributeKind.SAFETY:
            shadowed.update(fact.id for fact in under)
        shown.append(_of_override(slot, kind, item, under))
    kept = [_of_fact(slot, fact) for fact in facts if fact.id not in shadowed]
    return (*kept, *shown)


def _topmost(
    slot: SlotView, at: datetime, session_id: str | None, *, single: bool
) -> list[tuple[BeliefKind, Override]]:
    stack: list[tuple[BeliefKind, Override]] = [("override", item) for item in slot.running(at, session_id)]
    stack += [("provisional", item) for item in slot.provisional]
    if single:
        return stack[-1:]
    by_value = {item.value: (kind, item) for kind, item in stack}
    return list(by_value.values())


def _of_fact(slot: SlotView, fact: Fact) -> Belief:
    return Belief(
        "fact",
        fact.id,
        slot.slot_id,
        slot.subject,
        slot.attribute,
        fact.value,
        fact.text,
        fact.polarity,
        fact.confidence,
        since=fact.valid_from,
        last_mention=fact.last_mention,
        until=fact.valid_to,
    )


def _of_override(slot: SlotView, kind: BeliefKind, item: Override, under: Iterable[Fact]) -> Belief:
    usually = tuple(under)
    lasting = kind == "provisional" and (item.end_rule == DECLARED or (item.end_rule == STATED and not usually))
    return Belief(
        kind,
        item.id,
        slot.slot_id,
        slot.subject,
        slot.attribute,
        item.value,
        item.text,
        item.polarity,
        0.9,
        since=item.started_at,
        last_mention=item.last_mention,
        until=None if lasting else item.ends_at,
        lasting=lasting,
        session_only=item.session is not None,
        stated_end=item.stated_end,
        usually=usually,
    )


def with_provisional(memory: Memory, found: Iterable[SlotView]) -> Memory:
    """`memory` with the provisional overrides of `found` laid over its slots; a slot not known yet is added."""
    slots = {(slot.subject, slot.attribute): slot for slot in memory.slots}
    for extra in found:
        key = (extra.subject, extra.attribute)
        known = slots.get(key, replace(extra, provisional=()))
        slots[key] = replace(known, provisional=(*known.provisional, *extra.provisional))
    return replace(memory, slots=tuple(slots.values()))
