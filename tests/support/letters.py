"""Reading dead letters as an operator does."""

from collections.abc import Iterable

from lithify.events import DeadLetter
from pipelines.daykeys import DayKeys
from pipelines.deadletters import Original, original_of
from pipelines.settings import Settings
from tests.support.pipeline import open_pool


async def originals(settings: Settings, letters: Iterable[DeadLetter]) -> list[Original]:
    """What the letters keep, in clear."""
    pool = await open_pool(settings)
    try:
        return [await original_of(letter, DayKeys(settings.dead_letter_key), pool) for letter in letters]
    finally:
        await pool.close()
