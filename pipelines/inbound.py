"""Reading `lithify-turns`: validation, cleaning, identity. What cannot be used is Poison, with its reason."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from lithify.domain.text import clean, valid_id
from lithify.events import Command, Inbound, SessionEnded
from lithify.events.envelope import VERSION
from pipelines.envelope import decode
from pipelines.failures import Cause, Poison
from pipelines.identity import keyed_digest, subject_key
from pipelines.language.days import zone
from pipelines.settings import Settings

AHEAD = timedelta(minutes=5)
"""How far a producer's clock may run ahead: event time is capped at the time of receipt plus this."""

EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
"""Event time before this is a clock that was never set, such as the year 1 that Go writes for no time."""
LAST_INDEX = 2**31 - 1
LONGEST_NAME = 256
"""Characters of a subject or an attribute: what an index row takes."""

_IDS = ("id", "tenant", "user_id", "session_id")
_NUL = b"\\u0000"
_inbound = msgspec.json.Decoder(Inbound)


@dataclass(frozen=True, slots=True)
class Received:
    """A valid event, cleaned, with what the pipeline adds to it."""

    event: Inbound
    subject_key: str
    occurred_at: datetime
    """Capped event time."""
    received_at: datetime
    digest: str
    """Keyed digest of the event, 32 hex digits: tells a redelivery from an id used twice."""


def receive(value: bytes | None, settings: Settings, now: datetime) -> Received:
    """Decode one message of `lithify-turns`.

    Raises:
        Poison: not JSON, a field missing or wrong (the detail names it), an impossible id, or a newer version.
    """
    if not value:
        raise Poison(Cause.NOT_JSON, "empty message")
    event = _decode(value)
    if event.v > VERSION:
        raise Poison(Cause.VERSION_UNKNOWN, f"version {event.v}, this release reads up to {VERSION}")
    for name in _IDS:
        fault = valid_id(getattr(event, name), tenant=name == "tenant")
        if fault is not None:
            raise Poison(Cause.INVALID_ID, f"{name}: {fault}")
    wrong = fault_of(event)
    if wrong is not None:
        raise Poison(Cause.INVALID_EVENT, ": ".join(wrong))
    return Received(
        event=event,
        subject_key=subject_key(settings.pseudonym_key, event.tenant, event.user_id),
        occurred_at=min(event.occurred_at, now + AHEAD),
        received_at=now,
        digest=keyed_digest(settings.pseudonym_key, msgspec.json.encode(event)),
    )


def fault_of(event: Inbound) -> tuple[str, str] | None:
    """The field, and what is wrong with it, where an event has the right types but cannot be processed."""
    wrong = moment_fault(event.occurred_at, None if isinstance(event, SessionEnded) else event.timezone)
    if wrong is not None or isinstance(event, SessionEnded):
        return wrong
    if event.index > LAST_INDEX:
        return "index", f"larger than {LAST_INDEX}"
    return _command_fault(event) if isinstance(event, Command) else None


def moment_fault(occurred_at: datetime | None, timezone: str | None) -> tuple[str, str] | None:
    """The field, and what is wrong with it, where days cannot be told from a time and a zone."""
    if occurred_at is not None and occurred_at < EARLIEST:
        return "occurred_at", f"before {EARLIEST.year}"
    try:
        zone(timezone or "UTC")
    except ValueError as error:
        return "timezone", str(error)
    return None


def _command_fault(command: Command) -> tuple[str, str] | None:
    for field, text in (("subject", command.subject), ("attribute", command.attribute)):
        if text is not None and len(text) > LONGEST_NAME:
            return field, f"longer than {LONGEST_NAME} characters"
    return None if command.subject.strip() else ("subject", "empty")


def _decode(value: bytes) -> Inbound:
    try:
        event = decode(_inbound, value)
    except Poison as poison:
        return _decode_leniently(value, poison)
    if _NUL in value:
        return _decode_leniently(value, Poison(Cause.INVALID_EVENT, "NUL"))
    return event


def _decode_leniently(value: bytes, poison: Poison) -> Inbound:
    r"""Strict decoding failed or left a NUL, but not everything that it refuses is worth a turn.

    A NUL, a lone surrogate escape ("\ud800") or stray bytes cost a character; a time may be any ISO 8601 with an
    offset, also one without seconds; an event that does not fit may be of a version to come.
    """
    try:
        data = cleaned(value)
    except (ValueError, RecursionError):
        raise poison from None
    if isinstance(data, dict):
        _refuse_newer(data)
        if "occurred_at" in data:
            data["occurred_at"] = _instant(data["occurred_at"])
    try:
        event: Inbound = msgspec.convert(data, Inbound)
    except msgspec.ValidationError as error:
        raise Poison(Cause.INVALID_EVENT, str(error)) from None
    return event


def cleaned(value: bytes) -> Any:
    """JSON with every text cleaned but the ids of events, in which nothing may be replaced.

    Raises:
        ValueError: not JSON.
        RecursionError: nested too deeply.
    """
    # Stray bytes become lone surrogates: replaced in a text, refused in an id.
    return _clean_event(json.loads(value.decode("utf-8", "surrogateescape")))


def _clean_event(data: Any) -> Any:
    if isinstance(data, list):
        return [_clean_event(item) for item in data]
    if isinstance(data, dict):
        return {clean(key): item if key in _IDS else clean_all(item) for key, item in data.items()}
    return data


def _refuse_newer(data: dict[str, Any]) -> None:
    version = data.get("v", VERSION)
    if isinstance(version, int) and version > VERSION:
        raise Poison(Cause.VERSION_UNKNOWN, f"version {version}, this release reads up to {VERSION}")


def _instant(value: Any) -> Any:
    """A text that is a time as that time; anything else as it is, for the decoder to judge."""
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return value


def clean_all(data: Any) -> Any:
    """`clean` on every text of a JSON value, keys included."""
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, list):
        return [clean_all(item) for item in data]
    if isinstance(data, dict):
        return {clean(key): clean_all(item) for key, item in data.items()}
    return data
