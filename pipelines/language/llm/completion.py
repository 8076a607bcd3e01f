"""What an endpoint answered: a completion that may hold a reply, an outage in the form of an answer, or neither.

Endpoints that call themselves compatible differ in everything that stands beside the text: counts that are null or
fractions, reasoning as an object, content in parts, the reply as a tool's arguments. None of that costs a reply that is
there, for it was paid for.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pipelines.language.llm.dialect import refused_parameter
from pipelines.language.llm.reply import Fault, ReplyError

NO_COMPLETION = "no_completion"
"""Why nothing was answered: a proxy's page, an empty body, anything that is not a JSON object."""
_SETTINGS_HOLD = 60.0
"""Seconds for which a wrong key, address, model name or option stops all calls."""
REQUEST_FAULTS = frozenset([400, 413, 422])
"""States of HTTP that may tell of the request itself."""
_SETTINGS_FAULTS = frozenset([401, 402, 403, 404])
_MOST_TOKENS = 2**31 - 1


class Unavailable(Exception):  # noqa: N818 - an outage, no fault of the request
    """The endpoint did not answer; the same request may be answered later."""

    def __init__(self, reason: str, hold: float | None = None) -> None:
        """`hold`: seconds for which nothing at all should be asked, where that is known."""
        super().__init__(reason)
        self.reason = reason
        self.hold = hold


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: text that may be a reply."""

    content: str
    reasoning: str
    input_tokens: int
    """0: not told."""
    output_tokens: int
    fault: Fault | None = None
    """Why it cannot be a whole reply, where the endpoint itself says so."""


def status_fault(status: int, error: object = None, hold: float | None = None) -> Exception:
    """What a status other than 200 means.

    Args:
        status: of HTTP, also where an endpoint tells it in the body of a 200.
        error: what stands beside it, as for `refused_parameter`. Where it refuses what every request holds alike, no
            turn is at fault.
        hold: seconds it asked for.
    """
    if status in REQUEST_FAULTS and refused_parameter(error) is None:
        return ReplyError(Fault.REJECTED, f"status {status}")
    if status in REQUEST_FAULTS | _SETTINGS_FAULTS:
        return Unavailable(f"status_{status}", _SETTINGS_HOLD)
    return Unavailable(f"status_{status}", hold)


def read_answer(body: bytes) -> Answer:
    """The answer in the body of a 200.

    Raises:
        Unavailable: it is no completion, or an error told under the status of success.
        ReplyError: it is a completion without any choice.
    """
    found = _object(body)
    choices = found.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    for part in (found, choice):
        if part.get("error"):
            raise _told_error(part["error"])
    message = choice.get("message")
    if not isinstance(message, dict):
        raise ReplyError(Fault.EMPTY, "no choices")
    usage = found.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Answer(
        _text(message.get("content")) or _arguments(message.get("tool_calls")),
        _text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _fault(message.get("refusal"), choice.get("finish_reason")),
    )


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(body.decode(json.detect_encoding(body), "replace"), strict=False)
    except (ValueError, RecursionError):
        raise Unavailable(NO_COMPLETION) from None
    if not isinstance(found, dict):
        raise Unavailable(NO_COMPLETION)
    return found


def _told_error(error: object) -> Exception:
    """An error under the status of success, as gateways tell that of an endpoint behind them."""
    told = error if isinstance(error, dict) else {}
    code = told.get("code") or told.get("status")
    if isinstance(code, int) and 400 <= code < 600:
        return status_fault(code, told)
    return Unavailable(NO_COMPLETION)


def _fault(refusal: object, finish: object) -> Fault | None:
    if isinstance(refusal, str) and refusal.strip():
        return Fault.REFUSED
    return {"length": Fault.TRUNCATED, "content_filter": Fault.REFUSED}.get(str(finish))


def _text(value: object) -> str:
    """Text as it is, in parts, or as the JSON value that somebody has parsed already."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, dict) and "text" in part for part in value):
        return "".join(part["text"] for part in value if isinstance(part["text"], str))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else ""


def _arguments(calls: object) -> str:
    """The arguments of the first tool that was called: some endpoints ask for the form of a reply so."""
    listed: Iterable[Any] = calls if isinstance(calls, list) else ()
    functions = (call.get("function") for call in listed if isinstance(call, dict))
    return next((_text(one.get("arguments")) for one in functions if isinstance(one, dict)), "")


def _count(value: object) -> int:
    """A count of tokens; 0 where it is none."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not value >= 0:
        return 0
    return int(min(value, _MOST_TOKENS))
