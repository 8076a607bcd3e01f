"""Instants as operators write them."""

from datetime import UTC, datetime

from workers.operate.console import UsageError


def instant(text: str, option: str) -> datetime:
    """ISO 8601 with an offset. Raises UsageError."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{option} {text!r}: expected ISO 8601, such as 2026-03-04T00:00:00+08:00") from None
    if found.tzinfo is None:
        raise UsageError(f"{option} {text!r}: expected an offset, such as +08:00 or Z")
    return found


def instant_or_now(text: str | None, option: str) -> datetime:
    """The same; without a text, now."""
    return datetime.now(UTC) if text is None else instant(text, option)
