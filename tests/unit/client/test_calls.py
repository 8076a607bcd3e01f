"""What the client asks and what it makes of answers, without any transport."""

import inspect
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from lithify import client
from lithify.client import answers, http, publishing, reading
from lithify.client.errors import (
    BudgetTooSmall,
    Invalid,
    LithifyError,
    NotFound,
    StillAccepted,
    Unauthorized,
    Unavailable,
)
from lithify.client.steps import Pause, Publish, Reply, Request, Step, Steps
from lithify.events import Command, Role, SessionEnded, Turn
from lithify.events.api import Fault, FaultReply, TurnOutcome
from lithify.testing import AsyncFakeLithify, FakeLithify

T0 = datetime(2026, 3, 2, 12, tzinfo=UTC)


def first(steps: Steps[Any]) -> Step:
    """The first thing a call asks."""
    return next(steps)


def fault(status: int, code: str, field: str | None = None) -> Reply:
    """The gateway's answer to a request that fails."""
    return Reply(status, msgspec.json.encode(FaultReply(error=Fault(code=code, message="because", field=field))), 3.0)


def published(steps: Steps[Any]) -> Any:
    """The single event a call publishes."""
    step = first(steps)
    assert isinstance(step, Publish)
    [event] = step.events
    return event


def test_a_turn_is_complete_before_it_leaves() -> None:
    turn = published(publishing.add_turn("acme", "ada", "s1", "hi", timezone="Asia/Shanghai", index=4))
    assert isinstance(turn, Turn)
    assert (turn.tenant, turn.user_id, turn.session_id, turn.text(), turn.index) == ("acme", "ada", "s1", "hi", 4)
    assert turn.occurred_at.tzinfo is not None
    assert len(turn.id) == 36


def test_the_callers_id_and_time_are_kept() -> None:
    steps = publishing.add_turn("t", "ada", "s1", "hi", id="t1", occurred_at=T0)
    assert published(steps).id == "t1"
    with pytest.raises(StopIteration) as done:
        steps.send(Reply())
    assert (done.value.value.id, done.value.value.occurred_at) == ("t1", T0)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"occurred_at": datetime(2026, 3, 2)}, "occurred_at"),  # noqa: DTZ001 - naive on purpose
        ({"role": "robot"}, "role"),
        ({"index": -1}, "index"),
        ({"id": "a\x00"}, "id"),
        ({"metadata": "x"}, "metadata"),
        ({"content": "x" * 2_000_000}, "content"),
    ],
)
def test_wrong_input_is_refused_before_it_leaves(wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        first(publishing.add_turn("t", "ada", "s1", **({"content": "hi"} | wrong)))
    assert caught.value.field == field


@pytest.mark.parametrize(("tenant", "user", "session"), [("a/b", "u", "s"), ("t", "", "s"), ("t", "u", "\ud800")])
def test_ids_that_workers_would_refuse_are_refused_here(tenant: str, user: str, session: str) -> None:
    with pytest.raises(Invalid):
        first(publishing.add_turn(tenant, user, session, "hi"))


def test_many_turns_go_in_batches() -> None:
    turns = [
        Turn(id=f"t{i}", user_id="u", session_id="s", occurred_at=T0, role=Role.USER, content="x") for i in range(250)
    ]
    steps = publishing.add_turns("t", turns)
    batches = [first(steps), steps.send(Reply()), steps.send(Reply())]
    assert [len(step.events) for step in batches if isinstance(step, Publish)] == [100, 100, 50]
    with pytest.raises(StopIteration) as done:
        steps.send(Reply())
    assert [item.id for item in done.value.value] == [f"t{i}" for i in range(250)]


def test_commands_and_session_ends_are_events_too() -> None:
    event = published(publishing.remember("t", "ada", "no lift", attribute="note", value="no lift"))
    assert isinstance(event, Command)
    assert (event.command, event.attribute, event.session_id) == ("remember", "note", "commands")
    assert published(publishing.forget("t", "ada", fact_id="f")).command == "forget"
    assert isinstance(published(publishing.end_session("t", "ada", "s1", occurred_at=T0)), SessionEnded)


@pytest.mark.parametrize(
    ("text", "path"), [("a/b", "a%2Fb"), ("..", "%2E%2E"), ("é", "%C3%A9"), ("a?b#c", "a%3Fb%23c")]
)
def test_names_are_one_path_segment(text: str, path: str) -> None:
    step = first(reading.explain("t", "ada", text))
    assert isinstance(step, Request)
    assert step.path == f"/v1/explain/{path}"
    assert http.url("http://h:1/base/", step).raw_path.startswith(f"/base/v1/explain/{path}?".encode())


def test_parameters_are_sent_only_where_given() -> None:
    step = first(reading.facts("acme", "ada", as_of=T0, history=True))
    assert isinstance(step, Request)
    sent = {"user_id": "ada", "tenant": "acme", "as_of": "2026-03-02T12:00:00+00:00", "history": "true"}
    assert step.params == sent
    with pytest.raises(Invalid):
        first(reading.facts("t", "ada", as_of=datetime(2026, 3, 2)))  # noqa: DTZ001 - naive on purpose


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (fault(404, "not_found"), NotFound),
        (fault(422, "invalid", "user_id"), Invalid),
        (fault(422, "budget_too_small"), BudgetTooSmall),
        (fault(413, "too_large"), Invalid),
        (fault(401, "unauthorized"), Unauthorized),
        (fault(403, "forbidden_host"), Unauthorized),
        (fault(503, "unavailable"), Unavailable),
        (Reply(502, b"<html>bad gateway</html>"), Unavailable),
        (Reply(400, b"nonsense"), Invalid),
        (Reply(200, b"nonsense"), LithifyError),
        (Reply(200, b'{"id": 5}'), LithifyError),
    ],
)
def test_every_failing_answer_is_a_typed_error(reply: Reply, error: type[LithifyError]) -> None:
    with pytest.raises(LithifyError) as caught:
        answers.read(reply, TurnOutcome)
    assert type(caught.value) is error
    if isinstance(caught.value, Unavailable) and reply.retry_after:
        assert caught.value.retry_after == 3.0
    if reply.status == 422 and error is Invalid:
        assert caught.value.field == "user_id"


