"""The token estimate: deterministic, additive over lines, never under zero."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.tokens import estimate


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("   ", 0),
        ("word", 1),
        ("wording", 2),
        ("two words", 3),
        ("2026-03-02", 2 + 1 + 1 + 1 + 1),
        ("吃素", 2),
        ("我 am vegetarian", 1 + 1 + 3),
        ("a\nb", 3),
        ("😀", 2),
        ("，。", 2),
        ("can't", 1 + 1 + 1),
    ],
)
def test_pieces_cost_what_is_documented(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@given(st.lists(st.text()))
def test_lines_add_up(lines: list[str]) -> None:
    single = [line.replace("\n", " ") for line in lines]
    joined = estimate("\n".join(single))
    assert joined == sum(map(estimate, single)) + max(0, len(single) - 1)


@given(st.text())
def test_it_is_bounded_by_the_text(text: str) -> None:
    assert 0 <= estimate(text) <= 2 * len(text)
