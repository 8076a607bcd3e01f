"""Rules 1 to 6: what a declaration does, and what it leaves alone."""

from datetime import timedelta

from lithify.domain.claims import Basis, CommandKind, Cue
from lithify.domain.slots.state import VerdictKind
from tests.support.slots import ALLERGY, LIKES, Talk, day, held, hints, read, rules


def test_rule_01_instruction_is_promoted_at_once() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    told = talk.instruct(day(1), "vegan")
    state = talk.replay()
    assert held(state, day(1)) == {"vegan"}
    assert rules(state) == ["established/statement", "promoted/instruction"]
    verdict = state.verdicts[-1]
    assert (verdict.replaced, verdict.claim_ids) == ("vegetarian", (told.id,))
    old, new = state.facts
    assert (old.valid_to, old.superseded_by) == (day(1), new.id)


def test_rule_01_declaration_ends_every_running_override() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.say(day(1), "meat")
    talk.choose(day(2), "fish", "dinner", valid_to=day(9), cue=Cue.TEMPORARY)
    talk.instruct(day(3), "vegan")
    state = talk.replay()
    assert [item.ends_at for item in state.overrides] == [day(3), day(3)]
    assert read(state, day(3)) == ["vegan"]


def test_rule_01_declaration_of_the_stored_value_voids_all_evidence() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    for number in (1, 2):
        talk.choose(day(number), "meat")
    talk.instruct(day(3), "vegetarian")
    for number in (4, 5):
        talk.choose(day(number), "meat")
    state = talk.replay()
    assert state.contenders[0].days == 2
    assert "promoted/evidence" not in rules(state)
    assert "reinforced/instruction" in rules(state)


def test_rule_01_denial_leaves_compatible_overrides_alone() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", valid_to=day(9), cue=Cue.TEMPORARY)
    talk.say(day(2), "vegetarian", no=True)
    state = talk.replay()
    assert read(state, day(3)) == ["meat"]
    assert read(state, day(9)) == ["not vegetarian"]


def test_rule_01_in_a_set_only_the_overrides_of_the_value_end() -> None:
    talk = Talk(LIKES)
    talk.say(day(0), "jazz")
    talk.choose(day(1), "rock", cue=Cue.TEMPORARY, valid_to=day(9))
    talk.choose(day(1), "jazz", no=True, cue=Cue.TEMPORARY, valid_to=day(9))
    talk.instruct(day(2), "jazz")
    state = talk.replay()
    assert [item.value for item in state.running(day(3))] == ["rock"]


def test_rule_02_instruction_with_a_temporary_cue_is_an_override() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.instruct(day(1), "meat", "party", cue=Cue.TEMPORARY)
    talk.change(day(2), "fish", valid_to=day(5))
    state = talk.replay()
    assert held(state, day(3)) == {"vegetarian"}
    assert read(state, day(3)) == ["fish"]
    assert read(state, day(5)) == ["vegetarian"]


def test_rule_02_stated_end_never_weakens_a_later_instruction_without_cue() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(9))
    talk.instruct(day(2), "meat")
    assert held(talk.replay(), day(2)) == {"meat"}


def test_rule_02_stated_end_makes_other_mentions_cued() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(20))
    for number in range(2, 10):
        talk.choose(day(number), "meat")
        talk.say(day(number, 12), "meat")
    state = talk.replay()
    assert held(state, day(11)) == {"vegetarian"}
    assert state.contenders[0].days == 0
    assert not hints(state, day(9, 13))


def test_rule_03_future_start_takes_effect_then() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.say(day(1), "vegan", valid_from=day(10, 0))
    state = talk.replay()
    assert held(state, day(9)) == {"vegetarian"}
    assert held(state, day(10, 0)) == {"vegan"}
    assert rules(state) == ["established/statement", "kept/scheduled", "superseded/scheduled"]
    assert state.next_change_at == day(10, 0)


def test_rule_03_later_declaration_cancels_what_was_scheduled() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.say(day(1), "vegan", valid_from=day(10, 0))
    talk.instruct(day(2), "vegetarian")
    state = talk.replay()
    assert held(state, day(11)) == {"vegetarian"}
    assert "rejected/schedule_cancelled" in rules(state)


def test_rule_03_statement_does_not_cancel_what_was_scheduled() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.say(day(1), "vegan", valid_from=day(10, 0))
    talk.say(day(2), "vegetarian")
    assert held(talk.replay(), day(11)) == {"vegan"}


