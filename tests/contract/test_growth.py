"""A worker's memory grows neither while nothing happens nor with the events it has done.

Twelve hours, compressed: what counts is what each poll and each event leaves behind, so they are counted, not timed.
Some thousand polls that find nothing pass, then some thousand events, and the growth of both is told for an hour.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import median

import pytest

from tests.support.faust_group import PARTITIONS, Group, a_group, all_of
from tests.support.growing_worker import Sample, read_samples
from tests.support.processes import PATIENCE, eventually
from tests.support.servers import Database

WARM = 2
SAMPLES = 14
ROUNDS = 8
"""Of which the first does not count. The other seven outvote one or two that were looked at in a bad moment."""
EACH = 1_000
POLLS_AN_HOUR = 3_600
"""Faust waits for a second when nothing comes."""
EVENTS_AN_HOUR = 50 * 3_600
MOST_BYTES_AN_HOUR = 5_000_000
MOST_OBJECTS = 0.5
"""A leak leaves at least one behind; what is measured where there is none stays below 0.15."""


@pytest.fixture
def group(database: Database, broker: str, tmp_path: Path) -> Iterator[Group]:
    with a_group(database, broker, tmp_path) as group:
        group.module = "tests.support.growing_worker"
        yield group


def growth(samples: Sequence[Sample], what: str, by: str) -> float:
    """What is added for each poll or event: the median over all pairs, which no outlier of several samples moves."""
    held: Callable[[Sample], int] = lambda sample: int(getattr(sample, what))  # noqa: E731
    done: Callable[[Sample], int] = lambda sample: int(getattr(sample, by))  # noqa: E731
    return median((held(b) - held(a)) / (done(b) - done(a)) for a, b in combinations(samples, 2))


def further(group: Group, count: int) -> list[Sample]:
    """So many more samples, from now on."""
    there = len(read_samples(group.folder))
    assert eventually(lambda: len(read_samples(group.folder)) >= there + count, 5 * PATIENCE), group.logs()
    return read_samples(group.folder)[there : there + count]


def after_round(group: Group, number: int) -> Sample:
    """What is held once so many rounds of events are done: the least of a few samples, for garbage and buffers go."""
    group.produce(EACH)
    group.wait(all_of(EACH * number), 5 * PATIENCE)  # there is much to do
    least = min(further(group, 3)[1:], key=lambda sample: sample.traced)
    assert least.events >= EACH * number * PARTITIONS, "more only where a rebalance has brought some again"
    return least


def test_c104_neither_polls_that_find_nothing_nor_events_leave_anything_behind(group: Group) -> None:
    group.start()
    resting = further(group, WARM + SAMPLES)[WARM:]
    assert resting[-1].events == 0
    working = [after_round(group, number) for number in range(1, ROUNDS + 1)][1:]
    told = f"{resting}\n{working}"
    assert growth(resting, "objects", "polls") < MOST_OBJECTS, told
    assert growth(working, "objects", "events") < MOST_OBJECTS, told
    an_hour = growth(resting, "traced", "polls") * POLLS_AN_HOUR + growth(working, "traced", "events") * EVENTS_AN_HOUR
    assert an_hour < MOST_BYTES_AN_HOUR, told
    # What libraries in C hold is seen in pages only: enough for polls, and for events no more than coarse.
    assert growth(resting, "resident", "polls") * POLLS_AN_HOUR < MOST_BYTES_AN_HOUR, told
    assert working[-1].resident - working[0].resident < MOST_BYTES_AN_HOUR, told


def test_c104_one_object_left_behind_by_each_poll_would_be_noticed(group: Group) -> None:
    group.stick("leaking")
    group.start()
    samples = further(group, WARM + SAMPLES // 2)[WARM:]
    assert growth(samples, "objects", "polls") == pytest.approx(1.0, abs=MOST_OBJECTS / 2), samples


def test_a_sample_taken_in_a_bad_moment_is_outvoted() -> None:
    """As where a buffer of 2 MB was held in the last one."""
    samples = [Sample(1, events, 0, 20 * events, 0) for events in range(0, 28_000, 4_000)]
    assert growth([*samples[:-1], replace(samples[-1], traced=2_000_000)], "traced", "events") == 20
