"""What must hold of every slot, whatever was said."""

import random
from dataclasses import replace
from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from lithify.domain.catalog import Attribute
from lithify.domain.claims import Basis, Claim, Cue, Kind, Polarity
from lithify.domain.slots import replay
from lithify.domain.slots.explain import Language, explain_contender, explain_hint, explain_verdict
from lithify.domain.slots.phrases import REASONS
from lithify.domain.slots.state import SlotState
from tests.property.conversations import ATTRIBUTES, SESSIONS, Step, hold, steps, without_session
from tests.support.slots import ALLERGY, DIET, EAGER, SLOT, Talk, day


@settings(max_examples=500)
@given(ATTRIBUTES, steps(), st.randoms(use_true_random=False))
def test_arrival_order_and_duplicates_never_matter(
    attribute: Attribute, said: list[Step], chance: random.Random
) -> None:
    talk = hold(attribute, said)
    expected = talk.replay()
    shuffled = talk.evidence + chance.choices(talk.evidence, k=5) if talk.evidence else []
    chance.shuffle(shuffled)
    sessions = talk.sessions()
    chance.shuffle(sessions)
    assert replay(SLOT, attribute, shuffled, sessions, talk.policy) == expected


@given(ATTRIBUTES, steps(), st.sampled_from(SESSIONS))
def test_removing_a_session_equals_never_having_had_it(attribute: Attribute, said: list[Step], session: str) -> None:
    """Erasure: what a session left behind is nothing but its evidence."""
    kept = without_session(hold(attribute, said), session)
    state = kept.replay()
    known = {item.id for item in kept.evidence}
    assert cited(state) <= known
    never = Talk(attribute)
    never.evidence = list(kept.evidence)
    assert never.replay() == state


def citations(state: SlotState) -> list[tuple[str, ...]]:
    """The claim ids of each row."""
    return [
        *(fact.claim_ids for fact in state.facts),
        *(override.claim_ids for override in state.overrides),
        *(contender.claim_ids for contender in state.contenders),
        *(verdict.claim_ids for verdict in state.verdicts),
        *(hint.claim_ids for hint in state.hints),
    ]


def cited(state: SlotState) -> set[str]:
    """Every claim id that a state names."""
    ids = {claim for ids in citations(state) for claim in ids}
    return ids | {item.claim_id for item in state.conflicts} | {item.fact_claim_id for item in state.conflicts}


@given(ATTRIBUTES, steps())
def test_every_verdict_cites_evidence(attribute: Attribute, said: list[Step]) -> None:
    talk = hold(attribute, said)
    state = talk.replay()
    known = {item.id for item in talk.evidence}
    assert cited(state) <= known
    assert all(citations(state))
    ids = [verdict.id for verdict in state.verdicts]
    assert len(ids) == len(set(ids))


@given(ATTRIBUTES, steps())
def test_every_word_gets_a_verdict(attribute: Attribute, said: list[Step]) -> None:
    talk = hold(attribute, said)
    decided = {claim for verdict in talk.replay().verdicts for claim in verdict.claim_ids}
    spoken = {item.id for item in talk.evidence if not isinstance(item, Claim) or item.kind is not Kind.RETURN}
    assert spoken <= decided


@given(ATTRIBUTES, steps())
def test_every_rule_and_hint_has_words(attribute: Attribute, said: list[Step]) -> None:
    state = hold(attribute, said).replay()
    assert {verdict.rule for verdict in state.verdicts} <= REASONS.keys()
    for language in Language:
        sentences = [explain_verdict(verdict, attribute, language=language) for verdict in state.verdicts]
        sentences += [explain_hint(hint, attribute, language=language) for hint in state.hints]
        sentences += [explain_contender(item, attribute, language=language) for item in state.contenders]
        assert all(sentence.endswith((".", "。")) and "{" not in sentence for sentence in sentences)


@given(ATTRIBUTES, steps(ends_facts=False))
def test_a_contradiction_never_leaves_a_slot_empty(attribute: Attribute, said: list[Step]) -> None:
    state = hold(attribute, said).replay()
    filled = [bool(state.active(instant)) for instant in instants(state)]
    assert filled == sorted(filled), "once there is a fact, there is always one"


def instants(state: SlotState) -> list[datetime]:
    """Every instant at which facts may change."""
    starts = {fact.valid_from for fact in state.facts}
    return sorted(starts | {fact.valid_to for fact in state.facts if fact.valid_to is not None})


@given(ATTRIBUTES, steps())
def test_a_cell_holds_one_fact_at_a_time(attribute: Attribute, said: list[Step]) -> None:
    """Intervals stated as past may overlap; what was believed at once may not contradict itself."""
    open_ended = [fact for fact in hold(attribute, said).replay().facts if fact.valid_to is None]
    open_ended = [fact for fact in open_ended if not fact.corrected]
    values = [fact.value if attribute is not DIET else "" for fact in open_ended]
    assert len(values) == len(set(values))


@given(ATTRIBUTES, steps(), st.sampled_from([0.0, 0.2, 5.0, 24.0, 100.0, 24.0 * 31]))
def test_fold_as_of_equals_the_horizon_read_then(attribute: Attribute, said: list[Step], hours: float) -> None:
    talk = hold(attribute, said)
    last = max((item.occurred_at for item in talk.evidence), default=day(0))
    at = last + timedelta(hours=hours)
    horizon, then = talk.replay(), talk.replay(as_of=at)
    assert [fact.id for fact in then.active(at)] == [fact.id for fact in horizon.active(at)]
    for session in SESSIONS:
        expected = [item.id for item in horizon.running(at, session)]
        assert [item.id for item in then.running(at, session)] == expected
    assert [v.id for v in then.verdicts] == [v.id for v in horizon.verdicts if v.at <= at]
    assert standing(then, at) == standing(horizon, at)
    assert {c.value for c in then.contenders} == {c.value for c in horizon.contenders if at < c.ends_at}


