"""Folding on from a checkpoint gives what the full replay gives, however the evidence is split."""

import random
from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.catalog import Attribute
from lithify.domain.claims import Evidence
from lithify.domain.slots import Checkpoint, StaleCheckpointError, begin, extend, replay, resume, state_of
from lithify.domain.slots.resume import Outdated
from lithify.domain.slots.state import SlotState
from tests.property.conversations import ATTRIBUTES, SESSIONS, Step, hold, steps, without_session
from tests.support.slots import SLOT, Talk, day

CUTS = st.lists(st.integers(1, 8), max_size=25)
"""How many items of evidence each step brings; what is left over comes in one last step."""


def parts(evidence: Sequence[Evidence], cuts: Sequence[int]) -> list[list[Evidence]]:
    left, found = list(evidence), []
    for cut in cuts:
        found.append(left[:cut])
        left = left[cut:]
    return [part for part in (*found, left) if part]


def full(talk: Talk, evidence: Sequence[Evidence]) -> SlotState:
    """The replay of some of the evidence, with the sessions known by then."""
    return replay(SLOT, talk.attribute, evidence, talk.sessions(evidence), talk.policy)


def started(talk: Talk) -> Checkpoint:
    return begin(SLOT, talk.attribute, talk.policy)


@given(ATTRIBUTES, steps(), CUTS)
def test_incremental_equals_full_with_all_sessions_known(
    attribute: Attribute, said: list[Step], cuts: list[int]
) -> None:
    """Nothing is stale where the sessions do not change under the evidence."""
    talk = hold(attribute, said)
    checkpoint, sessions = started(talk), talk.sessions()
    known: list[Evidence] = []
    for part in parts(talk.evidence, cuts):
        known += part
        state, checkpoint = extend(checkpoint, part[::-1], sessions)
        assert state == replay(SLOT, attribute, known, sessions, talk.policy)


@given(ATTRIBUTES, steps(), CUTS)
def test_incremental_equals_full_while_sessions_become_known(
    attribute: Attribute, said: list[Step], cuts: list[int]
) -> None:
    """As it happens: each session is known as far as it went."""
    talk = hold(attribute, said)
    checkpoint = started(talk)
    known: list[Evidence] = []
    for part in parts(talk.evidence, cuts):
        known += part
        state, checkpoint = resume(checkpoint, known, talk.sessions(known))
        assert state == full(talk, known)


@given(ATTRIBUTES, steps(), CUTS)
def test_incremental_equals_full_without_any_session(attribute: Attribute, said: list[Step], cuts: list[int]) -> None:
    """The sessions are folded from the evidence itself."""
    talk = hold(attribute, said)
    checkpoint = started(talk)
    known: list[Evidence] = []
    for part in parts(talk.evidence, cuts):
        known += part
        state, checkpoint = resume(checkpoint, known, ())
        assert state == replay(SLOT, attribute, known, (), talk.policy)


@given(ATTRIBUTES, steps(), st.randoms(use_true_random=False))
def test_any_arrival_equals_full(attribute: Attribute, said: list[Step], chance: random.Random) -> None:
    """Late evidence, evidence in bulk, and duplicates."""
    talk = hold(attribute, said)
    arriving = talk.evidence + talk.evidence[::3]
    chance.shuffle(arriving)
    checkpoint = started(talk)
    for count in range(3, len(arriving) + 3, 3):
        known = arriving[:count]
        state, checkpoint = resume(checkpoint, known, talk.sessions(known))
        assert state == full(talk, known)


@given(ATTRIBUTES, steps(), st.sampled_from(SESSIONS))
def test_erasure_after_a_checkpoint_equals_full(attribute: Attribute, said: list[Step], session: str) -> None:
    talk = hold(attribute, said)
    _, checkpoint = resume(started(talk), talk.evidence, talk.sessions())
    kept = without_session(talk, session)
    state, _ = resume(checkpoint, kept.evidence, kept.sessions())
    assert state == kept.replay()


@given(ATTRIBUTES, steps(), st.integers(0, 25), st.integers(0, 25))
def test_a_checkpoint_never_changes(attribute: Attribute, said: list[Step], one: int, other: int) -> None:
    """It may be folded on twice, and read in between."""
    talk = hold(attribute, said)
    sessions, first, rest = talk.sessions(), talk.evidence[:one], talk.evidence[one:]
    state, checkpoint = extend(started(talk), first, sessions)
    branch, _ = extend(checkpoint, rest[:other], sessions)
    straight, _ = extend(checkpoint, rest, sessions)
    assert state_of(checkpoint) == state
    assert branch == replay(SLOT, attribute, [*first, *rest[:other]], sessions, talk.policy)
    assert straight == talk.replay()


@given(ATTRIBUTES, steps(), st.sampled_from([0.0, 0.2, 5.0, 24.0, 24.0 * 31]))
def test_a_checkpoint_is_read_as_of_an_instant(attribute: Attribute, said: list[Step], hours: float) -> None:
    talk = hold(attribute, said)
    at = max((item.occurred_at for item in talk.evidence), default=day(0)) + timedelta(hours=hours)
    _, checkpoint = extend(started(talk), talk.evidence, talk.sessions())
    assert state_of(checkpoint, at) == talk.replay(as_of=at)


@given(ATTRIBUTES, steps(), st.integers(0, 24))
def test_late_evidence_is_refused(attribute: Attribute, said: list[Step], number: int) -> None:
    talk = hold(attribute, said)
    late = talk.evidence[number : number + 1]
    others = [item for item in talk.evidence if item not in late]
    if not late or number >= len(others):
        return
    _, checkpoint = extend(started(talk), others, talk.sessions())
    with pytest.raises(StaleCheckpointError) as refused:
        extend(checkpoint, late, talk.sessions())
    assert refused.value.reason is Outdated.LATE