def test_unknown_fields_of_a_newer_gateway_are_ignored() -> None:
    assert answers.read(Reply(200, b'{"id": "t", "outcome": "stored", "mood": 1}'), TurnOutcome).outcome == "stored"


def test_waiting_goes_on_while_a_turn_is_accepted_or_not_there_yet() -> None:
    steps = reading.wait_for("t", "ada", "t1", timeout=60, every=0.5)
    assert isinstance(first(steps), Request)
    assert steps.send(fault(404, "not_found")) == Pause(0.5)
    assert isinstance(steps.send(Reply()), Request)
    assert steps.send(Reply(200, b'{"id": "t1", "outcome": "accepted"}')) == Pause(0.5)
    steps.send(Reply())
    with pytest.raises(StopIteration) as done:
        steps.send(Reply(200, b'{"id": "t1", "outcome": "no_facts"}'))
    assert done.value.value.outcome == "no_facts"


def test_waiting_ends() -> None:
    steps = reading.wait_for("t", "ada", "t1", timeout=0)
    first(steps)
    with pytest.raises(StillAccepted):
        steps.send(Reply(200, b'{"id": "t1", "outcome": "accepted"}'))


def test_an_outage_is_not_waited_out() -> None:
    steps = reading.wait_for("t", "ada", "t1", timeout=60)
    first(steps)
    with pytest.raises(Unavailable):
        steps.send(fault(503, "unavailable"))


def declared() -> set[str]:
    """Names of the calls: what returns steps."""
    return {
        name
        for module in (publishing, reading)
        for name, value in vars(module).items()
        if inspect.isfunction(value) and not name.startswith("_") and value.__annotations__.get("tenant") is str
    }


def signatures(kind: type) -> dict[str, inspect.Signature]:
    """Signatures of the calls of a client."""
    return {name: inspect.signature(getattr(kind, name)) for name in declared()}


def test_all_clients_have_the_same_calls() -> None:
    calls = signatures(client.Lithify)
    assert {"add_turn", "end_session", "remember", "correct", "forget", "context", "facts", "explain"} <= set(calls)
    assert calls == signatures(client.AsyncLithify) == signatures(FakeLithify) == signatures(AsyncFakeLithify)
