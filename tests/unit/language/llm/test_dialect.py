"""Which parameter an endpoint refuses, as servers tell it, and what is tried then."""

from typing import Any

import pytest

from pipelines.language.llm.dialect import Dialect, refused_parameter

SCHEMA = {"type": "object"}


@pytest.mark.parametrize(
    ("error", "parameter"),
    [
        ({"message": "Not with this model.", "code": "unsupported_parameter", "param": "max_tokens"}, "max_tokens"),
        ({"message": "Only 1.", "code": "unsupported_value", "param": "temperature"}, "temperature"),
        ({"message": "Unknown parameter.", "param": "response_format.schema"}, "response_format"),
        (
            {"message": "This response_format type is unavailable now", "code": "invalid_request_error"},
            "response_format",
        ),
        ({"message": "`temperature` is deprecated for this model", "param": None}, "temperature"),
        ({"detail": [{"loc": ["body", "max_completion_tokens"], "msg": "extra fields"}]}, "max_completion_tokens"),
        ("temperature must be 1", "temperature"),
        ({"message": "There is no such model.", "param": "model"}, "model"),
        ({"message": "The model refuses these messages.", "param": "messages"}, None),
        ({"message": "'messages' is empty", "param": "messages"}, None),
        ({"message": "max_tokens is 9000, but the context length is 8192", "param": "max_tokens"}, None),
        ({"message": "too many tokens", "code": "context_length_exceeded", "param": "max_tokens"}, None),
        (None, None),
        ("", None),
    ],
)
def test_the_refused_parameter(error: Any, parameter: str | None) -> None:
    assert refused_parameter(error) == parameter


def test_each_refusal_leaves_less_until_nothing_is_left() -> None:
    dialect: Dialect | None = Dialect("json_schema")
    seen = []
    for parameter in ("temperature", "max_tokens", "response_format", "response_format"):
        assert dialect is not None
        dialect = dialect.without(parameter)
        seen.append(dialect)
    assert dialect is not None
    assert len(set(seen)) == 4
    assert dialect.options(100, SCHEMA) == {"max_completion_tokens": 100}
    for parameter in ("temperature", "max_tokens", "max_completion_tokens", "response_format", "messages"):
        assert dialect.without(parameter) is None


def test_what_is_asked_for_at_first() -> None:
    options = Dialect("json_schema").options(100, SCHEMA)
    assert (options["max_tokens"], options["temperature"]) == (100, 0)
    assert options["response_format"]["json_schema"]["schema"] == SCHEMA
    assert Dialect("json_object").options(100, SCHEMA)["response_format"]["schema"] == SCHEMA
