"""Inbound events from request bodies: defaults filled in, then validated by the wire model itself."""

from datetime import datetime
from typing import Any, TypeVar
from uuid import uuid4

import msgspec

from lithify.events import Command, Inbound, SessionEnded, Turn
from lithify.events.api import Accepted, AcceptedReply
from pipelines.inbound import cleaned, fault_of
from workers.gateway.faults import InvalidError, invalid
from workers.gateway.scope import check_id

E = TypeVar("E", Turn, Command, SessionEnded)
B = TypeVar("B", bound=msgspec.Struct)


def parse(body: bytes) -> Any:
    """The JSON of a body; a lone surrogate, as half an emoji leaves it, costs a character. Raises InvalidError."""
    try:
        return msgspec.json.decode(body)
    except RecursionError:
        raise InvalidError("the body is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        try:
            return cleaned(body)
        except (ValueError, RecursionError):
            raise InvalidError(f"the body is not JSON: {error}") from None


def decode(body: bytes, model: type[B]) -> B:
    """The body as `model`. Raises InvalidError with field and reason."""
    try:
        return msgspec.convert(parse(body), model)
    except msgspec.ValidationError as error:
        raise invalid(error) from None


def event(value: Any, model: type[E], now: datetime, at: str = "") -> E:
    """A JSON object as an event of `lithify-turns`; id and time are made where absent.

    Args:
        value: the object.
        model: the event's model.
        now: the time of an event that states none.
        at: where the object lies in the body, for error messages ("[3]").

    Raises:
        InvalidError: with field and reason.
    """
    if not isinstance(value, dict):
        raise InvalidError("expected an object", at or None)
    filled = {"id": str(uuid4()), "occurred_at": now.isoformat()} | {k: v for k, v in value.items() if v is not None}
    if "content" in value:
        filled["content"] = value["content"]
    try:
        found = msgspec.convert(filled, model)
    except msgspec.ValidationError as error:
        fault = invalid(error)
        raise InvalidError(fault.message, _join(at, fault.field)) from None
    for name in ("id", "user_id", "session_id"):
        _check(_join(at, name), getattr(found, name))
    _check(_join(at, "tenant"), found.tenant, tenant=True)
    wrong = fault_of(found)
    if wrong is not None:
        raise InvalidError(wrong[1], _join(at, wrong[0]))
    return found


def accepted(events: list[Inbound]) -> AcceptedReply:
    """The reply about events that the broker has."""
    return AcceptedReply(accepted=tuple(Accepted(id=item.id, occurred_at=item.occurred_at) for item in events))


def _check(field: str | None, value: str, *, tenant: bool = False) -> None:
    check_id(field or "", value, tenant=tenant)


def _join(at: str, field: str | None) -> str | None:
    return ".".join(part for part in (at, field) if part) or None
