"""Decoration hides no word, and what says something is no decoration."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.claims import Polarity
from pipelines.language.model import Extraction, RejectCode, TurnText
from pipelines.language.plain import plain
from pipelines.language.rules import RuleExtractor


def read(extractor: RuleExtractor, content: str) -> Extraction:
    return extractor.extract(TurnText("t", "s", content, datetime(2026, 3, 4, 9, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("I do **not** like jazz", "I do not like jazz"),
        ("I'm _not_ vegan", "I'm not vegan"),
        ("我对**花生**过敏", "我对花生过敏"),
        ("~~I live in Rome~~ I live in Oslo", " I live in Oslo"),
        ("<p>I like <b>tea</b> &amp; cake</p>", "\nI like tea & cake\n"),
        ("I  am \t vegan", "I am vegan"),
        ("I al\u00adways use vim", "I always use vim"),
        ("I like 🍣 sushi 🍣", "I like sushi "),
        ("I like sushi \U0001f469\u200d\U0001f373", "I like sushi "),
    ],
)
def test_c66_decoration_goes(content: str, left: str) -> None:
    found = plain(content, 200)
    assert found is not None
    assert found.text == left
    assert len(found.places) == len(left) + 1


@pytest.mark.parametrize(
    "content",
    [
        "5 * 3 * 2",
        "2**3**4",
        "snake_case and __init__",
        "f(*args, **more)",
        "I love queues 🙄",
        "    x = 1",
        "a < b > c",
        "x\n* one\n* two",
    ],
)
def test_c66_what_says_something_stays(content: str) -> None:
    assert plain(content, 200) is None


def test_c66_tags_within_other_text_are_its_subject() -> None:
    found = plain("<b>I love tea</b> does  not render &amp; more", 200)
    assert found is not None
    assert found.text == "<b>I love tea</b> does not render &amp; more"


def test_c64_the_favourite_emoji_is_a_value() -> None:
    found = plain("My favourite  emoji is 🦊", 200)
    assert found is not None
    assert found.text == "My favourite emoji is 🦊"


@given(st.text(alphabet="ab *_~<>b/&;amp🍣😂\u00ad\n", max_size=60))
def test_every_letter_that_is_left_has_its_place(content: str) -> None:
    found = plain(content, 200)
    if found is None:
        return
    assert list(found.places) == sorted(set(found.places))
    start, end = found.back((0, len(found.text)))
    assert 0 <= start <= end <= len(content)


def test_what_lies_beyond_the_limit_is_as_it_was() -> None:
    found = plain("**a** **b**", 6)
    assert found is not None
    assert found.text == "a **b**"
    assert found.back((2, 7)) == (6, 11)


def test_c21_an_emphasised_not_is_a_not(extractor: RuleExtractor) -> None:
    content = "I do **not**  like **jazz**."
    (claim,) = read(extractor, content).claims
    assert (claim.value, claim.polarity) == ("jazz", Polarity.NEGATIVE)
    assert content[slice(*claim.span)] == "I do **not**  like **jazz"


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("I live in **Porto** and I'm *vegan*.", ["porto", "vegan"]),
        ("<p>I live in <b>Porto</b> and I&#39;m vegan.</p>", ["porto", "vegan"]),
        ("I'm vegan.I live in Porto.I hate jazz", ["vegan", "porto", "jazz"]),
        ("1. I live in Porto 2. I'm vegan", ["porto", "vegan"]),
        ("我住在成都(四川)", ["chengdu"]),
        ("~~I live in Rome~~ I live in Oslo", ["oslo"]),
    ],
)
def test_c66_odd_layout_loses_nothing(extractor: RuleExtractor, content: str, values: list[str]) -> None:
    assert [claim.value for claim in read(extractor, content).claims] == values


def test_a_call_is_still_code(extractor: RuleExtractor) -> None:
    found = read(extractor, "run(I am vegan)")
    assert [reject.code for reject in found.rejects] == [RejectCode.QUOTE]


def test_c33_the_words_of_a_value_are_those_of_the_turn(extractor: RuleExtractor) -> None:
    content = "I love  board\u00ad games."
    (claim,) = read(extractor, content).claims
    assert claim.value == "board games"
    assert claim.text == "board\u00ad games"
    assert claim.text in content[slice(*claim.span)]
