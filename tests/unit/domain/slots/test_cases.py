"""Failures that people have met in agent memory, each as a test named after its case."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from lithify.domain.claims import Basis, CommandKind, Cue, Quantity, Scope
from lithify.domain.slots import replay
from lithify.domain.slots.state import VerdictKind
from tests.support.slots import EAGER, LIKES, SLOT, Talk, day, held, read, rules


def test_c01_superseded_value_is_closed_linked_and_logged() -> None:
    talk = Talk()
    oolong = talk.say(day(0), "oolong")
    genmaicha = talk.change(day(3), "genmaicha")
    state = talk.replay()
    old, new = state.facts
    assert (old.valid_to, old.superseded_by) == (day(3), new.id)
    (conflict,) = state.conflicts
    assert (conflict.fact_id, conflict.claim_id) == (old.id, genmaicha.id)
    assert (conflict.fact_claim_id, conflict.claim_turn_id) == (oolong.id, genmaicha.turn_id)
    assert held(state, day(1)) == {"oolong"}


def test_c02_contradiction_leaves_exactly_one_fact() -> None:
    talk = Talk(LIKES)
    talk.say(day(0), "horror films")
    talk.say(day(1), "horror films", no=True)
    state = talk.replay()
    assert len(state.active(day(1))) == 1


def test_c03_there_and_back_is_three_intervals_and_one_answer() -> None:
    talk = Talk()
    talk.say(day(0), "podcasts")
    talk.change(day(1), "white noise")
    talk.change(day(2), "podcasts")
    for _ in range(20):
        state = talk.replay()
        assert read(state, day(3)) == ["podcasts"]
    assert [fact.value for fact in state.facts] == ["podcasts", "white noise", "podcasts"]
    assert len({fact.id for fact in state.facts}) == 3


def test_c05_next_session_order_never_becomes_a_fact() -> None:
    talk = Talk(LIKES)
    talk.instruct(day(0), "checklist first", "one", cue=Cue.TEMPORARY, scope=Scope.NEXT_SESSION)
    talk.chat(day(1), "two")
    talk.chat(day(2), "three")
    state = talk.replay()
    assert not state.facts
    assert read(state, day(1), "two") == ["checklist first"]
    assert read(state, day(2), "three") == []


def test_c06_promotion_stores_the_counts_and_the_posterior() -> None:
    talk = Talk(LIKES)
    for number in range(9):
        talk.choose(day(number * 3), "iced americano")
    verdict = next(item for item in talk.replay().verdicts if item.kind == VerdictKind.PROMOTED)
    assert verdict.trace["days"] == 9
    assert verdict.trace["window_days"] == 30
    assert isinstance(verdict.trace["posterior"], float)
    assert len(verdict.claim_ids) == 9


def test_c06_said_once_is_never_a_fact() -> None:
    talk = Talk(LIKES)
    talk.choose(day(0), "iced americano")
    assert not talk.replay().facts


def test_c07_instruction_needs_no_evidence() -> None:
    talk = Talk()
    told = talk.instruct(day(0), "bullet points", cue=Cue.PERMANENT)
    (verdict,) = talk.replay().verdicts
    assert (verdict.kind, verdict.rule, verdict.claim_ids) == ("promoted", "instruction", (told.id,))


def test_c09_evidence_from_before_the_change_no_longer_counts() -> None:
    talk = Talk()
    for number in range(20):
        talk.say(day(number), "alder corp")
    talk.change(day(25), "birch")
    talk.choose(day(26), "alder corp")
    talk.choose(day(27), "alder corp")
    state = talk.replay()
    assert held(state, day(29)) == {"birch"}
    assert state.contenders[0].days == 2


def test_c12_every_single_valued_attribute_is_handled_alike() -> None:
    for talk in (Talk(), Talk(LIKES)):
        talk.say(day(0), "alder")
        talk.change(day(1), "birch")
        expected = {"birch"} if talk.attribute is not LIKES else {"alder", "birch"}
        assert held(talk.replay(), day(1)) == expected


def test_c13_a_hundred_values_are_not_touched_by_another() -> None:
    talk = Talk(LIKES)
    for number in range(100):
        talk.say(day(0, 9 + number / 60), f"thing {number}")
    talk.say(day(1), "a 14-inch laptop")
    state = talk.replay()
    assert len(state.active(day(1))) == 101
    assert not state.conflicts


def test_c15_number_clash_names_both_and_a_repeat_is_a_repeat() -> None:
    talk = Talk()
    first = talk.say(day(0), "2.5 gb", quantity=Quantity(2.5e9, "byte", 5e7))
    clash = talk.say(day(1), "8 gb", quantity=Quantity(8e9, "byte", 5e8))
    again = talk.say(day(2), "2500 mb", quantity=Quantity(2.5e9, "byte", 5e5))
    state = talk.replay()
    (conflict,) = state.conflicts
    assert (conflict.fact_claim_id, conflict.claim_id) == (first.id, clash.id)
    assert state.facts[0].claim_ids == (first.id, again.id)


def test_c15_a_number_is_compared_with_the_one_that_opened_the_fact() -> None:
    """Small steps, each within rounding of the last, do not creep."""
    talk = Talk()
    for number in range(5):
        talk.say(day(number), f"{100 + number} kg", quantity=Quantity(100 + number, "kg", 1.0))
    state = talk.replay()
    assert (state.facts[0].value, state.facts[0].mentions) == ("100 kg", 2)
    assert {item.value for item in state.contenders} == {"102 kg", "104 kg"}


def test_c16_replacement_and_closing_are_one_decision() -> None:
    talk = Talk()
    talk.say(day(0), "alder")
    talk.change(day(1), "birch")
    state = talk.replay()
    assert [len(state.active(at)) for at in (day(0), day(0.99), day(1), day(2))] == [1, 1, 1, 1]


def test_c17_c42_the_same_words_twice_are_one_fact_with_two_mentions() -> None:
    talk = Talk(LIKES)
    talk.say(day(0), "oolong")
    talk.say(day(1), "oolong")
    talk.evidence.append(talk.evidence[-1])
    (fact,) = talk.replay().facts
    assert fact.mentions == 2


def test_c18_broad_withdrawal_closes_narrower_values_under_one_cause() -> None:
    talk = Talk(LIKES)
    for value in ("americano", "latte", "badminton"):
        talk.say(day(0), value, turn_id=value)
    talk.say(day(1), "pour-over yirgacheffe")
    cause = talk.withdraw(day(2), "coffee")
    state = talk.replay()
    assert held(state, day(2)) == {"badminton"}
    assert len(state.conflicts) == 3
    assert {item.claim_id for item in state.conflicts} == {cause.id}


def test_c20_one_turn_request_is_no_lasting_preference() -> None:
    talk = Talk()
    talk.instruct(day(0), "three quotes", "one", cue=Cue.TEMPORARY)
    assert not talk.replay().facts
    talk.instruct(day(1), "ask the budget first", "two", cue=Cue.PERMANENT)
    assert held(talk.replay(), day(1)) == {"ask the budget first"}


def test_c51_a_stated_end_is_exclusive_and_an_expired_override_is_no_evidence() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(10))
    state = talk.replay()
    assert read(state, day(9.999)) == ["meat"]
    assert read(state, day(10)) == ["vegetarian"]
    assert state.contenders[0].days == 0


def test_c93_order_of_arrival_never_decides() -> None:
    chance = random.Random(93)
    talk = Talk()
    bases = [Basis.STATEMENT, Basis.CHOICE, Basis.CHANGE, Basis.CHOICE, Basis.CONFIRMATION]
    for number in range(50):
        value = chance.choice(["alder", "birch", "elder"])
        talk.say(day(number * 0.7), value, chance.choice(bases), f"s{number % 9}")
    expected, sessions = talk.replay(), talk.sessions()
    for _ in range(20):
        shuffled = [*talk.evidence, *chance.choices(talk.evidence, k=10)]
        chance.shuffle(shuffled)
        assert replay(SLOT, talk.attribute, shuffled, sessions, talk.policy) == expected


def test_c100_counts_older_than_thirty_days_are_gone() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    for number in (1, 2, 20, 32):
        talk.choose(day(number), "meat")
    assert talk.replay().contenders[0].days == 2


def test_c101_a_late_claim_counts_on_its_own_day() -> None:
    late = Talk(policy=EAGER)
    late.say(day(0), "vegetarian")
    for number in (2, 3, 4, 1):
        late.choose(day(number), "meat")
    state = late.replay()
    assert held(state, day(5, 0)) == {"meat"}
    assert state.facts[0].valid_to == day(5, 0)


def test_c101_what_arrives_forty_days_late_counts_on_its_own_day_and_not_today() -> None:
    """No window closes for good: the slot is folded again, by the time at which things were said."""
    on_time = Talk()
    on_time.say(day(0), "vegetarian")
    for number in (5, 6, 45):
        on_time.choose(day(number), "meat")
    late = replace(on_time, evidence=[on_time.evidence[index] for index in (0, 3, 2, 1)])
    state = late.replay()
    assert state == on_time.replay()
    assert state.contenders[0].days == 1
    assert state.contenders[0].first_support == day(45)


@pytest.mark.parametrize(("seconds", "days"), [(-10, 2), (10, 1)])
def test_c101_ten_seconds_decide_whether_a_contender_goes_on_or_starts_anew(seconds: int, days: int) -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    first = talk.choose(day(1), "meat")
    talk.choose(first.occurred_at + talk.policy.promotion.window + timedelta(seconds=seconds), "meat")
    state = talk.replay()
    assert ("lapsed/contender_silent" in rules(state)[:-1]) is (days == 1)
    assert len(state.contenders[0].claim_ids) == days


def test_c101_an_expired_contender_is_listed_nowhere() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    last = talk.choose(day(1), "meat").occurred_at + talk.policy.promotion.window
    assert [item.value for item in talk.replay(as_of=last - timedelta(seconds=10)).contenders] == ["meat"]
    assert talk.replay(as_of=last + timedelta(seconds=10)).contenders == ()


def test_c10_two_periods_are_two_intervals() -> None:
    talk = Talk()
    talk.say(day(0), "payments", valid_from=day(-60), valid_to=day(-1))
    talk.say(day(120), "payments", valid_from=day(110))
    state = talk.replay()
    assert [held(state, day(number)) for number in (-30, 60, 130)] == [{"payments"}, set(), {"payments"}]
    assert len(state.facts) == 2


def test_c102_promotion_is_found_again_from_evidence_alone() -> None:
    talk = Talk(policy=EAGER)
    talk.say(day(0), "vegetarian")
    for number in range(1, 5):
        talk.choose(day(number), "meat")
    missed = talk.replay(as_of=day(4, 23))
    assert held(missed, day(6)) == {"vegetarian"}
    assert missed.next_change_at == day(5, 0)
    assert held(talk.replay(as_of=day(40)), day(6)) == {"meat"}


def test_undecided_command_is_rejected_not_dropped() -> None:
    talk = Talk()
    talk.command(day(0), CommandKind.REMEMBER)
    talk.command(day(1), CommandKind.CORRECT)
    talk.command(day(2), CommandKind.UNPIN)
    talk.command(day(3), CommandKind.REJECT)
    assert rules(talk.replay()) == [
        "rejected/nothing_to_remember",
        "rejected/nothing_to_correct",
        "rejected/nothing_to_unpin",
        "kept/nothing_to_reject",
    ]


def test_c15_numbers_are_compared_within_the_coarser_rounding() -> None:
    talk = Talk()
    talk.say(day(0), "2.5 gb", quantity=Quantity(2.5e9, "byte", 5e7))
    talk.say(day(1), "2540 mb", quantity=Quantity(2.54e9, "byte", 5e5))
    talk.say(day(2), "2.5 kg", quantity=Quantity(2.5e9, "kg", 5e7))
    state = talk.replay()
    assert state.facts[0].mentions == 2
    assert [item.value for item in state.contenders] == ["2.5 kg"]
