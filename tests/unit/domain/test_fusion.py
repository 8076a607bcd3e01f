"""Activation and the words it compares."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.catalog import Attribute, AttributeKind
from lithify.domain.claims import Cardinality, Polarity
from lithify.domain.fusion import Question, Weights, activation, overlap, recency, rescale
from lithify.domain.memory import Belief
from lithify.domain.terms import mostly_chinese, terms

NOW = datetime(2026, 3, 2, tzinfo=UTC)
DRINKS = Attribute(
    "consumes",
    AttributeKind.PREFERENCE,
    Cardinality.MULTI,
    "eats and drinks",
    "吃喝习惯",
    half_life_days=100,
    is_a={"latte": ("coffee",), "coffee": ("drink",)},
)


def belief(value: str = "latte", **changed: object) -> Belief:
    """A fact mentioned now with full confidence."""
    fields: dict[str, object] = {
        "kind": "fact",
        "id": "f",
        "slot_id": "s",
        "subject": "user",
        "attribute": "consumes",
        "value": value,
        "text": value,
        "polarity": Polarity.POSITIVE,
        "confidence": 1.0,
        "since": NOW,
        "last_mention": NOW,
    }
    return Belief(**(fields | changed))  # type: ignore[arg-type]


def score(query: str, item: Belief, recent: str = "", similarity: float = 0.0) -> float:
    """Activation with the default weights."""
    asked = Question.of(query, recent)
    return activation(item, DRINKS, asked, similarity=similarity, now=NOW, weights=Weights())


def test_the_three_parts_have_their_weights() -> None:
    assert score("nothing of the sort", belief()) == pytest.approx(0.15)
    assert score("a latte?", belief()) == pytest.approx(0.55)
    assert score("a latte?", belief(), similarity=1.0) == pytest.approx(1.0)
    old = belief(last_mention=NOW - timedelta(days=100), confidence=0.8)
    assert score("nothing of the sort", old) == pytest.approx(0.15 * 0.5 * 0.8)


@pytest.mark.parametrize(
    "query", ["latte", "LATTES", "which coffee?", "any drink", "what does she eat", "吃喝习惯", "吃喝"]
)
def test_names_values_and_broader_values_wake_a_fact(query: str) -> None:
    assert score(query, belief()) >= Weights().threshold


def test_a_question_on_something_else_does_not() -> None:
    assert score("book a flight to Lisbon", belief()) < Weights().threshold


def test_recent_turns_count_half() -> None:
    assert score("and then?", belief(), recent="I would like a latte") == pytest.approx(0.15 + 0.40 * 0.5)


def test_a_third_party_is_woken_by_name() -> None:
    assert score("what about Ravi?", belief(subject="ravi")) >= Weights().threshold


def test_without_a_question_recency_and_confidence_rank() -> None:
    old = belief(last_mention=NOW - timedelta(days=100), confidence=0.5)
    assert activation(old, DRINKS, None, similarity=1.0, now=NOW, weights=Weights()) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("cosine", "scaled"), [(0.8, 0.0), (0.5, 0.0), (1.0, 1.0), (0.9, 0.5), (-1.0, 0.0), (1.1, 1.0)]
)
def test_cosine_counts_above_the_floor_of_its_model(cosine: float, scaled: float) -> None:
    assert rescale(cosine, 0.8) == pytest.approx(scaled)


@pytest.mark.parametrize("text", ["", "!!!", "😀", "...", "的了吗", "\u200b", "__"])
def test_a_text_without_words_has_no_terms_and_matches_nothing_c61(text: str) -> None:
    assert terms(text) == frozenset()
    assert overlap(terms(text), terms("coffee"), terms(text)) == 0.0


def test_chinese_is_compared_by_bigrams() -> None:
    assert terms("居住城市") == {"居住", "住城", "城市"}
    assert terms("猫") == {"猫"}
    assert overlap(terms("我现在的城市是哪里"), terms("居住城市")) == pytest.approx(1 / 3)


def test_words_are_stemmed_alike() -> None:
    assert terms("cities") == terms("city")
    assert terms("baking") == terms("bake") == terms("baked") == terms("bakes")
    assert terms("the and of") == frozenset()


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("今晚吃什么", True),
        ("what to eat", False),
        ("", False),
        ("用 Python 写", True),
        ("send it to the 北 office", False),
        ("我喜欢 Python", True),
    ],
)
def test_language_of_a_text(text: str, *, chinese: bool) -> None:
    assert mostly_chinese(text) is chinese


@given(st.floats(0, 4000), st.floats(0, 4000))
def test_recency_falls_with_age_and_stays_in_bounds(one: float, other: float) -> None:
    early, late = sorted((one, other), reverse=True)
    a = recency(NOW - timedelta(days=early), NOW, 180)
    b = recency(NOW - timedelta(days=late), NOW, 180)
    assert 0 <= a <= b <= 1


def test_what_lies_in_the_future_counts_as_now() -> None:
    assert recency(NOW + timedelta(days=9), NOW, 180) == 1.0
