"""Recall and precision on made-up turns, with hard negatives, in both languages."""

import pytest

from benchmarks.redaction.generate import items
from benchmarks.redaction.measure import quality
from benchmarks.redaction.templates import NEGATIVES
from pipelines.language.model import Redacted
from pipelines.language.redaction import PatternRedactor


@pytest.fixture(scope="module")
def redactor() -> PatternRedactor:
    return PatternRedactor()


def test_five_thousand_turns(redactor: PatternRedactor) -> None:
    found = quality(redactor, items(5000, seed=20261))
    assert found.recall >= 0.995, found.errors
    assert found.precision >= 0.995, found.errors


def test_no_kind_is_left_behind(redactor: PatternRedactor) -> None:
    found = quality(redactor, items(5000, seed=20262))
    assert set(found.hit) >= {
        "phone",
        "national_id",
        "card",
        "iban",
        "passport",
        "email",
        "secret",
        "token",
        "password",
    }
    assert {kind: found.missed[kind] for kind in found.hit if found.missed[kind] > 0.02 * found.hit[kind]} == {}


@pytest.mark.parametrize("text", NEGATIVES["none"])
def test_nothing_is_found_where_nothing_is(redactor: PatternRedactor, text: str) -> None:
    assert redactor.redact(text) == Redacted(text)


def test_the_measure_sees_what_is_missed_and_what_is_too_much() -> None:
    class Nothing:
        def redact(self, text: str, *_: object) -> Redacted:
            return Redacted(text)

    class Everything:
        def redact(self, text: str, *_: object) -> Redacted:  # noqa: ARG002
            return Redacted("[secret]", {"secret": 1})

    assert quality(Nothing(), items(200, seed=1)).recall == 0
    assert quality(Everything(), items(200, seed=1)).precision < 0.5
