"""The keys of dead letters: one a day, and no letter can be read once its day's is destroyed."""

import asyncio

import msgspec
import pytest
from cryptography.fernet import Fernet

from lithify.events import DeadLetter
from pipelines.daykeys import DayKeys, KeyDestroyedError, WrongMasterKeyError
from pipelines.failures import Transient
from pipelines.store.pool import make_pool
from pipelines.store.unit_of_work import unit_of_work
from pipelines.topics import Topic
from tests.support.letters import originals
from tests.support.pipeline import Pipeline, at
from workers.assembly import reflector
from workers.reflection.nightly import reflect_nightly


async def letter_of(pipeline: Pipeline, value: bytes = b"{") -> DeadLetter:
    pipeline.publish(value)
    await pipeline.run()
    found: list[DeadLetter] = pipeline.bodies(Topic.DEAD_LETTERS, "dead_letter")
    return found[-1]


async def test_each_day_has_its_own_key(pipeline: Pipeline) -> None:
    first = await letter_of(pipeline, b"{1")
    pipeline.rows("update dead_letter_keys set day = day - 1")
    second = await letter_of(pipeline, b"{2")
    first = msgspec.structs.replace(first, day=str(pipeline.rows("select min(day) as d from dead_letter_keys")[0]["d"]))
    assert [one.value for one in await originals(pipeline.settings, [first, second])] == [b"{1", b"{2"]
    wrapped = {row["wrapped"] for row in pipeline.rows("select wrapped from dead_letter_keys")}
    assert len(wrapped) == 2


@pytest.mark.parametrize(("age", "readable"), [(14, True), (15, False)])
async def test_the_nightly_run_destroys_the_keys_of_letters_that_are_gone(
    pipeline: Pipeline, age: int, readable: bool
) -> None:
    letter = await letter_of(pipeline)
    pipeline.rows(f"update dead_letter_keys set day = day - {age}")
    day = str(pipeline.rows(f"select current_date - {age} as d")[0]["d"])
    done = await reflect_nightly(pipeline.settings, pipeline.pool, reflector(pipeline.settings), at("2026-03-04 00:00"))
    assert done.destroyed == (0 if readable else 1)
    aged = msgspec.structs.replace(letter, day=day)
    if readable:
        assert [one.value for one in await originals(pipeline.settings, [aged])] == [b"{"]
    else:
        with pytest.raises(KeyDestroyedError, match="is destroyed"):
            await originals(pipeline.settings, [aged])


async def test_another_configured_key_is_told_and_loses_nothing(pipeline: Pipeline) -> None:
    letter = await letter_of(pipeline)
    other = pipeline.settings.model_copy(
        update={"dead_letter_key": type(pipeline.settings.dead_letter_key)(Fernet.generate_key().decode())}
    )
    with pytest.raises(WrongMasterKeyError, match="LITHIFY_DEAD_LETTER_KEY does not open"):
        await originals(other, [letter])
    keys = DayKeys(other.dead_letter_key)
    with pytest.raises(Transient):
        async with unit_of_work(pipeline.pool, other, "w", set()) as unit:
            await keys.today(unit)


async def test_of_keys_made_at_once_one_stays(pipeline: Pipeline) -> None:
    pool = make_pool(pipeline.settings, "keys")
    await pool.open(wait=True)

    async def make() -> bytes:
        async with unit_of_work(pool, pipeline.settings, "w", set()) as unit:
            return (await DayKeys(pipeline.settings.dead_letter_key).today(unit)).fernet.encrypt(b"x")

    tokens = await asyncio.gather(*(make() for _ in range(6)))
    await pool.close()
    [row] = pipeline.rows("select wrapped from dead_letter_keys")
    master = Fernet(pipeline.settings.dead_letter_key.get_secret_value())
    assert {Fernet(master.decrypt(row["wrapped"])).decrypt(token) for token in tokens} == {b"x"}
