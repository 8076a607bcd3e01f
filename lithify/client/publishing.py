"""Calls that publish: what each asks, and what it makes of the answer. No input or output happens here."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import uuid4

import msgspec

from lithify.client.answers import check, segment
from lithify.client.errors import Invalid
from lithify.client.steps import Publish, Request, Steps
from lithify.domain.text import valid_id
from lithify.events import Command, CommandName, Inbound, Role, SessionEnded, Turn, encode
from lithify.events.api import MAX_BATCH, MAX_EVENT_BYTES, Accepted

E = TypeVar("E", Turn, Command, SessionEnded)
COMMANDS = "commands"
"""Session of a command that names none."""


def add_turn(
    tenant: str,
    user_id: str,
    session_id: str,
    content: str | list[Any],
    *,
    role: Role | str = Role.USER,
    speaker: str | None = None,
    timezone: str | None = None,
    occurred_at: datetime | None = None,
    index: int = 0,
    id: str | None = None,  # noqa: A002 - the wire's name
    metadata: dict[str, Any] | None = None,
) -> Steps[Accepted]:
    """Publish one turn; returns once the broker has it.

    Args:
        tenant: of the client.
        user_id: the user, as you name them.
        session_id: the conversation.
        content: text, or a list of parts.
        role: user, assistant, tool or system.
        speaker: who says "I", where it is not the user.
        timezone: IANA name of the user's zone; makes "yesterday" mean their yesterday.
        occurred_at: aware; now by default.
        index: orders turns of the same instant.
        id: made by default. The same id twice is one turn.
        metadata: yours; kept with the turn.

    Raises:
        Invalid: naming the field.
        Unavailable: not acknowledged; safe to repeat with the same id.
    """
    turn = {
        "id": id,
        "tenant": tenant,
        "user_id": user_id,
        "session_id": session_id,
        "occurred_at": occurred_at,
        "role": role,
        "content": content,
        "speaker": speaker,
        "timezone": timezone,
        "index": index,
        "metadata": metadata,
    }
    return (yield from _publish([_event(Turn, turn)]))[0]


def add_turns(tenant: str, turns: Sequence[Turn]) -> Steps[tuple[Accepted, ...]]:
    """Publish many turns, in order; their own `tenant` holds. Raises as `add_turn`."""
    del tenant
    done: list[Accepted] = []
    for start in range(0, len(turns), MAX_BATCH):
        done += yield from _publish([_checked(turn) for turn in turns[start : start + MAX_BATCH]])
    return tuple(done)


def end_session(tenant: str, user_id: str, session_id: str, *, occurred_at: datetime | None = None) -> Steps[Accepted]:
    """End a session now, or at `occurred_at` (aware). Raises as `add_turn`."""
    ended = {"tenant": tenant, "user_id": user_id, "session_id": session_id, "occurred_at": occurred_at}
    return (yield from _publish([_event(SessionEnded, ended)]))[0]


def command(
    tenant: str,
    user_id: str,
    name: CommandName | str,
    text: str = "",
    *,
    session_id: str = COMMANDS,
    subject: str = "user",
    attribute: str | None = None,
    value: str | None = None,
    fact_id: str | None = None,
    timezone: str | None = None,
) -> Steps[Accepted]:
    """Tell the memory something itself: remember, correct, forget, pin, unpin, constraint, approve, reject.

    Args:
        tenant: of the client.
        user_id: the user.
        name: the command.
        text: what, in words.
        session_id: where it was said.
        subject: "user", or the name of a third party.
        attribute: the slot's attribute, where known.
        value: its value, where known.
        fact_id: the fact meant.
        timezone: IANA name of the user's zone.

    Raises:
        Invalid: naming the field.
        Unavailable: not acknowledged.
    """
    said = {
        "tenant": tenant,
        "user_id": user_id,
        "session_id": session_id,
        "command": name,
        "text": text,
        "subject": subject,
        "attribute": attribute,
        "value": value,
        "fact_id": fact_id,
        "timezone": timezone,
    }
    return (yield from _publish([_event(Command, said)]))[0]


def remember(
    tenant: str,
    user_id: str,
    text: str,
    *,
    session_id: str = COMMANDS,
    attribute: str | None = None,
    value: str | None = None,
) -> Steps[Accepted]:
    """Have something remembered for good: as words, or as a value of an attribute. Raises as `command`."""
    return command(tenant, user_id, CommandName.REMEMBER, text, session_id=session_id, attribute=attribute, value=value)


def correct(
    tenant: str,
    user_id: str,
    text: str = "",
    *,
    session_id: str = COMMANDS,
    fact_id: str | None = None,
    attribute: str | None = None,
    value: str | None = None,
) -> Steps[Accepted]:
    """Replace what was never true, over its whole validity. Raises as `command`."""
    return command(
        tenant,
        user_id,
        CommandName.CORRECT,
        text,
        session_id=session_id,
        fact_id=fact_id,
        attribute=attribute,
        value=value,
    )


def forget(
    tenant: str,
    user_id: str,
    text: str = "",
    *,
    session_id: str = COMMANDS,
    fact_id: str | None = None,
    attribute: str | None = None,
) -> Steps[Accepted]:
    """Publish the command to forget. Raises as `command`."""
    return command(
        tenant, user_id, CommandName.FORGET, text, session_id=session_id, fact_id=fact_id, attribute=attribute
    )


def published(events: Sequence[Inbound]) -> Request:
    """The request that publishes `events` through the gateway: all of one kind, in order."""
    first = events[0]
    if isinstance(first, Command):
        return Request("POST", "/v1/commands", body=encode(first))
    if isinstance(first, SessionEnded):
        ended = {"user_id": first.user_id, "tenant": first.tenant, "occurred_at": first.occurred_at, "id": first.id}
        path = f"/v1/sessions/{segment(first.session_id)}/end"
        return Request("POST", path, body=msgspec.json.encode(ended))
    return Request("POST", "/v1/turns", body=msgspec.json.encode(list(events)))


def _publish(events: list[Inbound]) -> Steps[tuple[Accepted, ...]]:
    reply = yield Publish(tuple(events))
    check(reply)
    return tuple(Accepted(id=event.id, occurred_at=event.occurred_at) for event in events)


def _event(model: type[E], said: dict[str, Any]) -> E:
    """An event with id and time made where absent: a repeated call with the same event is the same event."""
    made = {"id": str(uuid4()), "occurred_at": datetime.now(UTC)}
    return _convert(model, made | {name: value for name, value in said.items() if value is not None})


def _checked(turn: Turn) -> Turn:
    return _convert(Turn, msgspec.structs.asdict(turn))


def _convert(model: type[E], fields: dict[str, Any]) -> E:
    """Validate here as the gateway and the workers will: what goes to Kafka has no one else to say so."""
    try:
        event = msgspec.convert(msgspec.to_builtins(fields), model)
    except (msgspec.ValidationError, TypeError) as error:
        reason, _, field = str(error).rpartition(" - at `$.")
        raise Invalid(reason or str(error), code="invalid", field=field.rstrip("`") if reason else None) from None
    for name in ("id", "user_id", "session_id", "tenant"):
        fault = valid_id(getattr(event, name), tenant=name == "tenant")
        if fault is not None:
            raise Invalid(f"not usable as an id: {fault}", code="invalid", field=name)
    if len(encode(event)) > MAX_EVENT_BYTES:
        raise Invalid("the event is larger than the topic takes", code="too_large", field="content")
    return event
