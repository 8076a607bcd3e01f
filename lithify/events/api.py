"""What the gateway is asked and answers: one model for server, client and documentation, so that they cannot drift."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from lithify.domain.claims import Polarity
from lithify.events.bodies import Decision
from lithify.events.inbound import Aware, Id, Role, Tenant

MAX_BATCH = 100
"""Most turns in one request."""
MAX_BODY_BYTES = 2_097_152
"""Largest request body."""
MAX_EVENT_BYTES = 1_990_000
"""Largest event as JSON; the topic takes two million bytes with key and headers."""

Lang = Literal["en", "zh"]


class _Model(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request or reply; unknown fields are ignored, so that old clients read new servers."""


class _Strict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A request: a misspelt field is an error, not silence."""


class Accepted(_Model, frozen=True, kw_only=True):
    """One event that the broker has acknowledged."""

    id: str
    occurred_at: datetime


class AcceptedReply(_Model, frozen=True, kw_only=True):
    """The events of one request, in its order."""

    accepted: tuple[Accepted, ...]


class EndSession(_Strict, frozen=True, kw_only=True, omit_defaults=True):
    """Ends a session."""

    user_id: Id
    tenant: Tenant = "default"
    occurred_at: Aware | None = None
    """When it ended; now by default."""
    id: Id | None = None
    """Of the event; made when absent."""


class TurnOutcome(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a turn or command."""

    id: str
    outcome: str
    """accepted, stored, no_facts, skipped, failed_transient, failed_permanent, dead."""
    stored: int = 0
    """Claims kept as evidence."""
    decisions: tuple[Decision, ...] = ()
    rejects: tuple[str, ...] = ()
    """Codes of what was read but not taken as a claim."""
    cause: str | None = None
    """Of a dead event: why it could not be processed."""
    detail: str | None = None


class ContextTurn(_Strict, frozen=True, kw_only=True, omit_defaults=True):
    """A recent turn of the running session, which the workers may not have seen yet."""

    role: Role
    content: str
    occurred_at: Aware | None = None
    id: Id | None = None
    speaker: Annotated[str, Meta(max_length=256)] | None = None
    timezone: Annotated[str, Meta(max_length=64)] | None = None


class ContextRequest(_Strict, frozen=True, kw_only=True, omit_defaults=True):
    """Asks for a context block."""

    user_id: Id
    tenant: Tenant = "default"
    session_id: Id | None = None
    """The running session: its overrides apply, and its stored turns are shown."""
    turns: Annotated[tuple[ContextTurn, ...], Meta(max_length=MAX_BATCH)] = ()
    """Oldest first; stored turns of the session are added where they are missing."""
    query: Annotated[str, Meta(max_length=8192)] | None = None
    """What the agent is about to answer. None: everything, by recency x confidence."""
    budget_tokens: Annotated[int, Meta(ge=1, le=1_000_000)] = 1500
    lang: Lang | None = None
    """None: the language of the user's recent turns."""
    as_of: Aware | None = None
    """None: now."""


