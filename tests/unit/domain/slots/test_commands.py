"""Rule 14 and the commands: pin, unpin, correct, approve, reject."""

from lithify.domain.claims import CommandKind, Cue
from tests.support.slots import EAGER, LIKES, Talk, day, held, hints, read, rules


def pinned() -> Talk:
    talk = Talk(policy=EAGER)
    talk.say(day(0), "vegetarian")
    talk.command(day(1), CommandKind.PIN)
    return talk


def promoted() -> Talk:
    talk = Talk(policy=EAGER)
    talk.say(day(0), "vegetarian")
    for number in range(1, 6):
        talk.choose(day(number), "meat")
    assert held(talk.replay(), day(6)) == {"meat"}
    return talk


def test_rule_14_declaration_over_a_pinned_fact_holds_for_its_session() -> None:
    talk = pinned()
    talk.instruct(day(2), "meat", "dinner")
    state = talk.replay()
    assert held(state, day(3)) == {"vegetarian"}
    assert state.facts[0].pinned
    assert read(state, day(2), "dinner") == ["meat"]
    assert read(state, day(2)) == ["vegetarian"]
    assert hints(state, day(2)) == {"pinned/meat"}


def test_rule_14_evidence_over_a_pinned_fact_gathers_but_does_not_promote() -> None:
    talk = pinned()
    for number in range(2, 12):
        talk.choose(day(number), "meat")
    state = talk.replay()
    assert held(state, day(13)) == {"vegetarian"}
    assert state.contenders[0].days == 10
    assert state.contenders[0].posterior >= state.contenders[0].threshold


def test_rule_14_unpin_voids_the_evidence() -> None:
    talk = pinned()
    for number in range(2, 12):
        talk.choose(day(number), "meat")
    talk.command(day(12), CommandKind.UNPIN)
    talk.choose(day(13), "meat")
    state = talk.replay()
    assert held(state, day(15)) == {"vegetarian"}
    assert state.contenders[0].days == 1


def test_rule_14_command_changes_a_pinned_fact_and_the_pin_stays() -> None:
    talk = pinned()
    talk.command(day(2), CommandKind.REMEMBER, "vegan")
    state = talk.replay()
    (fact,) = state.active(day(2))
    assert (fact.value, fact.pinned) == ("vegan", True)


def test_rule_14_end_of_a_pinned_value_is_asked_about() -> None:
    talk = pinned()
    talk.say(day(5), "vegetarian", valid_to=day(3))
    state = talk.replay()
    assert held(state, day(6)) == {"vegetarian"}
    assert rules(state)[-1] == "kept/pinned"


def test_rule_14_pin_without_a_fact_is_rejected() -> None:
    talk = Talk()
    talk.command(day(0), CommandKind.PIN)
    assert rules(talk.replay()) == ["rejected/nothing_to_pin"]


def test_rule_14_pin_of_a_new_value_stores_it() -> None:
    talk = Talk(LIKES)
    talk.command(day(0), CommandKind.PIN, "jazz")
    (fact,) = talk.replay().active(day(0))
    assert (fact.value, fact.pinned) == ("jazz", True)


def test_rule_14_reject_of_a_promoted_fact_reopens_the_one_before() -> None:
    talk = promoted()
    talk.command(day(8), CommandKind.REJECT, "meat")
    state = talk.replay()
    assert held(state, day(9)) == {"vegetarian"}
    assert held(state, day(7)) == {"vegetarian"}, "it was never the fact"
    assert rules(state)[-1] == "retracted/reject"


def test_rule_14_reject_of_a_contender_voids_its_evidence() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    for number in (1, 2):
        talk.choose(day(number), "meat")
    talk.command(day(3), CommandKind.REJECT)
    state = talk.replay()
    assert not state.contenders
    assert "rejected/reject" in rules(state)


def test_rule_14_approve_promotes_the_best_contender_now() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat")
    talk.command(day(2), CommandKind.APPROVE)
    state = talk.replay()
    assert held(state, day(2)) == {"meat"}
    assert "promoted/approve" in rules(state)


def test_rule_14_approve_with_nothing_to_approve_is_rejected() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.command(day(1), CommandKind.APPROVE, "meat")
    state = talk.replay()
    assert held(state, day(1)) == {"vegetarian"}
    assert rules(state)[-1] == "rejected/nothing_to_approve"


