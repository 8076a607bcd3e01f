"""`lithify explain` against a gateway with the workers behind it: what gathers, how far it is, what would change it."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from lithify.cli.app import app
from lithify.client import Lithify
from lithify.events import CommandName
from tests.support.served import served
from tests.support.servers import Database

runner = CliRunner(env={"LITHIFY_USER": "", "COLUMNS": "300"})
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def url(database: Database) -> Iterator[str]:
    with served(database) as address:
        yield address


def tell(url: str, *said: str) -> None:
    """One turn a day."""
    with Lithify(url) as memory:
        for number, words in enumerate(said):
            at = START + timedelta(days=number)
            memory.wait_for("ada", memory.add_turn("ada", f"s{number}", words, occurred_at=at).id)


def explained(url: str, what: str, *more: str) -> list[str]:
    result = runner.invoke(app, ["explain", what, "-u", "ada", "--url", url, *more])
    assert result.exit_code == 0, result.output
    return result.output.splitlines()


def line(lines: list[str], start: str) -> str:
    return next(item.strip() for item in lines if item.strip().startswith(start))


def test_a_contender_tells_its_counts_and_what_would_change_it(url: str) -> None:
    tell(url, "I live in Utrecht.", "I live in Delft.", "I live in Delft.")
    found = re.fullmatch(
        r"contender delft  home city of the user: delft is gathering evidence "
        r"\(2 days, 3 needed; posterior (0\.\d\d) of 0\.85\)\. "
        r"It becomes the fact with at least 1 more day for it and a posterior higher by (0\.\d\d), "
        r"or at once if it is said to be for good; without another mention it is dropped on 2026-04-03\.",
        line(explained(url, "home"), "contender"),
    )
    assert found is not None
    assert float(found[1]) + float(found[2]) == pytest.approx(0.85)
    assert line(explained(url, "home"), "question").startswith("question Ask whether delft is for good")


def test_a_contender_is_explained_in_chinese(url: str) -> None:
    tell(url, "我住在上海。", "我住在杭州。", "我住在杭州。")
    lines = explained(url, "home", "--lang", "zh")
    contender = line(lines, "contender")
    assert re.search(r"正在积累证据\(2天,需要3天;后验概率0\.\d\d,门槛0\.85\)。", contender)
    assert re.search(r"至少再有1天支持它且后验概率再升高0\.\d\d,或用户明确说是长期的,它就成为事实;", contender)
    assert contender.endswith("若不再提起,将于2026-04-03放弃。")
    assert line(lines, "question").startswith("question 请询问")
    assert "因为对方这样陈述" in line(lines, "2026-03-02")


def test_what_a_pin_keeps_out_is_said(url: str) -> None:
    tell(url, "I live in Utrecht.")
    with Lithify(url) as memory:
        memory.wait_for("ada", memory.command("ada", CommandName.PIN, attribute="home").id)
        memory.wait_for("ada", memory.add_turn("ada", "later", "I live in Delft.").id)
    assert "The stored value is pinned, so only a command changes it" in line(explained(url, "home"), "contender")


def test_a_posterior_is_in_the_verdicts_and_in_the_json(url: str) -> None:
    tell(url, "I live in Utrecht.", "I live in Delft.")
    [lines] = [explained(url, "home", "--json")]
    answer = json.loads("".join(lines))
    [contender] = answer["contenders"]
    assert (contender["days"], contender["needed_days"], contender["threshold"]) == (1, 3, 0.85)
    assert "(1 day, 3 needed;" in contender["sentence"]
    [laid] = [verdict for verdict in answer["verdicts"] if verdict["kind"] == "overridden"]
    assert laid["trace"]["posterior"] == pytest.approx(contender["posterior"], abs=1e-5)
    assert "1 day, 3 needed; posterior" in laid["sentence"]
