"""What is taken out of texts before they are stored, and what stands in its place."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class SecretType(StrEnum):
    """What a redactor may find."""

    EMAIL = "email"
    PHONE = "phone"
    NATIONAL_ID = "national_id"
    """Chinese resident id; a US social security number after its name."""
    CARD = "card"
    """Payment card number."""
    IBAN = "iban"
    PASSPORT = "passport"
    SECRET = "secret"  # noqa: S105 - the name of a type, not one of its values
    """Key or token: of an API, in a URL, a private key."""
    PASSWORD = "password"  # noqa: S105
    """What a cue calls a password, a passphrase, a PIN, a code sent once."""
    ADDRESS = "address"
    """Where somebody can be found, after a cue."""
    IP = "ip"


KEPT = 4
"""Most characters of a value that a placeholder may show."""
DEFAULT_KEEP: Mapping[str, int] = {SecretType.CARD: 4, SecretType.PHONE: 4, SecretType.IBAN: 4}
REGIONS = ("CN", "US", "GB", "IE", "DE", "AT", "CH", "FR", "BE", "NL", "LU", "ES", "PT", "IT", "SE", "DK", "FI", "PL")
_LETTERS = "bcdfghjklmnpqrst"
"""One a hex digit: a tag without vowels or digits is neither a word nor a number to whoever reads it next."""


@dataclass(frozen=True, slots=True)
class OwnPattern:
    """A pattern of a tenant's own, such as its staff numbers."""

    name: str
    """What the placeholder calls it: lower-case letters and underscores."""
    pattern: str
    """In RE2's syntax, which is matched in linear time whatever the text."""


@dataclass(frozen=True, slots=True)
class RedactionPolicy:
    """Which types are replaced, and how much of each stays legible."""

    types: frozenset[SecretType] = frozenset(SecretType)
    keep_last: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_KEEP))
    """How many of the last letters and digits stay, by type or name of a pattern, so that people can tell two apart.
    At most 4, and none of a value that is not more than twice as long."""
    phone_regions: tuple[str, ...] = REGIONS
    """ISO 3166 codes of the regions whose national phone numbers are looked for; "+" numbers always are."""
    patterns: tuple[OwnPattern, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a policy that shows too much."""
        if any(not 0 <= kept <= KEPT for kept in self.keep_last.values()):
            raise ValueError(f"keep_last must be between 0 and {KEPT}")

    def placeholder(self, kind: str, original: str, tag: str = "") -> str:
        """What stands in place of `original`: "[card ****1234]", "[email]"; with its tag, "[email #bcdfgh]"."""
        kept = self.keep_last.get(kind, 0)
        shown = "".join(char for char in original if char.isalnum())
        parts = [str(kind)]
        if kept and len(shown) > 2 * kept:
            parts.append(f"****{shown[-kept:]}")
        if tag:
            parts.append(f"#{tag}")
        return f"[{' '.join(parts)}]"


def tag(key: bytes, tenant: str, subject_key: str, kind: str, value: str) -> str:
    """Six letters that are equal for equal values of one user, and say nothing without the key.

    Two of a user's values share a tag once in 2^24 pairs (HMAC-SHA256, its first 24 bits). Tags of two users never
    tell that they wrote the same value.
    """
    message = "\0".join((tenant, subject_key, kind, value)).encode("utf-8", "surrogatepass")
    digits = hmac.new(key, message, hashlib.sha256).hexdigest()[:6]
    return "".join(_LETTERS[int(digit, 16)] for digit in digits)