def standing(state: SlotState, at: datetime) -> set[tuple[str, str, str]]:
    """Hints that stand at `at`."""
    return {
        (hint.code, hint.value, hint.polarity)
        for hint in state.hints
        if hint.since <= at and (hint.until is None or at < hint.until)
    }


@given(ATTRIBUTES, steps())
def test_next_change_is_the_first_instant_that_differs(attribute: Attribute, said: list[Step]) -> None:
    talk = hold(attribute, said)
    state = talk.replay()
    if state.next_change_at is None:
        return
    last = max(item.occurred_at for item in talk.evidence)
    assert state.next_change_at >= last
    before = talk.replay(as_of=max(last, state.next_change_at - timedelta(seconds=1)))
    after = talk.replay(as_of=state.next_change_at)
    changed = [v.id for v in before.verdicts] != [v.id for v in after.verdicts] or before.hints != after.hints
    assert changed or state.next_change_at - last < timedelta(seconds=1)


@given(ATTRIBUTES, steps(commands=False, ends_facts=False), st.booleans())
def test_a_temporary_cue_alone_never_promotes(attribute: Attribute, said: list[Step], filled: bool) -> None:
    passing = [replace(step, cue=Cue.TEMPORARY) for step in said]
    talk = hold(attribute, passing)
    if filled:
        talk.say(day(-1), "rice")
    facts = talk.replay().facts
    assert [fact.value for fact in facts] == (["rice"] if filled else [])


@given(st.lists(st.booleans(), min_size=4, max_size=25), st.booleans())
def test_passing_choices_day_after_day_never_promote(spoken: list[bool], filled: bool) -> None:
    talk = Talk(policy=EAGER)
    if filled:
        talk.say(day(-1), "rice")
    for number, speaks in enumerate(spoken):
        if speaks:
            talk.choose(day(number), "meat", cue=Cue.TEMPORARY)
    assert [fact.value for fact in talk.replay().facts] == (["rice"] if filled else [])


@given(steps(commands=False))
def test_only_an_instruction_or_an_answer_takes_a_danger_away(said: list[Step]) -> None:
    weak = [step for step in said if not may_remove(step)]
    talk = hold(ALLERGY, weak)
    dangers: set[str] = set()
    for item in talk.evidence:
        state = talk.replay(as_of=item.occurred_at)
        active = {fact.value for fact in state.active(item.occurred_at) if fact.polarity is Polarity.POSITIVE}
        assert dangers <= active
        hidden = {
            row.value
            for row in state.overrides
            if row.polarity is Polarity.NEGATIVE and max(row.started_at, item.occurred_at) < row.ends_at
        }
        assert not hidden & active
        dangers = active


def may_remove(step: Step) -> bool:
    """Whether the turn is of a kind that may take a danger away."""
    return step.basis in (Basis.INSTRUCTION, Basis.CONFIRMATION)


@given(ATTRIBUTES, steps(), steps())
@settings(max_examples=50)
def test_unrelated_slots_never_touch(attribute: Attribute, one: list[Step], other: list[Step]) -> None:
    """Folding one slot leaves nothing behind that another could see."""
    first = hold(attribute, one)
    expected = first.replay()
    hold(attribute, other).replay()
    assert first.replay() == expected


@given(ATTRIBUTES, steps(commands=False))
def test_a_declaration_wins_at_once_and_nothing_from_before_outvotes_it(attribute: Attribute, said: list[Step]) -> None:
    talk = hold(attribute, said)
    at = max([item.occurred_at for item in talk.evidence], default=day(0)) + timedelta(hours=1)
    talk.instruct(at, "salad")
    state = talk.replay()
    for instant in (at, at + timedelta(days=400)):
        held = {fact.value for fact in state.active(instant)}
        assert "salad" in held
        assert attribute is not DIET or held == {"salad"}
    assert attribute is not DIET or not state.contenders


@given(ATTRIBUTES, steps())
def test_a_contender_silent_for_thirty_days_is_gone(attribute: Attribute, said: list[Step]) -> None:
    talk = hold(attribute, said)
    last = max([item.occurred_at for item in talk.evidence], default=day(0))
    for row in talk.replay().contenders:
        assert row.ends_at <= row.last_support + timedelta(days=30)
    assert not talk.replay(last + timedelta(days=30)).contenders


@given(st.lists(st.sampled_from([1, 1, 2, 5, 11, 25]), max_size=12))
def test_no_day_older_than_thirty_days_counts(gaps: list[int]) -> None:
    talk, number = Talk(), 0
    talk.say(day(0), "vegetarian")
    for gap in gaps:
        number += gap
        talk.choose(day(number), "meat")
    rows = [row for row in talk.replay().contenders if row.value == "meat"]
    recent = {item.local_date for item in talk.evidence[1:] if item.occurred_at > day(number) - timedelta(days=30)}
    assert all(row.days == len(recent) for row in rows)


@given(steps(commands=False), st.sampled_from(["meat", "nuts"]))
def test_a_new_danger_is_there_at_once(said: list[Step], danger: str) -> None:
    talk = hold(ALLERGY, said)
    at = max([item.occurred_at for item in talk.evidence], default=day(0)) + timedelta(hours=1)
    talk.say(at, danger)
    dangers = [fact for fact in talk.replay().active(at) if fact.polarity is Polarity.POSITIVE]
    assert danger in {fact.value for fact in dangers}
