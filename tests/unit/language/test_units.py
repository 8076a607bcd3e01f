"""Amounts: number, unit, currency and period, however they are written."""

from datetime import UTC, datetime

import pytest

from pipelines.language.model import TurnText
from pipelines.language.rules import RuleExtractor
from pipelines.language.units import canonical, quantity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$500", "500 USD"),
        ("USD 500", "500 USD"),
        ("$500 CAD", "500 CAD"),
        ("HK$500", "500 HKD"),
        ("500 Swiss francs", "500 CHF"),
        ("₹500", "500 INR"),
        ("5000日元", "5000 JPY"),
        ("500美金", "500 USD"),
        ("$1.2M", "1200000 USD"),
        ("€3bn", "3000000000 EUR"),
        ("1.5 million", "1500000"),
        ("20 thousand euros", "20000 EUR"),
        ("3亿", "300000000"),
        ("3万美元", "30000 USD"),
        ("3万", "30000 CNY"),
        ("5 m", "5 m"),
        ("5'11\"", "1.8034 m"),
        ("5 ft 11 in", "1.8034 m"),
        ("11 stone", "69.85322498 kg"),
    ],
)
def test_c54_amounts(text: str, expected: str) -> None:
    amount = quantity(text)
    assert amount is not None
    assert canonical(amount) == expected


@pytest.mark.parametrize("text", ["3.10", "1.500,50 €", "2.5.1", "1e6", "-5", "$5 apples", "5 mb/s"])
def test_c54_what_is_no_plain_amount_is_kept_as_said(text: str) -> None:
    assert quantity(text) is None


@pytest.mark.parametrize(
    ("content", "value", "words"),
    [
        ("My budget is $500 per month.", "500 USD/month", "$500 per month"),
        ("My budget is $500 a week.", "500 USD/week", "$500 a week"),
        ("My budget is HK$500.", "500 HKD", "HK$500"),
        ("My budget is CHF 500.", "500 CHF", "CHF 500"),
        ("My budget is $1.2M.", "1200000 USD", "$1.2M"),
        ("My budget is $200-$300.", "$200-$300", "$200-$300"),
        ("The version is 3.10.", "3.10", "3.10"),
        ("预算2万到3万", "2万到3万", "2万到3万"),
        ("我的房租是5000日元", "5000 JPY", "5000日元"),
        ("我们的配额是3亿", "300000000", "3亿"),
    ],
)
def test_c54_a_fact_keeps_currency_scale_and_period(
    extractor: RuleExtractor, content: str, value: str, words: str
) -> None:
    (claim,) = extractor.extract(TurnText("t", "s", content, datetime(2026, 3, 4, 9, tzinfo=UTC))).claims
    assert (claim.value, claim.text) == (value, words)
