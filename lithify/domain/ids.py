"""Derived ids: UUIDv5 of what an object stands for, so that a replay finds the same ones."""

from uuid import UUID, uuid5

NAMESPACE = UUID("6f0c7a52-6f6e-5c3a-9d0e-1f4a8b7c2d10")
"""Fixed for ever: changing it would rename everything that is stored."""

_SEPARATOR = "\x1f"


def derive(*parts: object) -> str:
    """The id that stands for `parts`, in canonical UUID form.

    Args:
        parts: at least one; compared by their text. ("a", "b") and ("ab",) differ.

    Raises:
        ValueError: without parts, since everything would then share one id.
    """
    if not parts:
        raise ValueError("an id needs at least one part")
    return str(uuid5(NAMESPACE, _SEPARATOR.join(str(part) for part in parts)))


def slot_id(tenant: str, subject_key: str, subject: str, attribute: str) -> str:
    """The id of the slot in which claims about (`subject`, `attribute`) of one user compete."""
    return derive("slot", tenant, subject_key, subject, attribute)