def test_rule_03_what_was_said_after_the_scheduled_word_stays() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "rotterdam", valid_from=day(10, 0))
    talk.say(day(8), "lyon", cue=Cue.TEMPORARY, valid_to=day(12, 0))
    state = talk.replay()
    assert read(state, day(11)) == ["lyon"]
    assert read(state, day(12)) == ["rotterdam"]


def test_rule_04_past_end_adds_a_closed_interval_and_touches_nothing_else() -> None:
    talk = Talk()
    talk.say(day(100), "vegetarian")
    talk.say(day(101), "meat", valid_from=day(10), valid_to=day(50))
    state = talk.replay()
    assert held(state, day(30)) == {"meat"}
    assert held(state, day(60)) == set()
    assert held(state, day(102)) == {"vegetarian"}


def test_rule_04_past_end_of_the_stored_value_ends_it() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.say(day(30), "vegetarian", valid_to=day(20))
    state = talk.replay()
    assert held(state, day(19)) == {"vegetarian"}
    assert held(state, day(31)) == set()
    assert rules(state)[-1] == "retracted/ended"
    assert not state.conflicts


def test_rule_04_a_whole_earlier_period_of_the_stored_value_does_not_end_it() -> None:
    talk = Talk()
    talk.say(day(200), "payments", valid_from=day(180))
    talk.say(day(201), "payments", valid_from=day(0), valid_to=day(90))
    state = talk.replay()
    assert held(state, day(50)) == {"payments"}
    assert held(state, day(130)) == set()
    assert held(state, day(202)) == {"payments"}


def test_rule_04_old_fact_closes_no_earlier_than_it_began() -> None:
    talk = Talk()
    talk.say(day(10), "alder")
    talk.change(day(20), "birch", valid_from=day(5))
    old = next(fact for fact in talk.replay().facts if fact.value == "alder")
    assert old.valid_to == day(10)


def test_rule_05_negative_about_another_value_is_kept() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.say(day(1), "pescatarian", no=True)
    state = talk.replay()
    assert held(state, day(2)) == {"vegetarian"}
    assert rules(state)[-1] == "kept/compatible"
    assert not state.conflicts


def test_rule_05_negative_voids_only_the_evidence_for_its_value() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    for number in (1, 2):
        talk.choose(day(number), "meat")
        talk.choose(day(number, 12), "fish")
    talk.say(day(3), "meat", no=True)
    assert [item.value for item in talk.replay().contenders] == ["fish"]


def test_rule_05_negative_fact_is_filled_like_an_empty_slot() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian", no=True)
    talk.say(day(1), "pescatarian")
    state = talk.replay()
    assert held(state, day(2)) == {"pescatarian"}
    assert rules(state)[-1] == "established/statement"
    assert not state.conflicts


def test_rule_05_remembering_a_negative_does_not_replace_another_value() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.command(day(1), CommandKind.REMEMBER, "meat", no=True)
    assert held(talk.replay(), day(2)) == {"vegetarian"}


def test_rule_06_withdrawal_spares_safety_and_pinned_facts() -> None:
    talk = Talk(ALLERGY)
    talk.say(day(0), "pollen")
    talk.withdraw(day(1), "pollen")
    state = talk.replay()
    assert held(state, day(2)) == {"pollen"}
    assert rules(state)[-1] == "kept/safety"

    talk = Talk(LIKES)
    talk.say(day(0), "latte")
    talk.command(day(1), CommandKind.PIN, "latte")
    talk.withdraw(day(2), "coffee")
    state = talk.replay()
    assert held(state, day(3)) == {"latte"}
    assert rules(state)[-1] == "kept/pinned"


def test_rule_06_withdrawal_that_matches_nothing_is_kept() -> None:
    talk = Talk(LIKES)
    talk.say(day(0), "steak")
    talk.withdraw(day(1), "tea")
    state = talk.replay()
    assert held(state, day(2)) == {"steak"}
    assert rules(state)[-1] == "kept/nothing_to_withdraw"


def test_rule_06_withdrawal_takes_evidence_overrides_and_what_is_to_come() -> None:
    talk = Talk(LIKES)
    talk.choose(day(0), "latte", cue=Cue.TEMPORARY, valid_to=day(9))
    talk.say(day(0), "americano", valid_from=day(5))
    talk.withdraw(day(1), "coffee")
    state = talk.replay()
    assert not state.running(day(2))
    assert not state.contenders
    assert not state.active(day(6))
    assert set(rules(state)[-3:]) == {
        "lapsed/withdrawn",
        "rejected/withdrawal",
        "rejected/schedule_cancelled",
    }