def test_correct_replaces_a_value_over_its_whole_validity() -> None:
    talk = Talk()
    talk.say(day(0), "alder", valid_from=day(-30))
    talk.command(day(5), CommandKind.CORRECT, "elder")
    state = talk.replay()
    assert held(state, day(-20)) == {"elder"}
    assert held(state, day(6)) == {"elder"}
    wrong = next(fact for fact in state.facts if fact.value == "alder")
    assert wrong.corrected
    assert rules(state)[-1] == "superseded/correct"


def test_correct_of_a_closed_interval_leaves_the_present_alone() -> None:
    talk = Talk()
    talk.say(day(0), "alder")
    talk.change(day(5), "birch")
    old = talk.replay().facts[0]
    talk.command(day(9), CommandKind.CORRECT, "elder", fact_id=old.id)
    state = talk.replay()
    assert held(state, day(2)) == {"elder"}
    assert held(state, day(10)) == {"birch"}


def test_correct_of_an_unknown_fact_is_rejected() -> None:
    talk = Talk()
    talk.say(day(0), "alder")
    talk.command(day(1), CommandKind.CORRECT, "elder", fact_id="no such fact")
    state = talk.replay()
    assert held(state, day(2)) == {"alder"}
    assert rules(state)[-1] == "rejected/nothing_to_correct"


def test_correct_in_a_set_moves_the_validity_to_the_right_value() -> None:
    talk = Talk(LIKES)
    talk.say(day(0), "jas")
    talk.say(day(0, 10), "rock")
    wrong = next(fact for fact in talk.replay().facts if fact.value == "jas")
    talk.command(day(5), CommandKind.CORRECT, "jazz", fact_id=wrong.id)
    state = talk.replay()
    assert held(state, day(1)) == {"jazz", "rock"}


def test_remember_declares() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(9))
    talk.command(day(2), CommandKind.REMEMBER, "vegan")
    state = talk.replay()
    assert read(state, day(2)) == ["vegan"]


def test_correct_keeps_the_chain_of_succession() -> None:
    talk = Talk()
    talk.say(day(0), "alder")
    talk.change(day(5), "birch")
    talk.command(day(9), CommandKind.CORRECT, "beech")
    first, second, third = talk.replay().facts
    right = next(fact for fact in (second, third) if fact.value == "beech")
    assert first.superseded_by == right.id


def test_rule_14_reject_voids_what_had_promoted() -> None:
    talk = promoted()
    talk.command(day(8), CommandKind.REJECT, "meat")
    talk.choose(day(9), "meat")
    state = talk.replay()
    assert held(state, day(11)) == {"vegetarian"}
    assert state.contenders[0].days == 1


def test_rule_14_rejected_contender_is_not_asked_about_for_a_while() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "rotterdam")
    talk.command(day(2), CommandKind.REJECT, "rotterdam")
    talk.say(day(10), "rotterdam")
    state = talk.replay()
    assert not hints(state, day(2))
    assert not hints(state, day(10))


def test_rule_14_pinned_denial_is_not_filled_over() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian", no=True)
    talk.command(day(1), CommandKind.PIN)
    talk.change(day(2), "fish")
    talk.change(day(3), "tofu", valid_from=day(4))
    state = talk.replay()
    assert held(state, day(5)) == {"not vegetarian"}
    assert rules(state)[-1] == "lapsed/contender_silent"


def test_rule_14_correction_of_a_set_by_a_denial_touches_its_own_value() -> None:
    talk = Talk(LIKES)
    talk.say(day(0), "latte")
    talk.command(day(1), CommandKind.CORRECT, "tea", no=True)
    assert held(talk.replay(), day(1)) == {"latte", "not tea"}


def test_rule_14_pinning_what_is_compatible_pins_nothing_else() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.command(day(1), CommandKind.PIN, "fish", no=True)
    (fact,) = talk.replay().facts
    assert not fact.pinned


def test_rule_14_command_that_finds_nothing_leaves_no_trace_in_the_evidence() -> None:
    def later(kind: CommandKind | None) -> float:
        talk = Talk()
        if kind is not None:
            talk.command(day(0), kind, "meat")
        talk.choose(day(9), "meat")
        return talk.replay().contenders[0].posterior

    assert later(CommandKind.REJECT) == later(CommandKind.APPROVE) == later(None)
