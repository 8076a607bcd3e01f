"""Which turns a run consists of, and what its figures mean."""

from pathlib import Path

import pytest

from benchmarks.locomo import SYNTHETIC, load_dialogues, main
from benchmarks.replay import Replayed
from benchmarks.throughput import run_turns


@pytest.mark.parametrize("least", [1, 60, 61, 500])
def test_dialogues_are_repeated_until_there_are_enough_turns(least: int) -> None:
    dialogues = load_dialogues(SYNTHETIC)
    turns = run_turns(dialogues, "-a", least)
    assert least <= len(turns) < least + 60
    assert len({turn.id for turn in turns}) == len(turns)


def test_two_runs_share_no_user_and_no_id() -> None:
    dialogues = load_dialogues(SYNTHETIC)
    one, two = run_turns(dialogues, "-a", 1), run_turns(dialogues, "-b", 1)
    assert [turn.content for turn in one] == [turn.content for turn in two]
    assert not {turn.id for turn in one} & {turn.id for turn in two}
    assert not {turn.user_id for turn in one} & {turn.user_id for turn in two}


def test_a_turn_of_a_dialogue_names_its_speaker_and_place() -> None:
    turns = load_dialogues(SYNTHETIC)[0].turns()
    first, second = turns[:2]
    assert (first.speaker, second.speaker) == ("Nora", "Tomas")
    assert {turn.role for turn in turns} == {"user"}
    assert first.occurred_at.isoformat() == "2024-03-04T09:15:00+00:00"
    assert (second.occurred_at - first.occurred_at).total_seconds() > 0
    assert [turn.index for turn in turns[:3]] == [0, 1, 2]


def _replayed(lags: tuple[float, ...], seconds: float) -> Replayed:
    return Replayed(
        turns=4, claims=0, facts=0, overrides=0, dead_letters=0, inbox={}, seconds=seconds, lags=lags, memory={}
    )


def test_figures_of_a_run() -> None:
    run = _replayed((0.1, 0.2, 0.3, 0.4), 2.0)
    assert (run.rate, run.lag(0.5), run.lag(0.99), run.lag(1.0)) == (2.0, 0.3, 0.4, 0.4)


def test_turns_that_were_known_have_no_speed() -> None:
    run = _replayed((), 0.0)
    assert (run.rate, run.lag(0.5)) == (0.0, 0.0)


def test_a_stack_that_is_not_up_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lock").touch()
    assert main([str(SYNTHETIC), "--data-dir", str(tmp_path)]) == 1
    assert "no stack is up" in capsys.readouterr().err