def test_rule_06_withdrawal_closes_earlier_values_only() -> None:
    talk = Talk(LIKES)
    talk.say(day(0), "latte")
    talk.say(day(1), "coffee", no=True, turn_id="stop")
    talk.withdraw(day(1), "coffee", turn_id="stop", ordinal=1)
    talk.say(day(2), "americano")
    state = talk.replay()
    assert held(state, day(3)) == {"not coffee", "americano"}
    assert [item.resolution for item in state.conflicts] == [VerdictKind.RETRACTED]


def test_a_change_supersedes_from_when_it_says() -> None:
    talk = Talk()
    talk.say(day(0), "alder")
    talk.change(day(10), "alder", no=True, turn_id="t")
    talk.change(day(10), "birch", turn_id="t", ordinal=1, valid_from=day(9, 0))
    state = talk.replay()
    assert held(state, day(9, 1)) == {"birch"}
    assert held(state, day(9, 0) - timedelta(seconds=1)) == {"alder"}
    assert len(state.active(day(11))) == 1


def test_rule_01_repeating_a_statement_as_an_instruction_is_as_good_as_one() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.instruct(day(1), "vegetarian")
    assert talk.replay().facts[0].confidence == 0.95


def test_rule_03_scheduled_value_does_not_replace_a_pinned_fact() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.say(day(1), "vegan", valid_from=day(10, 0))
    talk.command(day(2), CommandKind.PIN)
    state = talk.replay()
    assert held(state, day(11)) == {"vegetarian"}
    assert rules(state)[-1] == "kept/pinned"


def test_rule_05_scheduled_negative_about_another_value_is_kept() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.say(day(1), "meat", no=True, valid_from=day(10, 0))
    assert held(talk.replay(), day(11)) == {"vegetarian"}


def test_rule_05_passing_no_voids_nothing_and_ends_what_its_own_session_chose() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1, 9), "meat", "here")
    talk.choose(day(1, 9.1), "meat", "there")
    talk.choose(day(1, 9.2), "meat", "here", no=True)
    state = talk.replay()
    assert read(state, day(1, 9.2), "here") == ["vegetarian"]
    assert read(state, day(1, 9.2), "there") == ["meat"]
    assert [item.value for item in state.contenders] == ["meat"]


def test_rule_06_withdrawal_leaves_what_its_own_turn_laid() -> None:
    talk = Talk(LIKES)
    talk.choose(day(1), "latte", turn_id="t", cue=Cue.TEMPORARY, valid_to=day(3))
    talk.withdraw(day(1), "coffee", turn_id="t", ordinal=1)
    assert [item.value for item in talk.replay().running(day(2))] == ["latte"]


def test_rule_01_denial_that_fills_an_empty_slot_ends_only_what_it_denies() -> None:
    talk = Talk()
    talk.choose(day(0), "meat", cue=Cue.TEMPORARY, valid_to=day(5))
    talk.say(day(1), "vegetarian", no=True)
    assert read(talk.replay(), day(2)) == ["meat"]
    talk.say(day(2), "vegetarian", no=True)
    talk.choose(day(3), "vegetarian", "dinner", no=True)
    assert read(talk.replay(), day(3), "dinner") == ["meat"]


def test_rule_03_plan_for_later_survives_the_one_before_it() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "rotterdam", valid_from=day(10))
    talk.say(day(2), "berlin", valid_from=day(30))
    state = talk.replay()
    assert [(fact.value, fact.valid_from) for fact in state.facts] == [
        ("utrecht", day(0)),
        ("rotterdam", day(10)),
        ("berlin", day(30)),
    ]


def test_rule_03_two_plans_of_one_turn_take_effect_both() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "rotterdam", turn_id="plans", valid_from=day(10))
    talk.say(day(1), "berlin", turn_id="plans", ordinal=1, valid_from=day(30))
    assert held(talk.replay(), day(31)) == {"berlin"}


def test_rule_03_plan_said_later_takes_back_the_one_before_it() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "berlin", valid_from=day(30))
    talk.say(day(2), "rotterdam", valid_from=day(10))
    assert held(talk.replay(), day(31)) == {"rotterdam"}


def test_rule_05_guessing_what_is_compatible_gathers_nothing() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.say(day(1), "fish", Basis.INFERRED, no=True)
    talk.choose(day(2), "fish", no=True, valid_to=day(1))
    assert not talk.replay().contenders
