"""Answers of endpoints that call themselves compatible: what is a completion, and what only looks like one."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.language.llm.client import retry_after
from pipelines.language.llm.completion import NO_COMPLETION, Unavailable, read_answer, status_fault
from pipelines.language.llm.reply import Fault, ReplyError

ANY = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists)


def body(content: object = "x", usage: object = None, finish: object = "stop", **message: object) -> bytes:
    choice = {"finish_reason": finish, "message": {"content": content, **message}}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def unavailable(answer: bytes) -> str:
    with pytest.raises(Unavailable) as caught:
        read_answer(answer)
    return caught.value.reason


@given(usage=ANY | st.dictionaries(st.sampled_from(["prompt_tokens", "completion_tokens"]), ANY))
def test_c110_counts_may_be_anything(usage: object) -> None:
    answer = read_answer(body(usage=usage))
    assert answer.content == "x"
    assert 0 <= answer.input_tokens < 2**31
    assert 0 <= answer.output_tokens < 2**31


@given(
    reasoning=ANY, refusal=ANY.filter(lambda told: not isinstance(told, str)), finish=ANY.filter(lambda end: not end)
)
def test_c110_what_stands_beside_the_text_may_be_anything(reasoning: object, refusal: object, finish: object) -> None:
    answer = read_answer(body(finish=finish, reasoning=reasoning, refusal=refusal))
    assert (answer.content, answer.fault) == ("x", None)


@pytest.mark.parametrize(
    "content",
    ['{"a": 1}', [{"type": "text", "text": '{"a"'}, {"type": "text", "text": ": 1}"}], {"a": 1}],
)
def test_c110_text_comes_whole_in_parts_or_parsed(content: object) -> None:
    assert json.loads(read_answer(body(content)).content) == {"a": 1}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_c110_a_body_in_any_encoding_of_unicode(encoding: str) -> None:
    assert read_answer(body("蔬菜").decode().encode(encoding)).content == "蔬菜"


def test_c110_bytes_that_are_no_text_cost_a_character() -> None:
    assert read_answer(body("caf_").replace(b"_", b"\xe9")).content == "caf\ufffd"


@pytest.mark.parametrize(
    "answer", [b"", b" \n", b"<html>", b"null", b"[]", b'"x"', b"data: {}\n\n", b"{", b"[" * 99_999]
)
def test_c110_what_is_no_object_is_no_answer(answer: bytes) -> None:
    assert unavailable(answer) == NO_COMPLETION


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ({"code": 429, "message": "slow down"}, "status_429"),
        ({"code": 502}, "status_502"),
        ({"code": 401}, "status_401"),
        ({"code": "overloaded"}, NO_COMPLETION),
        ("down", NO_COMPLETION),
        ({"code": 200}, NO_COMPLETION),
    ],
)
def test_c110_an_error_under_the_status_of_success_is_one(error: object, reason: str) -> None:
    assert unavailable(json.dumps({"error": error}).encode()) == reason
    assert unavailable(json.dumps({"choices": [{"error": error, "message": {"content": ""}}]}).encode()) == reason


def test_c110_a_refused_request_under_the_status_of_success_is_a_refusal_of_the_request() -> None:
    with pytest.raises(ReplyError) as caught:
        read_answer(b'{"error": {"code": 400, "message": "too long"}}')
    assert caught.value.fault is Fault.REJECTED


@pytest.mark.parametrize("choices", [None, [], {}, [None], [{}], [{"message": None}], "x"])
def test_no_choice_is_an_empty_reply(choices: object) -> None:
    with pytest.raises(ReplyError) as caught:
        read_answer(json.dumps({"choices": choices}).encode())
    assert caught.value.fault is Fault.EMPTY


@pytest.mark.parametrize(
    "param", ["max_tokens", "temperature", "model", "response_format", "response_format.json_schema"]
)
def test_c110_a_refused_option_is_no_fault_of_the_turns(param: str) -> None:
    found = status_fault(400, {"message": "Not so.", "param": param})
    assert isinstance(found, Unavailable)
    assert found.hold == 60.0


@pytest.mark.parametrize("param", [None, "None", "messages", "messages.1.content", "input"])
def test_c68_a_refused_text_is_one_of_the_turns(param: object) -> None:
    assert isinstance(status_fault(400, {"message": "Not so.", "param": param}), ReplyError)


@given(st.binary() | st.builds(lambda value: json.dumps(value).encode(), ANY))
def test_any_body_is_an_answer_or_a_failure(answer: bytes) -> None:
    with contextlib.suppress(ReplyError, Unavailable):
        read_answer(answer)


@pytest.mark.parametrize(
    "value", ["Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "Mon, 99 Foo 2026 25:61:61 GMT", "soon"]
)
def test_c109_a_retry_after_that_says_nothing(value: str) -> None:
    assert retry_after(value) is None
