"""The short form: each disturbance once, or a few times, over some hundred turns."""

import os
from collections.abc import Callable, Iterator

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
    return quiet(lab, SHORT)


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
        row = run(scenario, lab, SHORT, undisturbed)
        print(row.as_json(), flush=True)  # noqa: T201 - the figures of a failure are its explanation
        return row

    return judge


@pytest.mark.parametrize("name", [scenario.name for scenario in SCENARIOS])
def test_the_facts_of_a_quiet_run(judged: Callable[[str], Row], name: str) -> None:
    row = judged(name)
    assert row.faults() == []


def test_the_disorder_is_one() -> None:
    turns = turns_of(SHORT.turns)
    mixed = disorder(turns)
    assert not is_disordered(turns)
    assert is_disordered(mixed)
    assert len(mixed) > len(turns)
    assert {turn.id for turn in mixed} == {turn.id for turn in turns}


def test_a_lost_turn_would_be_noticed(undisturbed: Outcome) -> None:
    fewer = Outcome({**undisturbed.folded, "facts": {}}, undisturbed.claims[1:], undisturbed.conflicts)
    assert count_differing(fewer.folded, undisturbed.folded) == len(undisturbed.folded["facts"]) > 0
    more = Outcome(undisturbed.folded, (*undisturbed.claims, "x"), undisturbed.conflicts)
    assert count_twice(more, undisturbed) == 1
