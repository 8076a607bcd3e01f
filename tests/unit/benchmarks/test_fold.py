"""The fold bench: its slots are what it says, and it prints both figures."""

import pytest

from benchmarks.fold import CLAIMS, STEPS, WORLDS, cases, main, steps
from lithify.domain.catalog import Attribute, AttributeKind
from lithify.domain.claims import Cardinality
from lithify.domain.policy import Policy
from lithify.domain.slots import replay

DRINK = Attribute("drink", AttributeKind.PREFERENCE, Cardinality.SINGLE, "drink", "饮品")


def test_each_slot_has_so_many_claims_and_one_contender_at_most() -> None:
    for world in WORLDS:
        for case in cases(world, 3):
            assert len(case.evidence) == CLAIMS == len(case.sessions)
            state = replay("benchmark", DRINK, case.evidence, case.sessions, Policy())
            assert len({item.value for item in state.contenders}) <= 1
            assert {item.value for item in case.evidence} == {"old", "new"}


def test_every_step_is_timed() -> None:
    [case] = cases(WORLDS[0], 1)
    assert len(steps(case)) == STEPS


def test_it_prints_both_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--slots", "2"]) == 0
    said = capsys.readouterr().out
    assert "p99" in said
    assert said.count("full replay") == said.count("one more claim") == len(WORLDS)
