"""What a turn may say, once it is understood: claims and commands, the evidence of slots.

A claim is read from the text alone (with the assistant turn before it). What it does to a slot is decided by
`lithify.domain.slots`, never here.
"""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

USER = "user"
"""The subject of claims about the user; any other subject is the normalised name of a third party."""


class Basis(StrEnum):
    """How strongly a claim was put, strongest first (design 4.2)."""

    INSTRUCTION = "instruction"
    CHANGE = "change"
    STATEMENT = "self_statement"
    CHOICE = "choice"
    CONFIRMATION = "confirmation"
    """A plain yes (positive) or no (negative) to what the assistant asked; with a permanent cue, an instruction."""
    INFERRED = "inferred"


class Cue(StrEnum):
    """Whether the words mark the claim as passing or lasting."""

    NONE = "none"
    TEMPORARY = "temporary"
    PERMANENT = "permanent"


class Scope(StrEnum):
    """How long a temporary claim without a stated end may hold."""

    SESSION = "session"
    NEXT_SESSION = "next_session"
    TRIP = "trip"


class Kind(StrEnum):
    """What a claim speaks about: a value, or earlier values of any slot of its subject."""

    VALUE = "value"
    WITHDRAWAL = "withdrawal"
    """A broad withdrawal: closes earlier values that match `topics`. Enters every slot of the subject."""
    RETURN = "return"
    """"I'm back home": ends trip overrides. Enters every slot of the subject."""


class Polarity(StrEnum):
    """Whether the claim is for its value or against it."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


class Cardinality(StrEnum):
    """Whether a slot holds one value or a set."""

    SINGLE = "single"
    MULTI = "multi"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, in the base unit of its dimension.

    `rounding` is half of the last digit as said, in the same unit: 3.1 mi is 4.989 km with rounding 0.08 km.
    """

    number: float
    unit: str
    rounding: float


@dataclass(frozen=True, slots=True)
class Claim:
    """One atomic candidate statement found in a turn.

    Evidence is ordered by (`occurred_at`, `turn_index`, `turn_id`, `ordinal`); see `order`.
    """

    id: str
    """UUIDv5 of (turn id, stage, generation, ordinal)."""
    turn_id: str
    session_id: str
    turn_index: int
    """Index of the turn in its session where the producer gave one, else 0."""
    ordinal: int
    """Index of the claim in its turn."""
    subject: str
    attribute: str
    """A catalog key, or a free attribute name."""
    value: str
    """Normalised (case, width, alias, language); equal values are equal strings."""
    text: str
    """The words of the turn that say the value, or imply it (a roast duck is meat)."""
    occurred_at: datetime
    """Aware, UTC: event time of the turn."""
    local_date: date
    """The user's local date at `occurred_at`."""
    day_end: datetime
    """Aware, UTC: the local midnight that ends `local_date`. Days are ordered by it."""
    polarity: Polarity = Polarity.POSITIVE
    kind: Kind = Kind.VALUE
    basis: Basis = Basis.STATEMENT
    cue: Cue = Cue.NONE
    scope: Scope = Scope.SESSION
    confidence: float = 0.8
    """Of the extraction, in [0, 1]; the fact's own confidence follows the rules."""
    span: tuple[int, int] = (0, 0)
    """Code points into the redacted text, half-open."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    """Aware, UTC, half-open, where the text states them."""
    quantity: Quantity | None = None
    topics: tuple[str, ...] = ()
    """Topic terms of a withdrawal."""
    relation: str | None = None
    """The third party's relation to the user, where said ("friend")."""
    cardinality: Cardinality | None = None
    """For a free attribute: what the wording suggests. The catalog decides for its own keys."""
    generation: int = 0
    """0: rules; higher: later extractions of the same turn. The fold uses each turn's highest."""


class CommandKind(StrEnum):
    """What a person or agent tells the memory itself about one slot."""

    REMEMBER = "remember"
    CORRECT = "correct"
    PIN = "pin"
    UNPIN = "unpin"
    APPROVE = "approve"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Command:
    """A command as evidence of one slot. Ordered among claims like a claim with ordinal 0."""

    id: str
    kind: CommandKind
    session_id: str
    turn_index: int
    subject: str
    attribute: str
    occurred_at: datetime
    local_date: date
    day_end: datetime
    value: str | None = None
    """None only where the command means the slot's present value (pin, unpin) or its contender (approve, reject)."""
    text: str = ""
    polarity: Polarity = Polarity.POSITIVE
    fact_id: str | None = None
    """For reject and correct: the fact meant, where the caller named one."""
    quantity: Quantity | None = None
    event_id: str = ""
    """The event that carried it, where that tells more than one slot something."""

    @property
    def turn_id(self) -> str:
        """The event that carried the command; commands are their own turns."""
        return self.event_id or self.id

    @property
    def ordinal(self) -> int:
        """Always 0: one command an event."""
        return 0


Evidence = Claim | Command


def order(item: Evidence) -> tuple[datetime, int, str, int]:
    """Sort key of evidence: event time, then the index in the session, then ids, never arrival."""
    return (item.occurred_at, item.turn_index, item.turn_id, item.ordinal)
