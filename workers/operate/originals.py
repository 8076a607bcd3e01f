"""Opening dead letters: the one place of the commands that knows how they are encrypted."""

from dataclasses import dataclass

import msgspec
from cryptography.fernet import InvalidToken

from lithify.events import DeadLetter
from pipelines.deadletters import original_bytes
from pipelines.settings import PREFIX, Settings


class UnreadableError(ValueError):
    """The letter cannot be opened; the message says why."""


@dataclass(frozen=True, slots=True)
class Original:
    """The event as it was."""

    key: bytes | None
    value: bytes


class Originals:
    """Opens letters with the key of the settings."""

    def __init__(self, settings: Settings) -> None:
        self._secret = settings.dead_letter_key.get_secret_value()

    def open(self, body: DeadLetter) -> Original:
        """Key and value of the event. Raises UnreadableError."""
        try:
            key = None if body.key is None else self._decrypt(msgspec.structs.replace(body, original=body.key))
            return Original(key, self._decrypt(body))
        except InvalidToken:
            raise UnreadableError(f"written under another {PREFIX}DEAD_LETTER_KEY") from None

    def can_open(self, body: DeadLetter) -> bool:
        """Whether `open` would succeed."""
        try:
            self.open(body)
        except UnreadableError:
            return False
        return True

    def _decrypt(self, body: DeadLetter) -> bytes:
        return original_bytes(body, self._secret)
