"""Opening dead letters: the key of the day from the database, and what was too large for a letter from its topic."""

import asyncio
from datetime import date

from cryptography.fernet import Fernet, InvalidToken

from lithify.events import DeadLetter
from pipelines.daykeys import DayKeys, KeyDestroyedError, WrongMasterKeyError
from pipelines.deadletters import Original, decrypt
from pipelines.settings import Settings
from pipelines.store.pool import make_pool
from workers.operate.log import read, reader, start_at


class UnreadableError(ValueError):
    """The letter cannot be opened; the message says why."""


class Originals:
    """Opens letters. Keys are looked up once a day of letters."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._found: dict[str, Fernet | UnreadableError] = {}

    def open(self, body: DeadLetter) -> Original:
        """The event as it was, and the stack of its fault.

        Raises:
            UnreadableError: its key is destroyed or another one, the letter is damaged, or the event was too large for
                it and is no longer on its topic.
            psycopg.Error, KafkaException: database or broker cannot be reached.
        """
        original = self._decrypt(body)
        return original if original.value else Original(original.key, self._from_topic(body), original.stack)

    def can_open(self, body: DeadLetter) -> bool:
        """Whether its key is there and fits."""
        try:
            self._decrypt(body)
        except UnreadableError:
            return False
        return True

    def _decrypt(self, body: DeadLetter) -> Original:
        day = body.day or ""
        if day not in self._found:
            self._found[day] = asyncio.run(self._look_up(day))
        key = self._found[day]
        if isinstance(key, UnreadableError):
            raise key
        try:
            return decrypt(body, key)
        except InvalidToken:
            raise UnreadableError("the letter is damaged") from None

    async def _look_up(self, day: str) -> Fernet | UnreadableError:
        pool = make_pool(self._settings, "dlq")
        try:
            await pool.open(wait=True, timeout=self._settings.pool_timeout_seconds)
            return (await DayKeys(self._settings.dead_letter_key).of(pool, date.fromisoformat(day))).fernet
        except (KeyDestroyedError, WrongMasterKeyError, ValueError) as error:
            return UnreadableError(str(error))
        finally:
            await pool.close()

    def _from_topic(self, body: DeadLetter) -> bytes:
        with reader(self._settings) as consumer:
            start = start_at(consumer, body.topic, {body.partition: body.offset})
            if not start.lost:
                for page in read(consumer, body.topic, start.offsets, {body.partition: body.offset + 1}):
                    for message in page:
                        return message.value() or b""
        raise UnreadableError(f"the event is no longer on {body.topic}")
