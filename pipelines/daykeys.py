"""Keys of the dead letters' original bytes: one a day, wrapped under the configured key, destroyed with the letters.

A day's key is made in the transaction that writes the day's first letter, so that no letter is ever under a key that
was rolled back.
"""

from dataclasses import dataclass
from datetime import date

from cryptography.fernet import Fernet, InvalidToken
from pydantic import SecretStr

from pipelines.failures import Transient
from pipelines.store.pool import Pool
from pipelines.store.queries import query
from pipelines.store.unit_of_work import UnitOfWork


class KeyDestroyedError(LookupError):
    """The key of that day is gone, and with it what it encrypted."""


class WrongMasterKeyError(ValueError):
    """The configured key is not the one under which the day's key was wrapped."""


@dataclass(frozen=True, slots=True)
class DayKey:
    """The key of one day (UTC)."""

    day: date
    fernet: Fernet


class DayKeys:
    """Makes and finds the keys of days.

    Args:
        master: the configured dead-letter key, under which they are kept.
    """

    def __init__(self, master: SecretStr) -> None:
        self._master = Fernet(master.get_secret_value())

    async def today(self, unit: UnitOfWork) -> DayKey:
        """Today's key by the database's clock; made if there is none.

        Raises:
            Transient: it was wrapped under another configured key; nothing can be encrypted until that one is back.
        """
        rows = await unit.fetch("delivery.todays_dead_letter_key")
        if not rows:
            wrapped = self._master.encrypt(Fernet.generate_key()).decode("ascii")
            await unit.fetch("delivery.add_dead_letter_key", wrapped=wrapped)
            rows = await unit.fetch("delivery.todays_dead_letter_key")
        try:
            return DayKey(rows[0]["day"], self._unwrap(rows[0]["wrapped"]))
        except WrongMasterKeyError as error:
            raise Transient(str(error)) from error

    async def of(self, pool: Pool, day: date) -> DayKey:
        """The key of a day.

        Raises:
            KeyDestroyedError: it is gone.
            WrongMasterKeyError: the configured key does not open it.
        """
        async with pool.connection() as connection:
            cursor = await connection.execute(query("delivery.dead_letter_key").encode(), {"day": day})
            row = await cursor.fetchone()
        if row is None:
            raise KeyDestroyedError(f"the dead-letter key of {day} is destroyed")
        return DayKey(day, self._unwrap(row["wrapped"]))

    def _unwrap(self, wrapped: str) -> Fernet:
        """A day's key as it is stored, in clear. Raises WrongMasterKeyError."""
        try:
            return Fernet(self._master.decrypt(wrapped))
        except InvalidToken:
            raise WrongMasterKeyError("LITHIFY_DEAD_LETTER_KEY does not open the dead-letter key of the day") from None
