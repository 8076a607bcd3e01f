"""Text as the patterns read it is as long as the turn, and one way of writing Chinese is as good as the other."""

from typing import Any

import opencc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.claims import Claim
from pipelines.language.importance import importance_scorer
from pipelines.language.text import fold, normal, simplified
from tests.unit.language.test_rules import AT, EXTRACTOR, turn
from tests.unit.language.test_sentences import ROWS

TRADITIONAL = opencc.OpenCC("s2t")


def _traditional(text: str) -> str:
    return str(TRADITIONAL.convert(text))


CHINESE = sorted({row["text"] for row in ROWS if _traditional(row["text"]) != row["text"]})


def meant(claim: Claim) -> tuple[Any, ...]:
    """All of a claim but the words said and what is derived of them."""
    return claim.attribute, claim.value, claim.polarity, claim.basis, claim.cue, claim.valid_from, claim.valid_to


@pytest.mark.parametrize("text", CHINESE)
def test_c58_traditional_characters_say_the_same(text: str) -> None:
    written = _traditional(text)
    found, expected = EXTRACTOR.extract(turn(written)), EXTRACTOR.extract(turn(text))
    assert [meant(claim) for claim in found.claims] == [meant(claim) for claim in expected.claims]
    assert [(claim.subject, claim.span) for claim in found.claims] == [
        (claim.subject, claim.span) for claim in expected.claims
    ]
    assert [item.code for item in found.rejects] == [item.code for item in expected.rejects]
    assert importance_scorer().score(written) == importance_scorer().score(text)


def test_c58_the_words_said_stay_as_they_were_written() -> None:
    [claim] = EXTRACTOR.extract(turn("我住在臺北")).claims
    assert (claim.value, claim.text) == ("taipei", "臺北")
    assert claim.occurred_at == AT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我喜歡爵士樂", "我喜欢爵士乐"),
        ("乾杯，乾隆", "干杯，乾隆"),
        ("我喜欢爵士乐", "我喜欢爵士乐"),
        ("東京に住んでいます", "東京に住んでいます"),
        ("I love 臺北", "I love 台北"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_simplified(text: str, expected: str) -> None:
    assert simplified(text) == expected
    assert normal(text) == normal(expected)


@given(st.text(st.one_of(st.characters(), st.sampled_from("臺灣\ud800喜歡乾著"))))
def test_no_place_moves(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert simplified(simplified(text)) == simplified(text)
