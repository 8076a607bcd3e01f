"""From a received event to what is passed on: redacted, and for turns with an importance."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from lithify.domain.text import clean, is_empty, named
from lithify.events import Command, CommandAccepted, CommandName, SessionClosed, SessionEnded, Turn, TurnScored
from pipelines.failures import Cause, Poison
from pipelines.inbound import Received
from pipelines.language.model import Owner, Redacted, Redactor

ScoredBody = TurnScored | SessionClosed | CommandAccepted


class Importance(Protocol):
    """A score and the reasons for it."""

    @property
    def score(self) -> int:
        """1 to 10."""
        ...

    @property
    def reasons(self) -> tuple[str, ...]:
        """Stable codes."""
        ...


Rate = Callable[[str], Importance]
"""Redacted text to importance."""


@dataclass(frozen=True, slots=True)
class Scored:
    """An event as it will be passed on; a turn still lacks the turn before it."""

    received: Received
    body: ScoredBody

    @property
    def key(self) -> tuple[str, str]:
        """(tenant, event id)."""
        return (self.received.event.tenant, self.received.event.id)


class Scorer:
    """Redacts first: nothing after this sees what the redactor took out."""

    def __init__(self, redactor: Redactor, rate: Rate, default_timezone: str) -> None:
        self._redactor = redactor
        self._rate = rate
        self._timezone = default_timezone

    def score(self, received: Received) -> Scored:
        """The body to pass on.

        Raises:
            Poison: a command that this release cannot carry out.
        """
        event = received.event
        if isinstance(event, Turn):
            return Scored(received, self._turn(event, _owner(received)))
        if isinstance(event, SessionEnded):
            return Scored(received, _closed(event, received))
        return Scored(received, self._command(event, _owner(received)))

    def _turn(self, turn: Turn, owner: Owner) -> TurnScored:
        redacted = self._redact(turn.text(), owner)
        skipped = is_empty(redacted.text)
        rated = self._rate(redacted.text)
        return TurnScored(
            turn_id=turn.id,
            session_id=turn.session_id,
            role=turn.role,
            content=redacted.text,
            importance=1 if skipped else rated.score,
            reasons=() if skipped else rated.reasons,
            speaker=named(self._redact(turn.speaker, owner).text) if turn.speaker else None,
            timezone=turn.timezone or self._timezone,
            index=turn.index,
            redactions=dict(redacted.counts),
            skipped=skipped,
        )

    def _command(self, command: Command, owner: Owner) -> CommandAccepted:
        if command.command is CommandName.FORGET:
            raise Poison(Cause.NOT_SUPPORTED, "forget: this release cannot erase yet; replay after the upgrade")
        return CommandAccepted(
            command=command.command,
            session_id=command.session_id,
            text=self._redact(command.text, owner).text,
            subject=self._redact(command.subject, owner).text,
            attribute=self._redact(command.attribute, owner).text if command.attribute else None,
            value=self._redact(command.value, owner, command.attribute or "").text if command.value else None,
            fact_id=command.fact_id,
            timezone=command.timezone or self._timezone,
            index=command.index,
        )

    def _redact(self, text: str, owner: Owner, cue: str = "") -> Redacted:
        return self._redactor.redact(clean(text), owner, clean(cue))


def _owner(received: Received) -> Owner:
    return Owner(received.event.tenant, received.subject_key)


def _closed(event: SessionEnded, received: Received) -> SessionClosed:
    return SessionClosed(
        session_id=event.session_id,
        ended_at=received.occurred_at,
        computed=event.computed,
        last_turn_id=event.last_turn_id,
    )
