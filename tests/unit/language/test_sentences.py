"""The labelled sentences: what the rule extractor must find in each, and what it must not."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pipelines.language.model import Role, TurnText
from pipelines.language.rules import RuleExtractor

LABELLED = Path(__file__).parents[2] / "data" / "language" / "sentences.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in LABELLED.read_text("utf-8").splitlines()]
AT = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


def name(row: dict[str, Any]) -> str:
    return f"{row.get('case', '')} {row['text'][:40]}".strip()


def turn(content: str, role: Role = Role.USER, speaker: str | None = None) -> TurnText:
    return TurnText("turn", "session", content, AT, role=role, speaker=speaker, timezone="Asia/Shanghai")


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_labelled(row: dict[str, Any], extractor: RuleExtractor) -> None:
    before = turn(row["before"], Role.ASSISTANT) if "before" in row else None
    found = extractor.extract(turn(row["text"], speaker=row.get("speaker")), before)
    expected = [
        (
            claim.get("subject", "user"),
            claim["attribute"],
            claim["value"],
            claim["polarity"],
            claim["basis"],
            claim["cue"],
        )
        for claim in row["claims"]
    ]
    assert [
        (claim.subject, claim.attribute, claim.value, claim.polarity, claim.basis, claim.cue) for claim in found.claims
    ] == expected
    assert {reject.code for reject in found.rejects} >= set(row.get("rejects", []))


def test_the_list_is_large_and_half_chinese() -> None:
    chinese = sum(any("\u4e00" <= char <= "\u9fff" for char in row["text"]) for row in ROWS)
    assert len(ROWS) >= 150
    assert 0.4 <= chinese / len(ROWS) <= 0.6
