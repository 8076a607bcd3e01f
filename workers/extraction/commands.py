"""From a command to what it tells single slots."""

from collections.abc import Sequence
from datetime import datetime

from lithify.domain.claims import Claim, CommandKind, Kind, Polarity
from lithify.domain.claims import Command as SlotCommand
from lithify.domain.ids import derive
from lithify.events import CommandAccepted, CommandName, TurnExtracted
from pipelines.language.days import local_day
from pipelines.language.model import Extractor, TurnText

_KINDS = {
    CommandName.REMEMBER: CommandKind.REMEMBER,
    CommandName.CONSTRAINT: CommandKind.REMEMBER,
    CommandName.CORRECT: CommandKind.CORRECT,
    CommandName.PIN: CommandKind.PIN,
    CommandName.UNPIN: CommandKind.UNPIN,
    CommandName.APPROVE: CommandKind.APPROVE,
    CommandName.REJECT: CommandKind.REJECT,
}
_NOTE, _CONSTRAINT = "note", "constraint"


def read_command(
    command: CommandAccepted, event_id: str, occurred_at: datetime, extractor: Extractor, version: str
) -> TurnExtracted:
    """What a command says about which slots.

    A slot is named by attribute (and value), or by a fact; or the text is read like a turn of the user. Text in which
    nothing is recognised is remembered word for word.
    """
    commands = _named(command, event_id, occurred_at) or _read(command, event_id, occurred_at, extractor)
    return TurnExtracted(
        turn_id=event_id,
        session_id=command.session_id,
        outcome="accepted" if commands else "no_facts",
        extractor=version,
        commands=tuple(commands),
    )


def _named(command: CommandAccepted, event_id: str, occurred_at: datetime) -> list[SlotCommand]:
    if command.command is CommandName.CONSTRAINT:
        words = command.value or command.text
        return [_slot_command(command, event_id, occurred_at, _CONSTRAINT, words)] if words else []
    if command.attribute is None and command.fact_id is None:
        return []
    return [_slot_command(command, event_id, occurred_at, command.attribute or "", command.value)]


def _read(command: CommandAccepted, event_id: str, occurred_at: datetime, extractor: Extractor) -> list[SlotCommand]:
    if not command.text.strip():
        return []
    text = TurnText(
        turn_id=event_id,
        session_id=command.session_id,
        content=command.text,
        occurred_at=occurred_at,
        turn_index=command.index,
        timezone=command.timezone,
    )
    claims = [claim for claim in extractor.extract(text, None).claims if claim.kind is Kind.VALUE]
    if claims:
        return _from_claims(command, event_id, claims)
    return [_slot_command(command, event_id, occurred_at, _NOTE, command.text.strip())]


def _from_claims(command: CommandAccepted, event_id: str, claims: Sequence[Claim]) -> list[SlotCommand]:
    return [
        SlotCommand(
            id=derive(event_id, "command", ordinal),
            kind=_KINDS[command.command],
            session_id=command.session_id,
            turn_index=command.index,
            subject=claim.subject,
            attribute=claim.attribute,
            occurred_at=claim.occurred_at,
            local_date=claim.local_date,
            day_end=claim.day_end,
            value=claim.value,
            text=claim.text,
            polarity=claim.polarity,
            quantity=claim.quantity,
            event_id=event_id,
        )
        for ordinal, claim in enumerate(claims)
    ]


def _slot_command(
    command: CommandAccepted, event_id: str, occurred_at: datetime, attribute: str, value: str | None
) -> SlotCommand:
    local_date, day_end = local_day(occurred_at, command.timezone)
    return SlotCommand(
        id=derive(event_id, "command", 0),
        kind=_KINDS[command.command],
        session_id=command.session_id,
        turn_index=command.index,
        subject=command.subject,
        attribute=attribute,
        occurred_at=occurred_at,
        local_date=local_date,
        day_end=day_end,
        value=value,
        text=command.text or (value or ""),
        polarity=Polarity.POSITIVE,
        fact_id=command.fact_id,
        event_id=event_id,
    )
