"""What is taken out of texts before they are stored, and what stands in its place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class SecretType(StrEnum):
    """What a redactor may find."""

    EMAIL = "email"
    PHONE = "phone"
    NATIONAL_ID = "national_id"
    CARD = "card"
    """Payment card number."""
    SECRET = "secret"  # noqa: S105 - the name of a type, not one of its values
    """Password, key or token."""


@dataclass(frozen=True, slots=True)
class RedactionPolicy:
    """Which types are replaced, and how much of each stays legible."""

    types: frozenset[SecretType] = frozenset(SecretType)
    keep_last: Mapping[SecretType, int] = field(
        default_factory=lambda: {SecretType.CARD: 4, SecretType.PHONE: 4, SecretType.NATIONAL_ID: 0}
    )
    """How many of the last characters stay, so that people can tell two apart. At most 4."""

    def __post_init__(self) -> None:
        """Refuse a policy that shows too much."""
        if any(not 0 <= kept <= 4 for kept in self.keep_last.values()):
            raise ValueError("keep_last must be between 0 and 4")

    def placeholder(self, kind: SecretType, original: str) -> str:
        """What stands in place of `original`: "[card ****1234]", "[email]"."""
        kept = self.keep_last.get(kind, 0)
        digits = "".join(char for char in original if char.isalnum())
        return f"[{kind} ****{digits[-kept:]}]" if kept else f"[{kind}]"


def luhn(digits: str) -> bool:
    """Whether the check digit of a payment card number is right (ISO/IEC 7812-1). Only ASCII digits count."""
    total = 0
    for index, char in enumerate(reversed(digits)):
        value = int(char) * (1 + index % 2)
        total += value - 9 if value > 9 else value
    return bool(digits) and total % 10 == 0


def resident_id(text: str) -> bool:
    """Whether `text` is a Chinese resident id: 18 characters, birth date and check character (GB 11643)."""
    if len(text) != 18 or not text[:17].isdecimal():
        return False
    month, day = int(text[10:12]), int(text[12:14])
    if text[6:8] not in {"18", "19", "20"} or not 1 <= month <= 12 or not 1 <= day <= 31:
        return False
    rest = sum(int(char) * pow(2, 17 - index, 11) for index, char in enumerate(text[:17])) % 11
    return "10X98765432"[rest] == text[17].upper()
