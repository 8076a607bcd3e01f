"""Rules 22 and 23, and what the fold does with order, generations and instants."""

import random
from datetime import timedelta

import pytest

from lithify.domain.claims import Basis, Cue
from lithify.domain.slots import replay
from tests.support.slots import DIET, EAGER, SLOT, Talk, day, held, read, rules


def test_rule_22_lapse_runs_before_a_claim_at_the_same_instant() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(3))
    talk.choose(day(3), "meat", "new")
    state = talk.replay()
    assert [item.ends_at for item in state.overrides] == [day(3), day(3, 9.5)]


def test_rule_22_scheduled_fact_is_there_for_a_claim_at_the_same_instant() -> None:
    talk = Talk()
    talk.say(day(0), "utrecht")
    talk.say(day(1), "rotterdam", valid_from=day(5))
    talk.say(day(5), "rotterdam")
    assert "reinforced/statement" in rules(talk.replay())


def test_rule_22_silent_contender_is_gone_for_a_claim_at_the_same_instant() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat")
    talk.choose(day(31), "meat")
    assert talk.replay().contenders[0].first_support == day(31)


def test_rule_22_day_ends_before_a_claim_at_midnight() -> None:
    talk = Talk(policy=EAGER)
    talk.say(day(0), "vegetarian")
    for number in range(1, 5):
        talk.choose(day(number), "meat")
    talk.choose(day(5, 0), "vegetarian")
    state = talk.replay()
    assert held(state, day(5, 0)) == {"meat"}
    assert "overridden/choice" in rules(state)


def test_rule_22_explicit_end_is_final() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1, 9), "meat", "s")
    talk.end(day(1, 9.1), "s")
    talk.chat(day(1, 9.2), "s")
    assert talk.replay().overrides[0].ends_at == day(1, 9.1)


@pytest.mark.parametrize(
    ("basis", "confidence"),
    [
        (Basis.INSTRUCTION, 0.95),
        (Basis.CHANGE, 0.9),
        (Basis.CONFIRMATION, 0.85),
        (Basis.STATEMENT, 0.8),
    ],
)
def test_rule_23_confidence_starts_by_basis(basis: Basis, confidence: float) -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian", basis)
    assert talk.replay().facts[0].confidence == confidence


def test_rule_23_promoted_fact_starts_at_its_posterior() -> None:
    talk = Talk(policy=EAGER)
    talk.say(day(0), "vegetarian")
    for number in range(1, 5):
        talk.choose(day(number), "meat")
    state = talk.replay()
    verdict = next(item for item in state.verdicts if item.rule == "evidence")
    assert state.facts[-1].confidence == pytest.approx(float(str(verdict.trace["posterior"])), abs=1e-6)


def test_rule_23_each_mention_adds_a_fifth_of_what_is_missing() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.say(day(1), "vegetarian")
    (fact,) = talk.replay().facts
    assert fact.confidence == pytest.approx(0.8 + 0.2 * 0.19)
    assert (fact.mentions, fact.last_mention) == (2, day(1))


def test_rule_23_claims_for_a_closed_fact_do_not_reinforce_it() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.change(day(1), "meat")
    talk.choose(day(2), "vegetarian")
    old = talk.replay().facts[0]
    assert (old.value, old.mentions) == ("vegetarian", 1)


def test_highest_generation_of_a_turn_counts() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian", turn_id="t")
    talk.say(day(0), "vegan", turn_id="t", generation=1)
    assert held(talk.replay(), day(0)) == {"vegan"}


def test_late_claim_is_folded_at_its_own_time() -> None:
    talk = Talk()
    talk.change(day(5), "birch")
    talk.change(day(2), "alder")
    state = talk.replay()
    assert held(state, day(3)) == {"alder"}
    assert held(state, day(6)) == {"birch"}


def test_evidence_of_one_instant_is_ordered_by_index_turn_and_ordinal() -> None:
    talk = Talk()
    talk.change(day(0), "last", turn_id="a", turn_index=2)
    talk.change(day(0), "second", turn_id="b", turn_index=1, ordinal=1)
    talk.change(day(0), "first", turn_id="b", turn_index=1)
    for seed in range(6):
        random.Random(seed).shuffle(talk.evidence)
        assert held(talk.replay(), day(0)) == {"last"}


def test_as_of_leaves_later_evidence_and_timers_out() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(3))
    talk.change(day(2), "vegan")
    state = talk.replay(as_of=day(1, 12))
    assert held(state, day(9)) == {"vegetarian"}
    assert state.overrides[0].ends_at == day(3), "planned"
    assert state.next_change_at == day(3)
    assert read(state, day(1, 12)) == ["meat"]


def test_no_evidence_is_an_empty_slot() -> None:
    state = replay(SLOT, DIET, [], [], Talk().policy)
    assert (state.facts, state.verdicts, state.next_change_at) == ((), (), None)


def test_claims_outside_every_given_session_get_sessions_of_their_own() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", "s")
    given = replay(SLOT, DIET, talk.evidence, talk.sessions(), talk.policy)
    assert replay(SLOT, DIET, talk.evidence, [], talk.policy) == given
    assert given.overrides[0].ends_at == day(1) + timedelta(minutes=30)


def test_rule_22_lapse_at_midnight_frees_the_promotion_of_that_midnight() -> None:
    talk = Talk(policy=EAGER)
    talk.say(day(0), "vegetarian")
    for number in range(1, 5):
        talk.choose(day(number), "meat")
    talk.choose(day(4, 10), "meat", cue=Cue.TEMPORARY, valid_to=day(5, 0))
    assert held(talk.replay(), day(5, 0)) == {"meat"}


def test_rule_22_what_begins_at_midnight_comes_before_the_end_of_the_day() -> None:
    talk = Talk(policy=EAGER)
    talk.say(day(0), "vegetarian")
    talk.say(day(0.5), "vegan", valid_from=day(5, 0))
    for number in range(1, 5):
        talk.choose(day(number), "meat")
    state = talk.replay()
    assert held(state, day(5, 0)) == {"vegan"}
    assert "promoted/evidence" not in rules(state)


def test_rule_22_silence_of_thirty_days_comes_before_what_begins_then() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat")
    talk.say(day(2), "vegan", valid_from=day(31))
    assert rules(talk.replay())[-2:] == ["lapsed/contender_silent", "superseded/scheduled"]
