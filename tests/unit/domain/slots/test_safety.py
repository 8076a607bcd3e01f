"""Rule 13: dangers are believed at once, and taken away only by someone who means it."""

from collections.abc import Callable

import pytest

from lithify.domain.catalog import Attribute, AttributeKind
from lithify.domain.claims import Basis, Cardinality, CommandKind, Cue
from tests.support.slots import ALLERGY, Talk, day, held, hints, rules


def allergic() -> Talk:
    talk = Talk(ALLERGY)
    talk.say(day(0), "peanuts")
    return talk


@pytest.mark.parametrize("basis", [Basis.STATEMENT, Basis.CHANGE, Basis.INSTRUCTION, Basis.CONFIRMATION])
def test_rule_13_filled_by_word_of_the_user(basis: Basis) -> None:
    talk = Talk(ALLERGY)
    talk.say(day(0), "peanuts", basis)
    assert held(talk.replay(), day(0)) == {"peanuts"}


@pytest.mark.parametrize("basis", [Basis.STATEMENT, Basis.CHANGE])
def test_rule_13_danger_over_its_denial_takes_effect_at_once(basis: Basis) -> None:
    talk = Talk(ALLERGY)
    talk.say(day(0), "peanuts", no=True)
    talk.say(day(1), "peanuts", basis)
    assert held(talk.replay(), day(1)) == {"peanuts"}


AGAINST: dict[str, Callable[[Talk], object]] = {
    "statement": lambda talk: talk.say(day(1), "peanuts", no=True),
    "change": lambda talk: talk.change(day(1), "peanuts", no=True),
    "choice": lambda talk: talk.choose(day(1), "peanuts", no=True),
    "no_unasked": lambda talk: talk.answer(day(1), "peanuts", no=True),
    "inferred": lambda talk: talk.say(day(1), "peanuts", Basis.INFERRED, no=True),
    "for_tonight": lambda talk: talk.instruct(day(1), "peanuts", no=True, cue=Cue.TEMPORARY, valid_to=day(2, 4)),
    "over": lambda talk: talk.say(day(1), "peanuts", valid_to=day(0, 12)),
}


@pytest.mark.parametrize("name", AGAINST)
def test_rule_13_anything_else_is_a_conflict_and_a_hint(name: str) -> None:
    talk = allergic()
    AGAINST[name](talk)
    state = talk.replay()
    assert held(state, day(2)) == {"peanuts"}
    assert not state.overrides
    assert len(state.conflicts) == 1
    assert hints(state, day(2)) == {"safety/peanuts"}
    assert rules(state)[-1] == "kept/safety"


def test_rule_13_instruction_takes_a_danger_away() -> None:
    talk = allergic()
    talk.instruct(day(1), "peanuts", no=True)
    assert held(talk.replay(), day(1)) == {"not peanuts"}


def test_rule_13_confirmed_answer_to_a_pending_contradiction_takes_it_away() -> None:
    talk = allergic()
    talk.change(day(1), "peanuts", no=True)
    talk.answer(day(2), "peanuts", no=True)
    state = talk.replay()
    assert held(state, day(2)) == {"not peanuts"}
    assert not hints(state, day(2))


def test_rule_13_confirmed_question_of_permanence_takes_it_away() -> None:
    talk = allergic()
    talk.answer(day(1), "peanuts", no=True, cue=Cue.PERMANENT)
    assert held(talk.replay(), day(1)) == {"not peanuts"}


def test_rule_13_statement_however_lasting_does_not_take_it_away() -> None:
    talk = allergic()
    talk.say(day(1), "peanuts", no=True, cue=Cue.PERMANENT)
    assert held(talk.replay(), day(1)) == {"peanuts"}


