"""Cleaned text and valid ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.text import IdFault, clean, is_empty, valid_id


def test_c62_nul_is_removed() -> None:
    assert clean("ok\x00done") == "okdone"


def test_c63_lone_surrogates_are_replaced() -> None:
    assert clean("hi \ud800 there") == "hi \ufffd there"


@given(st.text(alphabet=st.characters()))
def test_clean_text_can_be_stored(text: str) -> None:
    cleaned = clean(text)
    assert "\x00" not in cleaned
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\x00", "\u200b", "　"])
def test_c69_nothing_to_understand(text: str) -> None:
    assert is_empty(text)


@pytest.mark.parametrize("text", ["a", "😀", ".", "\ufffd"])
def test_something_to_understand(text: str) -> None:
    assert not is_empty(text)


@pytest.mark.parametrize(
    ("text", "fault"),
    [("", IdFault.EMPTY), ("a\x00", IdFault.NUL), ("\udfff", IdFault.SURROGATE)],
)
def test_invalid_ids(text: str, fault: IdFault) -> None:
    assert valid_id(text) is fault


@pytest.mark.parametrize("text", ["a-b", "o'neil+x@example.test", "用户一", "😀", "../x", "A" * 300, "a/b"])
def test_c82_odd_ids_are_valid(text: str) -> None:
    assert valid_id(text) is None


def test_a_tenant_holds_no_slash() -> None:
    assert valid_id("a/b", tenant=True) is IdFault.SLASH
