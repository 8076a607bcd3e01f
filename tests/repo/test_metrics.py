"""Metrics: declared once, described in the documentation, without labels that grow with users, and used as declared."""

import re

import pytest

from pipelines.metrics import Declared, declared
from tests.support.metrics_table import DOCS, PAGE
from tests.support.promql import Expression, expressions, rules

BY_SERIES = {series: item for item in declared() for series in item.series}
RECORDED = {rule["record"] for rule in rules() if "record" in rule}
SCRAPED = {"instance", "job"}
UNBOUNDED = {"tenant", "user", "user_id", "subject", "subject_key", "session", "session_id", "turn_id", "slot", "value"}


def test_names_follow_the_conventions_of_prometheus() -> None:
    names = [item.name for item in declared()]
    assert len(set(names)) == len(names)
    for item in declared():
        assert re.fullmatch(r"lithify_[a-z_]+", item.name)
        assert item.name.endswith("_total") == (item.kind == "counter"), item.name
        assert item.documentation.endswith(".")


def test_no_label_grows_with_users() -> None:
    assert [item.name for item in declared() if UNBOUNDED & set(item.labels)] == []


def test_the_documentation_lists_every_metric() -> None:
    assert DOCS in PAGE.read_text(encoding="utf-8"), "python -m tests.support.metrics_table writes it anew"


def faults(expression: Expression) -> list[str]:
    """What an expression asks for that is not declared."""
    found, labels = [], set(SCRAPED)
    for selector in expression.selectors():
        name = selector.name or ""
        item = BY_SERIES.get(name)
        if item is None:
            found += [] if name in RECORDED else [name]
            continue
        known = labels_of(item, name)
        labels |= known
        found += [f"{name}: {matcher.name}" for matcher in selector.matchers.matchers if matcher.name not in known]
    return found + [f"by {label}" for label in sorted(expression.grouped_by() - labels)]


def labels_of(item: Declared, series: str) -> set[str]:
    return {*item.labels, *SCRAPED} | ({"le"} if series.endswith("_bucket") else set())


@pytest.mark.parametrize("expression", list(expressions()), ids=lambda expression: expression.place)
def test_dashboards_and_alerts_use_only_declared_metrics(expression: Expression) -> None:
    assert expression.selectors(), "a constant tells nothing"
    assert faults(expression) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("lithify_nothing_total", "lithify_nothing_total"),
        ("rate(lithify_events_in_total{topic='x'}[5m])", "lithify_events_in_total: topic"),
        ("sum by (user) (lithify_events_in_total)", "by user"),
        ("lithify_batch_seconds", "lithify_batch_seconds"),
        ("lithify:late_turns:ratio_rate7m", "lithify:late_turns:ratio_rate7m"),
    ],
)
def test_what_is_not_declared_is_noticed(text: str, fault: str) -> None:
    assert faults(Expression("bad", text)) == [fault]
