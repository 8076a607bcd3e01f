"""Subject keys: keyed pseudonyms of user ids."""

import hashlib
import hmac

from pydantic import SecretStr


def keyed_digest(secret: SecretStr, content: bytes) -> str:
    """HMAC-SHA256 of an event under `secret`, 32 hex digits.

    Tells equal contents, and cannot be tried out: an unkeyed hash of a short text would give a PIN in it away.
    """
    return hmac.new(secret.get_secret_value().encode(), b"lithify digest\0" + content, hashlib.sha256).hexdigest()[:32]


def subject_key(secret: SecretStr, tenant: str, user_id: str) -> str:
    """HMAC-SHA256 of the user under `secret`, 32 hex digits (128 bits).

    Tenant and user id are length-prefixed by the tenant's rule that it holds no "/", so no two users collide.
    """
    message = f"{tenant}/{user_id}".encode()
    return hmac.new(secret.get_secret_value().encode(), message, hashlib.sha256).hexdigest()[:32]
