"""Sentences that say nothing of the user: questions, jokes, quotes, stories, other people, small talk."""

import json
from pathlib import Path

import pytest

from lithify.domain.claims import USER
from pipelines.language.rules import RuleExtractor
from tests.unit.language.test_sentences import turn

ROWS: list[dict[str, str]] = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "language" / "nothing.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['category']} {row['text'][:40]}")
def test_nothing_of_the_user(row: dict[str, str], extractor: RuleExtractor) -> None:
    found = extractor.extract(turn(row["text"]))
    assert [(claim.attribute, claim.value) for claim in found.claims if claim.subject == USER] == []