def test_rule_13_withdrawal_leaves_passing_dangers_too_and_is_asked_about() -> None:
    talk = allergic()
    talk.say(day(1), "antibiotics", cue=Cue.TEMPORARY, valid_to=day(9))
    talk.withdraw(day(2), "antibiotics", "peanuts")
    state = talk.replay()
    assert [item.value for item in state.running(day(3))] == ["antibiotics"]
    assert hints(state, day(3)) == {"safety/peanuts"}


def test_rule_13_restating_the_danger_settles_the_question() -> None:
    talk = allergic()
    talk.change(day(1), "peanuts", no=True)
    talk.say(day(2), "peanuts")
    talk.answer(day(3), "peanuts", no=True)
    assert held(talk.replay(), day(3)) == {"peanuts"}


def test_rule_13_evidence_never_decides() -> None:
    talk = allergic()
    for number in range(1, 40):
        talk.choose(day(number), "peanuts", no=True)
    state = talk.replay()
    assert held(state, day(41)) == {"peanuts"}
    assert not state.contenders


def test_rule_13_two_dangers_never_compete_even_in_a_single_valued_slot() -> None:
    talk = Talk(Attribute("illness", AttributeKind.SAFETY, Cardinality.SINGLE, "illness", "疾病"))
    talk.say(day(0), "asthma")
    talk.change(day(1), "diabetes")
    assert held(talk.replay(), day(1)) == {"asthma", "diabetes"}


def test_rule_13_command_takes_a_danger_away() -> None:
    talk = allergic()
    talk.command(day(1), CommandKind.REMEMBER, "peanuts", no=True)
    assert held(talk.replay(), day(1)) == {"not peanuts"}


def test_rule_13_override_laid_before_the_danger_never_hides_it() -> None:
    talk = Talk(ALLERGY)
    talk.choose(day(0), "peanuts", no=True, cue=Cue.TEMPORARY, valid_from=day(3), valid_to=day(9))
    talk.say(day(1), "peanuts")
    assert not talk.replay().running(day(4))


def test_rule_13_override_laid_before_a_scheduled_danger_never_hides_it() -> None:
    talk = Talk(ALLERGY)
    talk.say(day(0), "peanuts", valid_from=day(5))
    talk.choose(day(1), "peanuts", no=True, cue=Cue.TEMPORARY, valid_to=day(9))
    state = talk.replay()
    assert held(state, day(6)) == {"peanuts"}
    assert not state.running(day(6))


def test_rule_13_scheduled_change_does_not_take_a_danger_away() -> None:
    talk = Talk(ALLERGY)
    talk.change(day(0), "peanuts", no=True, valid_from=day(5))
    talk.say(day(1), "peanuts")
    state = talk.replay()
    assert held(state, day(6)) == {"peanuts"}
    assert hints(state, day(6)) == {"safety/peanuts"}


def test_rule_13_scheduled_instruction_does() -> None:
    talk = Talk(ALLERGY)
    talk.say(day(0), "peanuts")
    talk.instruct(day(1), "peanuts", no=True, valid_from=day(5))
    assert held(talk.replay(), day(6)) == {"not peanuts"}


def test_rule_13_correcting_one_danger_takes_its_name() -> None:
    talk = allergic()
    talk.command(day(1), CommandKind.CORRECT, "pollen")
    assert held(talk.replay(), day(1)) == {"peanuts", "pollen"}
    talk.command(day(2), CommandKind.CORRECT, "milk", no=True)
    assert held(talk.replay(), day(2)) == {"peanuts", "pollen", "not milk"}


def test_rule_13_earlier_period_takes_nothing_away_and_asks_nothing() -> None:
    talk = allergic()
    talk.say(day(1), "peanuts", valid_from=day(-90), valid_to=day(-60))
    talk.say(day(2), "peanuts", no=True, valid_from=day(-60), valid_to=day(-30))
    state = talk.replay()
    assert held(state, day(2)) == {"peanuts"}
    assert not state.conflicts
    assert not state.hints
    assert rules(state)[1:] == ["established/past_interval"] * 2
