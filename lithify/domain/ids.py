"""Derived ids: UUIDv5 of what an object stands for, so that a replay finds the same ones."""

from hashlib import sha1
from uuid import UUID

NAMESPACE = UUID("6f0c7a52-6f6e-5c3a-9d0e-1f4a8b7c2d10")
"""Fixed for ever: changing it would rename everything that is stored."""

_SEPARATOR = "\x1f"
_NAMED = sha1(NAMESPACE.bytes, usedforsecurity=False)
_VARIANT = {digit: "89ab"[int(digit, 16) % 4] for digit in "0123456789abcdef"}
"""RFC 9562: the two highest bits of the ninth byte are 10."""


def derive(*parts: object) -> str:
    """The id that stands for `parts`, in canonical UUID form.

    Args:
        parts: at least one; compared by their text. ("a", "b") and ("ab",) differ.

    Raises:
        ValueError: without parts, since everything would then share one id.
    """
    if not parts:
        raise ValueError("an id needs at least one part")
    named = _NAMED.copy()
    named.update(_SEPARATOR.join(map(str, parts)).encode())
    digest = named.hexdigest()
    # `uuid.uuid5` gives the same, three times slower; a fold derives an id for every verdict and override.
    variant = _VARIANT[digest[16]]
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{variant}{digest[17:20]}-{digest[20:32]}"


def slot_id(tenant: str, subject_key: str, subject: str, attribute: str) -> str:
    """The id of the slot in which claims about (`subject`, `attribute`) of one user compete."""
    return derive("slot", tenant, subject_key, subject, attribute)
