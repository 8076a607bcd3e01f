"""A worker sees from outside that it makes no progress, and how late its event loop is."""

import asyncio
import time
from contextlib import suppress

from pipelines import metrics
from pipelines.observe.lag import PartitionLag, Reading
from pipelines.runtime.health import health
from pipelines.runtime.watch import StallWatch, watch_loop
from pipelines.runtime.worker import Progress


def reading(committed: int, seconds: float, partition: int = 0) -> Reading:
    return Reading((PartitionLag("conflict", "lithify-claims", partition, committed, 0, seconds),), {})


def _never_asked(_timeout: float) -> Reading:
    raise AssertionError


class Watched:
    """A watch that is shown readings by hand, and the health that follows from them."""

    def __init__(self) -> None:
        self.progress = Progress()
        self.assigned: frozenset[int] | None = frozenset({0})
        self._watch = StallWatch("conflict", _never_asked, self.progress, lambda: self.assigned, 10.0)

    def ok_after(self, seen: Reading, now: float) -> bool:
        self._watch.note(seen, now)
        return health(self.progress, now).ok


def test_c94_a_member_that_fetches_nothing_after_the_brokers_are_back_turns_unhealthy() -> None:
    watched = Watched()
    away = Reading((), {"conflict": "brokers are down"})
    assert watched.ok_after(away, 100.0)
    assert watched.ok_after(away, 300.0), "without a broker nobody can make progress"
    assert watched.ok_after(reading(5, 10.0), 310.0)
    assert watched.ok_after(reading(5, 60.0), 360.0)
    assert not watched.ok_after(reading(5, 75.0), 375.0)
    assert watched.ok_after(reading(6, 1.0), 380.0), "it moves again"


def test_c88_a_worker_that_works_on_and_never_commits_turns_unhealthy() -> None:
    watched = Watched()
    for now in range(0, 70, 10):
        watched.progress.busy_since = {0: 1000.0 + now - 0.1}
        ok = watched.ok_after(reading(5, 1.0 + now), 1000.0 + now)
        watched.progress.busy_since = {}
    assert ok
    assert not watched.ok_after(reading(5, 71.0), 1070.0)


def test_partitions_of_others_and_caught_up_ones_accuse_nobody() -> None:
    watched = Watched()
    for now in (0.0, 1000.0):
        assert watched.ok_after(reading(5, 10.0 + now, partition=3), now)
        assert watched.ok_after(reading(5, 0.0), now)


def test_outside_its_group_it_turns_unhealthy_only_while_the_broker_answers() -> None:
    watched = Watched()
    watched.assigned = None
    assert watched.ok_after(reading(5, 0.0), 10.0)
    assert not watched.ok_after(reading(5, 0.0), 400.0)
    assert watched.ok_after(Reading((), {"conflict": "brokers are down"}), 410.0)
    watched.assigned = frozenset()
    assert watched.ok_after(reading(5, 0.0), 900.0), "a member without partitions is a member"


async def test_c95_a_blocked_event_loop_is_measured() -> None:
    def blocked() -> float:
        return sum(
            sample.value
            for metric in metrics.LOOP_LAG_SECONDS.collect()
            for sample in metric.samples
            if sample.name.endswith("_sum") and sample.labels["worker"] == "c95"
        )

    task = asyncio.create_task(watch_loop("c95"))
    await asyncio.sleep(0)
    time.sleep(1.0)
    await asyncio.sleep(0.1)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert blocked() >= 0.4
