"""The command line against the fake: what it shows, and its exit states."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from lithify.cli import app as cli
from lithify.client import Unauthorized, Unavailable
from lithify.testing import FakeLithify, FakeServer

runner = CliRunner(env={"LITHIFY_USER": "", "COLUMNS": "200"})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    """What the command line talks to."""
    shared = FakeServer()

    def connect(url: str, *, tenant: str, token: str | None) -> FakeLithify:
        del url, token
        return FakeLithify(tenant=tenant, server=shared)

    monkeypatch.setattr(cli, "Lithify", connect)
    return shared


def run(*words: str) -> tuple[int, str]:
    """Exit state and output."""
    result = runner.invoke(cli.app, list(words))
    return result.exit_code, result.output


def test_remember_recall_explain(server: FakeServer) -> None:
    state, said = run("remember", "I am vegetarian", "-u", "ada", "--attribute", "diet", "--value", "vegetarian")
    assert (state, said.split()[0]) == (0, "accepted")
    state, said = run("recall", "diet?", "-u", "ada")
    assert state == 0
    assert said.startswith("<lithify-memory")
    assert "diet: I am vegetarian" in said or "diet: vegetarian" in said
    state, said = run("explain", "diet", "-u", "ada")
    assert state == 0
    assert "fact vegetarian from" in said
    assert "established" in said or "promoted" in said or "superseded" in said
    assert FakeLithify(server=server).facts("ada").facts[0].value == "vegetarian"


def test_json_is_the_answer(server: FakeServer) -> None:
    del server
    state, said = run(
        "remember", "no lift", "-u", "ada", "--attribute", "note", "--value", "no lift", "--wait", "5", "--json"
    )
    assert state == 0
    assert json.loads(said)["outcome"] == "stored"
    state, said = run("recall", "-u", "ada", "--json", "--session", "s1")
    assert json.loads(said)["items"][0]["attribute"] == "note"


def test_usage_and_wrong_input_are_2(server: FakeServer) -> None:
    del server
    for words in (["recall"], ["remember", "-u", "ada"], ["nonsense"], ["recall", "-u", "ada", "--lang", "fr"]):
        assert run(*words)[0] == 2, words
    assert run("recall", "-u", "ada", "--budget", "5")[0] == 2


def test_an_unknown_name_is_3(server: FakeServer) -> None:
    del server
    state, said = run("explain", "nothing", "-u", "ada")
    assert state == 3
    assert "nothing" in said


@pytest.mark.parametrize(("error", "state"), [(Unavailable("down"), 4), (Unauthorized("who?"), 1)])
def test_an_outage_is_4_and_anything_else_1(monkeypatch: pytest.MonkeyPatch, error: Exception, state: int) -> None:
    def connect(*_: Any, **__: Any) -> FakeLithify:
        raise error

    monkeypatch.setattr(cli, "Lithify", connect)
    for words in (["recall", "-u", "ada"], ["remember", "x", "-u", "ada"], ["explain", "diet", "-u", "ada"]):
        assert run(*words)[0] == state


def test_nobody_there_is_4() -> None:
    assert run("recall", "-u", "ada", "--url", "http://127.0.0.1:1")[0] == 4


def test_url_token_and_user_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    def connect(url: str, *, tenant: str, token: str | None) -> FakeLithify:
        seen.update(url=url, token=token)
        return FakeLithify(tenant=tenant)

    monkeypatch.setattr(cli, "Lithify", connect)
    env = {"LITHIFY_URL": "http://h", "LITHIFY_TOKEN": "t", "LITHIFY_USER": "ada"}
    assert runner.invoke(cli.app, ["recall"], env=env).exit_code == 0
    assert seen == {"url": "http://h", "token": "t"}


def test_a_terminal_gets_a_table(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    del server
    run("remember", "x", "-u", "ada", "--attribute", "note", "--value", "no [lift]")
    monkeypatch.setenv("FORCE_COLOR", "1")
    console: Callable[..., Any] = Console
    monkeypatch.setattr("lithify.cli.show.Console", lambda **more: console(force_terminal=True, **more))
    state, said = run("recall", "-u", "ada")
    assert state == 0
    assert "lithify-memory" not in said
    assert "tokens" in said
