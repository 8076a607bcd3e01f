"""Reading dead letters as an operator does."""

from collections.abc import Iterable
from datetime import date

from lithify.events import DeadLetter
from pipelines.daykeys import DayKeys
from pipelines.deadletters import Original, decrypt
from pipelines.settings import Settings
from tests.support.pipeline import open_pool


async def originals(settings: Settings, letters: Iterable[DeadLetter]) -> list[Original]:
    """What the letters keep, in clear."""
    pool, keys = await open_pool(settings), DayKeys(settings.dead_letter_key)
    try:
        days = [(letter, date.fromisoformat(letter.day or "")) for letter in letters]
        return [decrypt(letter, (await keys.of(pool, day)).fernet) for letter, day in days]
    finally:
        await pool.close()
