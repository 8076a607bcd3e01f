"""The short form: each disturbance once, or a few times, over some hundred turns."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.judge import Outcome, count_differing, count_twice
from tests.chaos.lab import Lab, open_lab, turns_of
from tests.chaos.row import Row
from tests.chaos.run import quiet, run
from tests.chaos.scenarios import SCENARIOS, Scenario, disorder, is_disordered
from tests.chaos.size import SHORT
from tests.support.brokers import ON_KAFKA


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with open_lab(tmp_path_factory.mktemp("chaos")) as opened:
        yield opened


@pytest.fixture(scope="module")
def undisturbed(lab: Lab) -> Outcome:
    return quiet(lab, turns_of(SHORT.turns))


def named(name: str) -> Scenario:
    return next(scenario for scenario in SCENARIOS if scenario.name == name)


@pytest.fixture
def judged(lab: Lab, undisturbed: Outcome) -> Callable[[str], Row]:
    """Runs a scenario."""

    def judge(name: str) -> Row:
        scenario = named(name)
        if scenario.lack is not None and not ON_KAFKA:
            pytest.skip(f"{scenario.lack}; make test-kafka runs it")
        if scenario.full_disk and os.geteuid() != 0:
            pytest.skip("only root can mount a small file system")
        for _ in range(2):  # other work on the machine may hold up what is timed; what is believed has one try
            row = run(scenario, lab, SHORT, undisturbed)
            print(row.as_json(), flush=True)  # noqa: T201 - the figures of a failure are its explanation
            if not row.is_only_late():
                break
        return row

    return judge


def test_c84_c87_workers_killed(judged: Callable[[str], Row]) -> None:
    assert judged("kills").faults() == []


def test_c88_c94_the_broker_away_and_back(judged: Callable[[str], Row]) -> None:
    """In the end the committed offsets are at the ends of the topics: `behind` counts what is not."""
    assert judged("broker_stop").faults() == []


def test_c94_three_brokers_restarted_in_turn(judged: Callable[[str], Row]) -> None:
    assert judged("rolling_brokers").faults() == []


def test_the_database_crashed_and_recovered(judged: Callable[[str], Row]) -> None:
    assert judged("postgres_crash").faults() == []


def test_broken_lines_to_the_database(judged: Callable[[str], Row]) -> None:
    assert judged("lines_to_postgres").faults() == []


def test_broken_lines_to_the_broker(judged: Callable[[str], Row]) -> None:
    assert judged("lines_to_kafka").faults() == []


def test_c89_two_four_one_replicas(judged: Callable[[str], Row]) -> None:
    assert judged("replicas").faults() == []


def test_a_full_disk_under_the_database(judged: Callable[[str], Row]) -> None:
    assert judged("full_disk").faults() == []


def test_c70_events_larger_than_the_topic_takes(judged: Callable[[str], Row]) -> None:
    assert judged("giants").faults() == []


def test_c93_turns_twice_out_of_order_and_late(judged: Callable[[str], Row]) -> None:
    assert judged("disorder").faults() == []


def test_replicas_whose_clocks_differ_by_half_an_hour(judged: Callable[[str], Row]) -> None:
    assert judged("clock_skew").faults() == []


def test_the_model_away_and_back(judged: Callable[[str], Row]) -> None:
    assert judged("model_down").faults() == []


def test_every_scenario_is_in_the_short_form_too() -> None:
    assert all(f'judged("{scenario.name}")' in Path(__file__).read_text() for scenario in SCENARIOS)


def test_the_disorder_is_one() -> None:
    turns = turns_of(SHORT.turns)
    mixed = disorder(turns)
    assert not is_disordered(turns)
    assert is_disordered(mixed)
    assert len(mixed) > len(turns)
    assert {turn.id for turn in mixed} == {turn.id for turn in turns}


@pytest.mark.parametrize(
    ("changed", "late"),
    [
        ({}, False),
        ({"recovery_seconds": 61.0}, True),
        ({"readiness": "conflict-1 said ('no answer',)"}, True),
        ({"readiness": "conflict-1 said ready"}, False),
        ({"recovery_seconds": None}, False),
        ({"recovery_seconds": 61.0, "lost": 1}, False),
        ({"differing": 1}, False),
    ],
)
def test_only_what_is_timed_has_a_second_try(changed: dict[str, Any], late: bool) -> None:
    fine = Row("s", "short", "nothing", 1, 600, 0, 0, 0, 0, 5.0, 6.0, "told", (), 60.0)
    assert fine.faults() == []
    assert replace(fine, **changed).is_only_late() is late


def test_a_lost_turn_would_be_noticed(undisturbed: Outcome) -> None:
    fewer = Outcome({**undisturbed.folded, "facts": {}}, undisturbed.claims[1:], undisturbed.conflicts)
    assert count_differing(fewer.folded, undisturbed.folded) == len(undisturbed.folded["facts"]) > 0
    more = Outcome(undisturbed.folded, (*undisturbed.claims, "x"), undisturbed.conflicts)
    assert count_twice(more, undisturbed) == 1
