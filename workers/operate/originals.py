"""Opening dead letters: the one place of the commands that knows how they are encrypted."""

from datetime import date
from functools import cache

import psycopg
from cryptography.fernet import Fernet, InvalidToken

from lithify.events import DeadLetter
from pipelines.daykeys import DayKeys, KeyDestroyedError, WrongMasterKeyError
from pipelines.deadletters import Original, decrypt
from pipelines.settings import PREFIX, Settings
from pipelines.store.queries import query


class UnreadableError(ValueError):
    """The letter cannot be opened; the message says why."""


class Originals:
    """Opens letters with the keys of their days, which lie in the database."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.database_url.get_secret_value()
        self._keys = DayKeys(settings.dead_letter_key)
        self._key = cache(self._find)

    def open(self, body: DeadLetter) -> Original:
        """Key, value and stack of the event. Raises UnreadableError."""
        try:
            return decrypt(body, self._key(date.fromisoformat(body.day or "")))
        except (InvalidToken, WrongMasterKeyError):
            raise UnreadableError(f"written under another {PREFIX}DEAD_LETTER_KEY") from None
        except KeyDestroyedError as error:
            raise UnreadableError(str(error)) from None
        except ValueError:
            raise UnreadableError("it names no day, and so no key") from None
        except psycopg.Error as error:
            raise UnreadableError(f"the database, which has its key, cannot be asked: {error}") from None

    def can_open(self, body: DeadLetter) -> bool:
        """Whether `open` would succeed."""
        try:
            self.open(body)
        except UnreadableError:
            return False
        return True

    def _find(self, day: date) -> Fernet:
        with psycopg.connect(self._url, connect_timeout=5) as connection:
            row = connection.execute(query("delivery.dead_letter_key").encode(), {"day": day}).fetchone()
        if row is None:
            raise KeyDestroyedError(f"the dead-letter key of {day} is destroyed")
        return self._keys.unwrap(row[0])
