"""Scores of turns: safety is never low, small talk never high."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.importance import Features, ImportancePolicy, Reason, score
from pipelines.language.importance import importance_scorer


@pytest.mark.parametrize(
    ("text", "reason", "least", "most"),
    [
        ("I'm allergic to peanuts", Reason.SAFETY, 8, 10),
        ("我对花生过敏", Reason.SAFETY, 8, 10),
        ("hi, I have diabetes, ok?", Reason.SAFETY, 8, 10),
        ("我的信用卡尾号是1234", Reason.SAFETY, 8, 10),
        ("From now on always answer in bullet points.", Reason.INSTRUCTION, 7, 10),
        ("我叫王伟，住在上海", Reason.IDENTITY, 5, 9),
        ("My favourite tea is oolong.", Reason.PREFERENCE, 4, 7),
        ("hi", Reason.SMALL_TALK, 1, 1),
        ("谢谢", Reason.SMALL_TALK, 1, 1),
        ("", Reason.EMPTY, 1, 1),
        ("What's the weather?", Reason.QUESTION, 1, 3),
    ],
)
def test_turns(text: str, reason: Reason, least: int, most: int) -> None:
    found = importance_scorer().score(text)
    assert reason in found.reasons
    assert least <= found.score <= most


def test_a_plain_turn_has_the_base_score_and_no_reason() -> None:
    found = importance_scorer().score("deploy done")
    assert (found.score, found.reasons) == (ImportancePolicy().base, ())


@given(
    cues=st.frozensets(st.sampled_from(Reason)),
    entities=st.integers(0, 50),
    numbers=st.integers(0, 50),
    words=st.integers(1, 5000),
    question=st.booleans(),
)
def test_scores_stay_in_range_and_safety_above_its_floor(
    cues: frozenset[Reason], entities: int, numbers: int, words: int, question: bool
) -> None:
    found = score(Features(cues, entities, numbers, words, question))
    assert 1 <= found.score <= 10
    assert Reason.SAFETY not in cues or (found.score >= 8 and Reason.SAFETY in found.reasons)


@given(st.text(alphabet=st.characters()))
def test_any_text_has_a_score(text: str) -> None:
    assert 1 <= importance_scorer().score(text).score <= 10
