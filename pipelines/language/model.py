"""What the language parts take and give: turns in, extractions and redacted texts out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from lithify.domain.claims import Claim


class Role(StrEnum):
    """Who wrote a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class TurnText:
    """One turn, as the extractors see it."""

    turn_id: str
    session_id: str
    content: str
    """Redacted text; spans of claims index into it."""
    occurred_at: datetime
    """Aware event time."""
    turn_index: int = 0
    """Index of the turn in its session where the producer gave one, else 0."""
    role: Role = Role.USER
    speaker: str | None = None
    """Who says "I", where it is not the user."""
    timezone: str = "UTC"
    """IANA name or UTC offset ("+08:00") of the user."""


class RejectCode(StrEnum):
    """Why words that look like a claim were not taken as one."""

    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    """If, would, a wish, a plan that may not come."""
    JOKE = "joke"
    QUOTE = "quote"
    """Somebody else's words, pasted or reported."""
    FICTION = "fiction"
    ROLE_PLAY = "role_play"
    ASSISTANT_TEXT = "assistant_text"
    """Said by the assistant, or written to look as if."""
    INJECTION = "injection"
    """Tries to give rights or to change the rules."""
    MEMORY = "memory"
    """Recalled memory that came back in the turn."""
    PAST = "past"
    """True once, with no stated interval."""
    HEDGED = "hedged"
    """"Maybe", "I think": not asserted; or within limits that a claim cannot say ("no coffee after five")."""
    NO_EVIDENCE = "no_evidence"
    """The span is not in the turn or does not hold the value's words."""
    UNRESOLVED = "unresolved"
    """Subject or value cannot be told from the words ("I love it")."""
    WRONG_SUBJECT = "wrong_subject"
    """A model took somebody else's for the user's."""
    TOO_LONG = "too_long"
    """Text beyond the limit of the extractor."""


@dataclass(frozen=True, slots=True)
class Reject:
    """One refusal: a code and where, never the words."""

    code: RejectCode
    span: tuple[int, int]
    """Code points into the redacted text, half-open."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in one turn."""

    claims: tuple[Claim, ...] = ()
    rejects: tuple[Reject, ...] = ()


class Extractor(Protocol):
    """Finds the claims of a turn. Pure for rules; a model extractor may stand beside them.

    The same turn gives the same claims, with the same ids.
    """

    def extract(self, turn: TurnText, before: TurnText | None) -> Extraction:
        """The claims of `turn`; `before` is the turn that came before it, where known."""
        ...


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose text it is: under which policy, and within which values are told to be equal."""

    tenant: str = "default"
    subject_key: str = ""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets."""

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many of each type were replaced."""


class Redactor(Protocol):
    """Replaces secrets and personal numbers by typed placeholders. Idempotent; never raises on any text."""

    def redact(self, text: str, owner: Owner = Owner(), cue: str = "") -> Redacted:
        """`text` with its secrets replaced, and how many of each type.

        Args:
            text: what somebody wrote.
            owner: who.
            cue: what the text is said to be, such as "password": it counts as written before it.
        """
        ...
