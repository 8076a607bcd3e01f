"""A worker's memory grows neither while nothing happens nor with the events it has done.

Twelve hours, compressed: what counts is what each poll and each event leaves behind, so they are counted, not timed.
Some thousand polls that find nothing pass, then some thousand events, and the growth of both is told for an hour.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from statistics import median

import pytest

from tests.support.faust_group import PARTITIONS, Group, a_group, all_of
from tests.support.growing_worker import Sample, read_samples
from tests.support.processes import PATIENCE, eventually
from tests.support.servers import Database

WARM = 2
SAMPLES = 10
ROUNDS = 6
"""Of which the first does not count. The other five outvote one that was looked at in a bad moment."""
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
    return median(_slope(a, b, what, by) for a, b in combinations(samples, 2))


def steady_growth(samples: Sequence[Sample], what: str, by: str) -> float:
    """The same from one sample to the next, which a buffer that is taken once and kept does not move either."""
    return median(_slope(a, b, what, by) for a, b in pairwise(samples))


def _slope(a: Sample, b: Sample, what: str, by: str) -> float:
    added: int = getattr(b, what) - getattr(a, what)
    done: int = getattr(b, by) - getattr(a, by)
    return added / done


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
    an_hour = steady_growth(resting, "traced", "polls") * POLLS_AN_HOUR
    an_hour += steady_growth(working, "traced", "events") * EVENTS_AN_HOUR
    assert an_hour < MOST_BYTES_AN_HOUR, told
    # What libraries in C hold is seen in pages only: enough for polls, and for events no more than coarse.
    assert growth(resting, "resident", "polls") * POLLS_AN_HOUR < MOST_BYTES_AN_HOUR, told
    assert working[-1].resident - working[0].resident < MOST_BYTES_AN_HOUR, told


def test_c104_one_object_left_behind_by_each_poll_would_be_noticed(group: Group) -> None:
    group.stick("leaking")
    group.start()
    samples = further(group, WARM + SAMPLES // 2)[WARM:]
    assert growth(samples, "objects", "polls") == pytest.approx(1.0, abs=MOST_OBJECTS / 2), samples


@pytest.mark.parametrize("held", [range(6, 7), range(3, 4), range(4, 7)])
def test_a_buffer_that_is_held_at_times_or_kept_is_no_growth(held: range) -> None:
    """Of 2 MB, as the client holds what it has fetched."""
    even = [Sample(1, events, 0, 20 * events, 0) for events in range(0, 28_000, 4_000)]
    samples = [replace(one, traced=one.traced + 2_000_000 * (place in held)) for place, one in enumerate(even)]
    assert steady_growth(samples, "traced", "events") == 20