class ContextItem(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """One thing the block shows."""

    kind: str
    """constraint, safety, fact, override, provisional, episode, hint, summary, turn."""
    line: str
    score: float
    """Activation in [0, 1]."""
    id: str | None = None
    attribute: str | None = None
    subject: str | None = None


class Notice(_Model, frozen=True, kw_only=True):
    """Something the caller should know about how an answer came about."""

    code: str
    """no_embedder, embedder_slow, embedder_failed, turns_cut, items_cut."""
    detail: str


class ContextReply(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """A context block."""

    block: str
    tokens: int
    """Estimate; never above the budget asked for."""
    version: int
    """Of what is believed about the user; the same version gives the same beliefs."""
    lang: Lang
    items: tuple[ContextItem, ...] = ()
    notices: tuple[Notice, ...] = ()


class FactView(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """A fact over [valid_from, valid_to)."""

    id: str
    slot_id: str
    subject: str
    attribute: str
    value: str
    text: str
    polarity: Polarity
    valid_from: datetime
    valid_to: datetime | None = None
    confidence: float
    opened_by: str
    mentions: int = 1
    last_mention: datetime
    pinned: bool = False
    corrected: bool = False
    superseded_by: str | None = None


class OverrideView(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """A value that wins over the fact during [started_at, ends_at)."""

    id: str
    slot_id: str
    subject: str
    attribute: str
    value: str
    text: str
    polarity: Polarity
    started_at: datetime
    ends_at: datetime
    stated_end: bool
    end_rule: str
    last_mention: datetime
    session_id: str | None = None
    """Seen only in this session; None: in every session."""


class ContenderView(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """A value that is gathering evidence, with how far it is."""

    slot_id: str
    subject: str
    attribute: str
    value: str
    text: str
    polarity: Polarity
    posterior: float
    threshold: float
    days: int
    needed_days: int
    first_support: datetime
    last_support: datetime
    ends_at: datetime
    """When it is dropped if nothing more is said."""
    sentence: str = ""
    """How far it has come, and what would change that, in the language that was asked for."""


class HintView(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """Something worth asking the user."""

    slot_id: str
    subject: str
    attribute: str
    code: str
    value: str
    polarity: Polarity
    against: str | None = None
    since: datetime
    until: datetime | None = None
    question: str = ""
    """The same for a person."""


class FactsReply(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """What is believed about a user."""

    version: int
    as_of: datetime
    known_at: datetime | None = None
    facts: tuple[FactView, ...] = ()
    overrides: tuple[OverrideView, ...] = ()
    contenders: tuple[ContenderView, ...] = ()
    hints: tuple[HintView, ...] = ()


class ClaimView(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """A claim or command, with the words it was read from."""

    id: str
    turn_id: str
    session_id: str
    kind: str
    occurred_at: datetime
    value: str | None = None
    polarity: str | None = None
    basis: str | None = None
    cue: str | None = None
    span: tuple[int, int] | None = None
    """Code points into the turn, half-open."""
    quote: str | None = None
    """The words of the span; None once the turn is gone."""


class VerdictView(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """What the rules decided, and from what."""

    id: str
    kind: str
    rule: str
    at: datetime
    value: str
    polarity: Polarity
    claim_ids: tuple[str, ...] = ()
    fact_id: str | None = None
    replaced: str | None = None
    trace: dict[str, Any] = {}
    sentence: str = ""
    """The same for a person."""


class ConflictView(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """This claim disagreed with that fact."""

    id: str
    at: datetime
    claim_id: str
    fact_id: str
    claim_turn_id: str
    fact_claim_id: str
    claim_value: str
    fact_value: str
    resolution: str


class Provenance(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """A fact and everything it rests on."""

    fact: FactView
    claims: tuple[ClaimView, ...] = ()
    verdicts: tuple[VerdictView, ...] = ()
    conflicts: tuple[ConflictView, ...] = ()


class Explanation(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """Why a slot stands as it does."""

    slot_id: str
    subject: str
    attribute: str
    facts: tuple[FactView, ...] = ()
    """Every interval, oldest first."""
    overrides: tuple[OverrideView, ...] = ()
    contenders: tuple[ContenderView, ...] = ()
    hints: tuple[HintView, ...] = ()
    verdicts: tuple[VerdictView, ...] = ()
    """In order of time."""
    conflicts: tuple[ConflictView, ...] = ()
    claims: tuple[ClaimView, ...] = ()


class Fault(_Model, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong."""

    code: str
    """invalid, not_found, budget_too_small, too_large, unauthorized, forbidden_host, forbidden_origin, unavailable,
    internal.
    """
    message: str
    field: str | None = None
    """Where in the input, as a path: "[3].content", "user_id"."""


class FaultReply(_Model, frozen=True, kw_only=True):
    """The one shape of every error."""

    error: Fault


class Ready(_Model, frozen=True, kw_only=True):
    """Which parts can be reached."""

    ready: bool
    database: str
    """"ok", or why not."""
    broker: str
    """"ok", or why not."""
