"""When a checkpoint may be folded on, and what it says when it may not."""

from dataclasses import replace
from datetime import timedelta

import pytest

from lithify.domain.claims import Claim, Cue, Evidence, Scope
from lithify.domain.sessions import fold_sessions
from lithify.domain.slots import Checkpoint, StaleCheckpointError, begin, extend, replay, resume, state_of
from lithify.domain.slots.resume import Outdated
from tests.support.slots import LIKES, SLOT, Talk, day, held


def checkpoint_of(talk: Talk) -> Checkpoint:
    return extend(begin(SLOT, talk.attribute, talk.policy), talk.evidence, talk.sessions())[1]


def vegetarian() -> Talk:
    talk = Talk()
    talk.say(day(0), "vegetarian")
    talk.choose(day(1), "meat", "b")
    return talk


def refused(checkpoint: Checkpoint, new: list[Evidence], talk: Talk) -> Outdated:
    with pytest.raises(StaleCheckpointError) as error:
        extend(checkpoint, new, talk.sessions())
    return error.value.reason


def test_empty_checkpoint_is_the_replay_of_nothing() -> None:
    talk = Talk()
    assert state_of(begin(SLOT, talk.attribute, talk.policy)) == talk.replay()


def test_evidence_before_the_last_is_late() -> None:
    talk = vegetarian()
    checkpoint = checkpoint_of(talk)
    assert refused(checkpoint, [talk.choose(day(0.5), "fish")], talk) is Outdated.LATE


def test_evidence_at_the_same_instant_is_late_only_where_it_stands_before() -> None:
    talk = vegetarian()
    checkpoint = checkpoint_of(talk)
    after = talk.choose(day(1), "fish", "c", turn_id="turn-9")
    assert extend(checkpoint, [after], talk.sessions())[0] == talk.replay()
    assert refused(checkpoint, [replace(after, id="x", turn_id="a")], talk) is Outdated.LATE


def test_higher_generation_of_a_folded_turn_is_refused_and_a_lower_one_ignored() -> None:
    talk = Talk()
    claim = talk.say(day(0), "vegetarian", generation=1)
    checkpoint = checkpoint_of(talk)
    lower = replace(claim, id="lower", value="meat", ordinal=1, generation=0)
    assert held(extend(checkpoint, [lower], talk.sessions())[0], day(1)) == {"vegetarian"}
    higher = replace(claim, id="higher", value="meat", ordinal=1, generation=2)
    assert refused(checkpoint, [higher], talk) is Outdated.GENERATION


def test_folded_claim_with_another_content_is_refused() -> None:
    talk = vegetarian()
    first = talk.evidence[0]
    assert isinstance(first, Claim)
    assert refused(checkpoint_of(talk), [replace(first, value="vegan")], talk) is Outdated.CHANGED


def test_folded_claim_again_changes_nothing() -> None:
    talk = vegetarian()
    state, _ = extend(checkpoint_of(talk), talk.evidence, talk.sessions())
    assert state == talk.replay()


def test_session_that_goes_on_is_refused_where_an_override_ends_with_it() -> None:
    talk = vegetarian()
    checkpoint = checkpoint_of(talk)
    talk.chat(day(1) + timedelta(minutes=20), "b")
    assert refused(checkpoint, [], talk) is Outdated.SESSION


def test_session_that_goes_on_is_no_matter_where_nothing_ends_with_it() -> None:
    talk = Talk()
    talk.say(day(0), "vegetarian", session="a")
    checkpoint = checkpoint_of(talk)
    talk.chat(day(0) + timedelta(minutes=20), "a")
    assert extend(checkpoint, [], talk.sessions())[0] == talk.replay()


def test_next_session_is_refused_once_it_is_known() -> None:
    talk = Talk(LIKES)
    talk.choose(day(0), "tea", cue=Cue.TEMPORARY, scope=Scope.NEXT_SESSION)
    checkpoint = checkpoint_of(talk)
    talk.chat(day(1), "next")
    assert refused(checkpoint, [], talk) is Outdated.SESSION


def test_sessions_of_other_slots_are_no_matter() -> None:
    talk = vegetarian()
    checkpoint = checkpoint_of(talk)
    talk.chat(day(1, 20), "elsewhere")
    late = talk.choose(day(3), "meat")
    assert extend(checkpoint, [late], talk.sessions())[0] == talk.replay()


def test_resume_starts_anew_where_folded_evidence_is_gone() -> None:
    talk = vegetarian()
    checkpoint = checkpoint_of(talk)
    del talk.evidence[1]
    state, again = resume(checkpoint, talk.evidence, talk.sessions())
    assert state == talk.replay()
    assert list(again.folded) == [talk.evidence[0].id]


def test_resume_gives_a_checkpoint_to_go_on_from() -> None:
    talk = vegetarian()
    checkpoint = checkpoint_of(talk)
    late = talk.choose(day(0.5), "fish")
    state, checkpoint = resume(checkpoint, talk.evidence, talk.sessions())
    assert state == talk.replay()
    assert late.id in checkpoint.folded
    more = talk.choose(day(2), "fish")
    assert extend(checkpoint, [more], talk.sessions())[0] == talk.replay()


def test_not_read_before_its_last_evidence() -> None:
    checkpoint = checkpoint_of(vegetarian())
    with pytest.raises(StaleCheckpointError):
        state_of(checkpoint, day(0.5))


def test_sessions_folded_from_evidence_alone_grow_with_it() -> None:
    """Two claims half an hour apart are one session, though no session was given."""
    talk = Talk()
    talk.say(day(0), "vegetarian", session="a")
    talk.choose(day(0) + timedelta(minutes=10), "meat", "a")
    begun = begin(SLOT, talk.attribute, talk.policy)
    _, checkpoint = extend(begun, talk.evidence, ())
    talk.choose(day(0) + timedelta(minutes=30), "meat", "a")
    with pytest.raises(StaleCheckpointError):
        extend(checkpoint, talk.evidence[2:], ())
    state, _ = resume(checkpoint, talk.evidence, ())
    assert state == replay(SLOT, talk.attribute, talk.evidence, (), talk.policy)
    known = fold_sessions("a", [item.occurred_at for item in talk.evidence])
    assert state.overrides[0].ends_at == known[0].ended_at
