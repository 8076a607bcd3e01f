"""What a slot's fold yields: facts and overrides with their intervals, contenders, verdicts, hints."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lithify.domain.claims import Polarity, Quantity


class VerdictKind(StrEnum):
    """What the rules decided (design 1)."""

    ESTABLISHED = "established"
    KEPT = "kept"
    REINFORCED = "reinforced"
    OVERRIDDEN = "overridden"
    PROMOTED = "promoted"
    SUPERSEDED = "superseded"
    LAPSED = "lapsed"
    REJECTED = "rejected"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True)
class Fact:
    """What is believed about a slot over [valid_from, valid_to)."""

    id: str
    """UUIDv5(slot, value, id of the claim or the day that opened it); stable over refolds."""
    value: str
    text: str
    polarity: Polarity
    valid_from: datetime
    valid_to: datetime | None
    confidence: float
    opened_by: str
    """Rule that opened it: instruction, change, statement, confirmation, evidence, command."""
    claim_ids: tuple[str, ...]
    """Claims that opened or reinforced it, in evidence order."""
    last_mention: datetime
    mentions: int = 1
    pinned: bool = False
    superseded_by: str | None = None
    quantity: Quantity | None = None
    corrected: bool = False
    """True if a correction replaced it: it was never true, so no `as_of` shows it; `known_at` still does."""


@dataclass(frozen=True, slots=True)
class Override:
    """A value that wins over the fact during [started_at, ends_at)."""

    id: str
    value: str
    text: str
    polarity: Polarity
    started_at: datetime
    ends_at: datetime
    """When it lapses, or lapsed, if nothing more is said."""
    stated_end: bool
    session: tuple[str, datetime] | None
    """Seen only in this session (session_id, started_at); None: in every session."""
    claim_ids: tuple[str, ...]
    last_mention: datetime
    end_rule: str
    """Why it ends when it does: stated_end, session_end, idle, statement_life, trip_life, return,
    declared, ...
    """


@dataclass(frozen=True, slots=True)
class Contender:
    """A value that is gathering evidence."""

    value: str
    text: str
    polarity: Polarity
    posterior: float
    """P(changed for good | evidence), against all other values, not normalised over contenders."""
    days: int
    """Distinct uncued supporting days within the window."""
    needed_days: int
    threshold: float
    first_support: datetime
    last_support: datetime
    ends_at: datetime
    """When it is dropped if nothing more is said, or was promoted or voided."""
    claim_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One decision, with what caused it."""

    id: str
    """UUIDv5(slot, kind, rule, cause)."""
    kind: VerdictKind
    rule: str
    """Stable machine-readable code of the rule that decided."""
    at: datetime
    """When it takes effect."""
    value: str
    polarity: Polarity
    claim_ids: tuple[str, ...]
    """Never empty: the claims (or the command) that caused it."""
    fact_id: str | None = None
    """The fact it opened, reinforced, closed or returned to."""
    replaced: str | None = None
    """The value it replaces or stands over."""
    trace: dict[str, float | int | str | bool | None] = field(default_factory=dict)
    """The numbers behind it: days, needed_days, posterior, threshold, ends_at (ISO 8601), ..."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """This claim disagreed with that fact."""

    id: str
    """UUIDv5(claim id, fact id)."""
    at: datetime
    claim_id: str
    fact_id: str
    claim_turn_id: str
    fact_claim_id: str
    """The claim that opened the fact (its turn is the other side of the conflict)."""
    fact_value: str
    claim_value: str
    resolution: VerdictKind
    """overridden, superseded, kept (safety, pinned), ..."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Something worth asking the user."""

    code: str
    """contradiction, contender, unsupported, safety, pinned."""
    value: str
    polarity: Polarity
    against: str | None
    """The stored value, where there is one."""
    since: datetime
    until: datetime | None = None
    claim_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlotState:
    """A slot at the horizon: all that its evidence decides, past and already scheduled.

    Rows carry their own intervals, so a reader filters by `as_of`: facts by [valid_from, valid_to),
    overrides by [started_at, ends_at) and session.
    """

    slot_id: str
    facts: tuple[Fact, ...]
    """All intervals ever, oldest first, corrected ones included."""
    overrides: tuple[Override, ...]
    """All, oldest first (a later one lies on top)."""
    contenders: tuple[Contender, ...]
    """Those alive after the last evidence (or at `as_of`), each with when it ends."""
    verdicts: tuple[Verdict, ...]
    """In order of `at`."""
    conflicts: tuple[Conflict, ...]
    hints: tuple[Hint, ...]
    next_change_at: datetime | None
    """The first instant after the last evidence at which a timer changes something; None: never."""

    def active(self, at: datetime) -> tuple[Fact, ...]:
        """Facts that hold at `at`, oldest first."""
        return tuple(
            fact
            for fact in self.facts
            if not fact.corrected and fact.valid_from <= at and (fact.valid_to is None or at < fact.valid_to)
        )

    def running(self, at: datetime, session_id: str | None = None) -> tuple[Override, ...]:
        """Overrides that hold at `at` and are seen from `session_id` (None: only those seen everywhere)."""
        return tuple(
            item
            for item in self.overrides
            if item.started_at <= at < item.ends_at and (item.session is None or item.session[0] == session_id)
        )
