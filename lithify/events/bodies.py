"""The bodies of internal events, one per event type."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from lithify.domain.claims import Claim, Polarity
from lithify.domain.claims import Command as SlotCommand
from lithify.domain.slots.state import VerdictKind
from lithify.events.inbound import CommandName, Role


class _Body(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A body has no tag of its own: the envelope names its type."""


class TurnBefore(_Body, frozen=True, kw_only=True):
    """The turn before, as context for "yes" and "no"."""

    turn_id: str
    role: Role
    content: str


class TurnScored(_Body, frozen=True, kw_only=True, omit_defaults=True):
    """`lithify-scored`: a turn, redacted, with its importance and the turn before."""

    turn_id: str
    session_id: str
    role: Role
    content: str
    importance: Annotated[int, Meta(ge=1, le=10)]
    reasons: tuple[str, ...] = ()
    speaker: str | None = None
    timezone: str = "UTC"
    index: int = 0
    before: TurnBefore | None = None
    redactions: dict[str, int] = {}
    """How many of each type were replaced."""
    skipped: bool = False
    """Nothing to read in it; it travels on so that it is accounted for."""


class SessionClosed(_Body, frozen=True, kw_only=True, omit_defaults=True):
    """`lithify-scored`, `lithify-claims`, `lithify-conflicts`: a session ended."""

    session_id: str
    ended_at: datetime
    computed: bool = False
    last_turn_id: str | None = None


class CommandAccepted(_Body, frozen=True, kw_only=True, omit_defaults=True):
    """`lithify-scored`: a command, redacted."""

    command: CommandName
    session_id: str
    text: str = ""
    subject: str = "user"
    attribute: str | None = None
    value: str | None = None
    fact_id: str | None = None
    timezone: str = "UTC"
    index: int = 0


class Reject(_Body, frozen=True, kw_only=True):
    """A candidate statement that did not become a claim."""

    code: str
    span: tuple[int, int]


class TurnExtracted(_Body, frozen=True, kw_only=True, omit_defaults=True):
    """`lithify-claims`: what one generation of extraction found in one turn or command, maybe nothing."""

    turn_id: str
    session_id: str
    outcome: str
    """stored n is decided later; here: accepted, no_facts, skipped, failed_transient, failed_permanent.

    Accepted without claims or commands: a later generation follows.
    """
    extractor: str
    """Name and version of what extracted."""
    generation: int = 0
    claims: tuple[Claim, ...] = ()
    commands: tuple[SlotCommand, ...] = ()
    """Commands about one slot."""
    rejects: tuple[Reject, ...] = ()


class Decision(_Body, frozen=True, kw_only=True, omit_defaults=True):
    """One verdict or conflict as others need to know it."""

    slot_id: str
    subject: str
    attribute: str
    kind: VerdictKind
    rule: str
    at: datetime
    value: str
    polarity: Polarity = Polarity.POSITIVE
    replaced: str | None = None
    fact_id: str | None = None
    claim_ids: tuple[str, ...] = ()
    trace: dict[str, float | int | str | bool | None] = {}


class TurnDecided(_Body, frozen=True, kw_only=True, omit_defaults=True):
    """`lithify-conflicts`: what became of one turn."""

    turn_id: str
    session_id: str
    outcome: str
    """stored, no_facts, skipped, failed_transient, failed_permanent; accepted: a model is still to read it."""
    stored: int = 0
    """Claims kept as evidence."""
    generation: int = 0
    decisions: tuple[Decision, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Ids of the conflict events this turn caused."""
    slots: tuple[str, ...] = ()
    """Slots it changed."""
    rejects: tuple[Reject, ...] = ()


class SlotChanged(_Body, frozen=True, kw_only=True, omit_defaults=True):
    """`lithify-facts`: the current state of one slot. Consumers ignore a version they have passed."""

    slot_id: str
    subject: str
    attribute: str
    version: int
    as_of: datetime
    facts: tuple[dict[str, Any], ...] = ()
    """Active at `as_of`: id, value, text, polarity, valid_from, valid_to, confidence."""
    overrides: tuple[dict[str, Any], ...] = ()
    """Running at `as_of`: id, value, text, polarity, started_at, ends_at, session_id."""


class DeadLetter(_Body, frozen=True, kw_only=True, omit_defaults=True):
    """`lithify-dead-letters`: what could not be processed, and why."""

    cause: str
    """Reason code."""
    detail: str
    worker: str
    topic: str
    partition: int
    offset: int
    attempts: int
    original: str
    """The original bytes, encrypted under the dead-letter key of the day (Fernet, ASCII)."""
    key: str | None = None
    """The original key, encrypted likewise."""
    stack: str | None = None
    """Where it was raised, encrypted likewise: a traceback may quote the event."""
    day: str | None = None
    """The day (UTC, ISO 8601) whose key encrypts all this; that key is destroyed with the letters of the day."""


class DeadLetterClosed(_Body, frozen=True, kw_only=True, omit_defaults=True):
    """`lithify-dead-letters`: what an operator did with a letter. It lies beside the letter, under the same key."""

    topic: str
    partition: int
    offset: int
    """The letter's: where the event stood that could not be processed."""
    letter_at: Annotated[datetime, Meta(tz=True)]
    """`received_at` of the letter: one that came later about the same place is open."""
    action: Literal["replayed", "dropped"]
    by: str
    """Who did it."""
    reason: str = ""


Body = (
    TurnScored
    | SessionClosed
    | CommandAccepted
    | TurnExtracted
    | TurnDecided
    | SlotChanged
    | DeadLetter
    | DeadLetterClosed
)

BODIES: dict[str, type[Body]] = {
    "turn_scored": TurnScored,
    "session_ended": SessionClosed,
    "command_accepted": CommandAccepted,
    "turn_extracted": TurnExtracted,
    "turn_decided": TurnDecided,
    "slot_changed": SlotChanged,
    "dead_letter": DeadLetter,
    "dead_letter_closed": DeadLetterClosed,
}
"""Every event type of the internal topics, declared once."""
