"""Rules 7 to 9: statements against the fact, statements of the fact, and answers."""

from lithify.domain.claims import Basis, Cue
from lithify.domain.slots.state import VerdictKind
from tests.support.slots import LIKES, Talk, day, held, hints, read, rules


def test_rule_07_contradicting_statement_holds_in_every_session_for_seven_days() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    said = talk.say(day(1), "rotterdam")
    state = talk.replay()
    assert held(state, day(2)) == {"utrecht"}
    assert read(state, day(7.9), "any other session") == ["rotterdam"]
    assert read(state, day(8)) == ["utrecht"]
    (conflict,) = state.conflicts
    assert (conflict.claim_id, conflict.resolution) == (said.id, VerdictKind.OVERRIDDEN)
    assert hints(state, day(1)) == {"contradiction/rotterdam"}
    assert not hints(state, day(8))


def test_rule_07_each_mention_moves_the_end() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "rotterdam")
    talk.choose(day(6), "rotterdam")
    state = talk.replay()
    assert read(state, day(12.9)) == ["rotterdam"]
    assert state.overrides[0].ends_at == day(13)


def test_rule_08_statement_of_the_stored_value_ends_all_overrides() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(9))
    talk.say(day(2), "fish")
    talk.say(day(3), "vegetarian")
    state = talk.replay()
    assert read(state, day(3)) == ["vegetarian"]
    assert not hints(state, day(3))
    assert "reinforced/statement" in rules(state)


def test_rule_08_choice_of_the_stored_value_ends_the_overrides_of_its_session() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1, 9), "meat", "lunch")
    talk.choose(day(1, 9.1), "meat", "other")
    talk.choose(day(1, 9.2), "vegetarian", "lunch")
    state = talk.replay()
    assert read(state, day(1, 9.2), "lunch") == ["vegetarian"]
    assert read(state, day(1, 9.2), "other") == ["meat"]


def test_rule_08_choice_of_the_stored_value_lies_over_a_stated_end_for_its_session() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(9))
    talk.choose(day(2), "vegetarian", "salad")
    state = talk.replay()
    assert read(state, day(2), "salad") == ["vegetarian"]
    assert read(state, day(2)) == ["meat"]
    assert read(state, day(3), "salad") == ["meat"]


def test_rule_09_yes_to_a_standing_hint_is_an_instruction() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "rotterdam")
    talk.answer(day(2), "rotterdam")
    state = talk.replay()
    assert held(state, day(2)) == {"rotterdam"}
    assert "promoted/confirmed" in rules(state)
    assert not hints(state, day(2))


def test_rule_09_yes_for_a_while_is_no_instruction() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "rotterdam")
    talk.answer(day(2), "rotterdam", cue=Cue.TEMPORARY, valid_to=day(5))
    assert held(talk.replay(), day(2)) == {"utrecht"}


def test_rule_09_yes_without_a_hint_is_a_statement() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.answer(day(1), "rotterdam")
    state = talk.replay()
    assert held(state, day(1)) == {"utrecht"}
    assert read(state, day(3)) == ["rotterdam"]


def test_rule_09_yes_to_a_question_of_permanence_is_an_instruction() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.answer(day(1), "rotterdam", cue=Cue.PERMANENT)
    assert held(talk.replay(), day(1)) == {"rotterdam"}


def test_rule_09_no_about_the_stored_value_is_the_opposite_statement() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.answer(day(1), "vegetarian", no=True)
    state = talk.replay()
    assert held(state, day(1)) == {"not vegetarian"}


def test_rule_09_no_voids_the_evidence_ends_the_override_and_quiets_the_hint() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "rotterdam")
    talk.answer(day(2), "rotterdam", no=True)
    talk.say(day(10), "rotterdam")
    talk.say(day(40), "rotterdam")
    state = talk.replay()
    assert read(state, day(2)) == ["utrecht"]
    assert "rejected/answered_no" in rules(state)
    assert not hints(state, day(10))
    assert hints(state, day(40)) == {"contradiction/rotterdam"}


def test_rule_09_no_to_a_question_of_permanence_leaves_the_override() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "rotterdam")
    talk.answer(day(2), "rotterdam", no=True, cue=Cue.PERMANENT)
    state = talk.replay()
    assert read(state, day(3)) == ["rotterdam"]
    assert not state.contenders
    assert not hints(state, day(2))


def test_rule_09_no_in_an_empty_slot_stores_nothing() -> None:
    talk = Talk(LIKES)
    talk.answer(day(0), "jazz", no=True)
    state = talk.replay()
    assert not state.facts
    assert rules(state) == ["rejected/answered_no"]


def test_statement_of_the_opposite_is_a_change() -> None:
    talk = Talk(LIKES)
    talk.say(day(0), "horror")
    talk.say(day(1), "horror", no=True)
    state = talk.replay()
    assert held(state, day(1)) == {"not horror"}
    assert rules(state)[-1] == "superseded/opposite_statement"


def test_statement_fills_an_empty_slot_and_a_choice_does_not() -> None:
    talk = Talk()
    talk.choose(day(0), "meat", "dinner")
    assert not talk.replay().facts
    assert read(talk.replay(), day(0), "dinner") == ["meat"]
    talk.say(day(1), "vegetarian")
    assert held(talk.replay(), day(1)) == {"vegetarian"}


def test_guess_makes_neither_fact_nor_override() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.say(day(1), "meat", Basis.INFERRED)
    state = talk.replay()
    assert held(state, day(1)) == {"vegetarian"}
    assert not state.overrides
    assert rules(state)[1] == "kept/inferred"


def test_rule_07_saying_that_it_is_for_a_while_answers_the_question() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1, 9), "rotterdam", session="s")
    talk.say(day(1, 9.1), "rotterdam", session="s", cue=Cue.TEMPORARY, valid_to=day(4))
    state = talk.replay()
    assert not hints(state, day(1, 10))
    assert read(state, day(3.9)) == ["rotterdam"]
    assert read(state, day(4)) == ["utrecht"]


def test_rule_09_passing_choice_leaves_the_question_open() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "rotterdam")
    talk.choose(day(2), "rotterdam", cue=Cue.TEMPORARY)
    talk.answer(day(3), "rotterdam")
    assert held(talk.replay(), day(3)) == {"rotterdam"}
