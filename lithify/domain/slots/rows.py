"""The mutable rows of a running fold, and how each is frozen into the slot's state.

Rows live for one fold and its forks only; nothing outside this package sees them.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from lithify.domain.claims import Basis, Claim, Command, Evidence, Polarity, Quantity
from lithify.domain.slots.state import Fact, Hint, Override

FOREVER = datetime(9999, 12, 31, tzinfo=UTC)
"""Ends what waits for an event that nobody can date, such as the user's next session."""
UNKNOWN_START = datetime(1900, 1, 1, tzinfo=UTC)
"""Begins an interval of which only the end was said."""

Stance = tuple[str, Polarity]
"""A value, and whether one is for it or against it: what competes in a slot."""
SessionKey = tuple[str, datetime]


@dataclass(frozen=True, slots=True)
class Said:
    """What a claim, a command or a day of evidence says, as far as facts and overrides need it."""

    cause: str
    """Id of the claim or command, or the day (ISO 8601) that decided."""
    turn_id: str
    at: datetime
    value: str
    text: str
    polarity: Polarity
    claim_ids: tuple[str, ...]
    quantity: Quantity | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    @property
    def stance(self) -> Stance:
        """The value and the side taken."""
        return (self.value, self.polarity)

    @property
    def since(self) -> datetime:
        """When it holds from: as stated, else when it was said."""
        return self.valid_from or self.at


def said(item: Evidence, value: str) -> Said:
    """What `item` says, with `value` in place of its own (the same number in other words)."""
    text = item.text or value
    common = (item.id, item.turn_id, item.occurred_at, value, text, item.polarity, (item.id,), item.quantity)
    if isinstance(item, Command):
        return Said(*common)
    return Said(*common, valid_from=item.valid_from, valid_to=item.valid_to)


@dataclass(slots=True, eq=False)
class FactRow:
    """A fact while it may still change."""

    id: str
    value: str
    text: str
    polarity: Polarity
    valid_from: datetime
    opened_at: datetime
    """When it came to be believed; `valid_from` may lie before."""
    turn_id: str
    confidence: float
    opened_by: str
    claim_ids: list[str]
    last_mention: datetime
    quantity: Quantity | None = None
    valid_to: datetime | None = None
    mentions: int = 1
    pinned: bool = False
    superseded_by: str | None = None
    corrected: bool = False

    @property
    def stance(self) -> Stance:
        """The value and the side taken."""
        return (self.value, self.polarity)

    def close(self, at: datetime, by: str | None = None) -> None:
        """End the interval at `at`, never before it began; an earlier end stays."""
        end = max(self.valid_from, at)
        if self.valid_to is None or end < self.valid_to:
            self.valid_to = end
            self.superseded_by = by or self.superseded_by

    def fork(self) -> "FactRow":
        """The same, to be changed on its own."""
        return replace(self, claim_ids=self.claim_ids.copy())

    def freeze(self) -> Fact:
        """The fact as readers see it."""
        return Fact(
            id=self.id,
            value=self.value,
            text=self.text,
            polarity=self.polarity,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            confidence=self.confidence,
            opened_by=self.opened_by,
            claim_ids=tuple(self.claim_ids),
            last_mention=self.last_mention,
            mentions=self.mentions,
            pinned=self.pinned,
            superseded_by=self.superseded_by,
            quantity=self.quantity,
            corrected=self.corrected,
        )


class Hold(StrEnum):
    """What an override's end hangs on."""

    SESSION = "session"
    NEXT_SESSION = "next_session"
    STATEMENT = "statement"
    TRIP = "trip"
    STATED = "stated"


@dataclass(slots=True, eq=False)
class OverrideRow:
    """An override while it may still change."""

    id: str
    value: str
    text: str
    polarity: Polarity
    started_at: datetime
    hold: Hold
    ends_at: datetime
    end_rule: str
    session: SessionKey | None
    claim_ids: list[str]
    last_mention: datetime
    quantity: Quantity | None = None
    trip: bool = False
    """Said of a trip: a return cue ends it, also before a stated end."""
    over: bool = False
    """Once it is, nothing changes it any more."""
    frozen: Override | None = None
    """As readers see it, kept once it is over."""

    @property
    def stance(self) -> Stance:
        """The value and the side taken."""
        return (self.value, self.polarity)

    def runs(self, at: datetime) -> bool:
        """Whether it holds at `at`, in whichever session."""
        return not self.over and self.started_at <= at < self.ends_at

    def seen_from(self, session: SessionKey) -> bool:
        """Whether a reader in `session` sees it."""
        return self.session is None or self.session == session

    def rivals(self, stance: Stance) -> bool:
        """Whether a lasting word for `stance` settles it: what is so, any; what is not so, its own value only."""
        return stance[1] is Polarity.POSITIVE or stance[0] == self.value

    def fork(self) -> "OverrideRow":
        """The same, to be changed on its own."""
        return replace(self, claim_ids=self.claim_ids.copy())

    def freeze(self) -> Override:
        """The override as readers see it."""
        if self.frozen is not None:
            return self.frozen
        override = Override(
            id=self.id,
            value=self.value,
            text=self.text,
            polarity=self.polarity,
            started_at=self.started_at,
            ends_at=self.ends_at,
            stated_end=self.hold is Hold.STATED,
            session=self.session,
            claim_ids=tuple(self.claim_ids),
            last_mention=self.last_mention,
            end_rule=self.end_rule,
        )
        if self.over:
            self.frozen = override
        return override


@dataclass(frozen=True, slots=True)
class Lapse:
    """A timer: an override may have come to its end."""

    override_id: str


@dataclass(slots=True, eq=False)
class HintRow:
    """A clarify hint while it may still end."""

    code: str
    value: str
    polarity: Polarity
    against: str | None
    since: datetime
    claim_ids: list[str]
    until: datetime | None = None

    @property
    def stance(self) -> Stance:
        """What the answer would be about."""
        return (self.value, self.polarity)

    def stands(self, at: datetime) -> bool:
        """Whether it is still worth asking at `at`."""
        return self.until is None or at < self.until

    def fork(self) -> "HintRow":
        """The same, to be changed on its own."""
        return replace(self, claim_ids=self.claim_ids.copy())

    def freeze(self) -> Hint:
        """The hint as readers see it."""
        return Hint(self.code, self.value, self.polarity, self.against, self.since, self.until, tuple(self.claim_ids))


@dataclass(frozen=True, slots=True, eq=False)
class Scheduled:
    """A declaration or statement that takes effect later."""

    said: Said
    claim: Claim
    basis: Basis
    """As the cell read it when it was said."""
