"""The extraction bench: what the rules must reach on it, and that its measures can fail."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.extraction.__main__ import main
from benchmarks.extraction.labels import DEVELOPMENT, HELD_OUT, Expected, Labelled, load
from benchmarks.extraction.measure import NEVER, Report, compare, measure
from benchmarks.extraction.report import mistakes, scores, summary, write_page
from lithify.domain.claims import Claim, Polarity
from pipelines.language.catalog import load_vocabulary
from pipelines.language.model import Extraction, TurnText
from pipelines.language.rules import RuleExtractor

VOCABULARY = load_vocabulary()
AT = datetime(2026, 3, 4, tzinfo=UTC)
SETS = {name: load(name) for name in (DEVELOPMENT, HELD_OUT)}


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    extractor = RuleExtractor.default(VOCABULARY)
    return {name: measure(extractor, rows, VOCABULARY) for name, rows in SETS.items()}


@pytest.mark.parametrize("name", SETS)
def test_the_rules_reach_their_thresholds(reports: dict[str, Report], name: str) -> None:
    total = reports[name].total()
    assert total.precision >= 0.95
    assert total.recall >= 0.75


@pytest.mark.parametrize("name", SETS)
def test_no_false_fact_where_none_is_allowed(reports: dict[str, Report], name: str) -> None:
    assert [(row.text, claim.attribute, claim.value) for row, claim in reports[name].forbidden()] == []


def test_the_set_is_large_half_chinese_and_a_quarter_is_held_out() -> None:
    rows = [row for many in SETS.values() for row in many]
    chinese = sum(any("\u4e00" <= char <= "\u9fff" for char in row.text) for row in rows)
    assert len(rows) >= 500
    assert 0.45 <= chinese / len(rows) <= 0.55
    assert len(SETS[HELD_OUT]) >= len(rows) / 4
    assert {row.category for row in SETS[HELD_OUT]} == {row.category for row in SETS[DEVELOPMENT]}


def test_no_turn_is_in_both_sets_and_none_without_claims_lacks_its_reason() -> None:
    assert not {row.text for row in SETS[HELD_OUT] if row.before is None} & {row.text for row in SETS[DEVELOPMENT]}
    rows = [row for many in SETS.values() for row in many]
    assert all(row.reason for row in rows if not any(not label.optional for label in row.claims))


def labelled(*claims: Expected, category: str = "plain") -> Labelled:
    return Labelled(id="x", category=category, language="en", text="I love tea", claims=claims)


def claim(value: str, attribute: str = "likes", subject: str = "user", **more: Polarity) -> Claim:
    made = Claim("c", "t", "s", 0, 0, subject, attribute, value, value, AT, AT.date(), AT)
    return replace(made, **more)  # type: ignore[arg-type]


TEA = Expected(attribute=("likes", "consumes"), value=("tea",))


def test_a_right_claim_and_a_second_name_of_the_value_are_right() -> None:
    assert compare(labelled(TEA), [claim("tea")], VOCABULARY).score.right == 1
    latte = Expected(attribute=("consumes",), value=("拿铁",))
    assert compare(labelled(latte), [claim("latte", "consumes")], VOCABULARY).score.right == 1


@pytest.mark.parametrize(
    "wrong",
    [
        claim("coffee"),
        claim("tea", attribute="hobby"),
        claim("tea", subject="jun"),
        claim("tea", polarity=Polarity.NEGATIVE),
    ],
)
def test_another_value_attribute_subject_or_polarity_is_false_and_leaves_one_missed(wrong: Claim) -> None:
    score = compare(labelled(TEA), [wrong], VOCABULARY).score
    assert (score.right, score.false, score.missed) == (0, 1, 1)
    assert (score.precision, score.recall, score.f1) == (0.0, 0.0, 0.0)


def test_an_optional_claim_counts_nowhere() -> None:
    maybe = Expected(attribute=("likes",), value=("tea",), optional=True)
    for claims in ([], [claim("tea")]):
        score = compare(labelled(maybe), claims, VOCABULARY).score
        assert (score.right, score.false, score.missed) == (0, 0, 0)


@pytest.mark.parametrize("category", NEVER)
def test_a_false_fact_about_the_user_is_reported_by_category(category: str) -> None:
    found = compare(labelled(category=category), [claim("tea")], VOCABULARY)
    assert len(found.forbidden) == 1
    assert compare(labelled(), [claim("tea")], VOCABULARY).forbidden == ()


class Silent:
    """Finds nothing."""

    def extract(self, turn: TurnText, before: TurnText | None) -> Extraction:  # noqa: ARG002
        return Extraction()


def test_any_extractor_can_be_measured_and_reported(tmp_path: Path) -> None:
    report = measure(Silent(), SETS[HELD_OUT], VOCABULARY)
    assert report.total().recall == 0.0
    page = tmp_path / "page.md"
    write_page({"held out": report}, page)
    assert "## Held out" in page.read_text("utf-8")
    assert "recall 0.000" in summary("held out", report)
    assert "| third party |" in scores(report)
    assert "missed" in mistakes(report)


def test_a_broken_label_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": "a"}\n', "utf-8")
    with pytest.raises(ValueError, match=r"bad\.jsonl:1"):
        load("bad", tmp_path)
    row = '{"id": "a", "category": "plain", "language": "en", "text": "hi"}\n'
    (tmp_path / "twice.jsonl").write_text(row * 2, "utf-8")
    with pytest.raises(ValueError, match="a occurs twice"):
        load("twice", tmp_path)


def test_a_model_needs_a_name() -> None:
    with pytest.raises(SystemExit, match="--model"):
        main(["--endpoint", "http://127.0.0.1:9"])


def test_a_model_that_does_not_answer_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--endpoint", "http://127.0.0.1:9/v1", "--model", "none", "--turns", "1"])
    assert "2 calls, failed: {'connection': 2}" in capsys.readouterr().out
