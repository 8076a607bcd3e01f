"""One call of an OpenAI-compatible endpoint, and what its failures mean.

It never tries again by itself: the queue does, and knows what an attempt costs. The body is read up to a bound and
within a total time, so that neither a flood nor a trickle holds a call.
"""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import msgspec
import openai

from pipelines.language.llm.reply import Fault, ReplyError

MOST_BYTES = 2_000_000
"""Of a reply's body."""
_LONGEST_HOLD = 3600.0
"""Seconds of a Retry-After that are honoured."""
_SETTINGS_HOLD = 60.0
"""Seconds for which a wrong key, address or model name stops all calls."""
_REQUEST_FAULTS = frozenset([400, 413, 422])
_SETTINGS_FAULTS = frozenset([401, 402, 403, 404])


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
    output_tokens: int
    fault: Fault | None = None
    """Why it cannot be a whole reply, where the endpoint itself says so."""


class _Message(msgspec.Struct, frozen=True):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(msgspec.Struct, frozen=True):
    choices: list[_Choice]
    usage: _Usage | None = None


_decoder = msgspec.json.Decoder(_Completion)


class ModelClient:
    """Asks one model. Open until `close`."""

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None,
        *,
        structure: Literal["json_schema", "json_object", "none"],
        timeout: float,
        reply_tokens: int,
    ) -> None:
        self.model = model
        self._timeout = timeout
        self._options: dict[str, Any] = {"model": model, "temperature": 0, "max_tokens": reply_tokens}
        self._structure = structure
        self._client = openai.AsyncOpenAI(
            base_url=url, api_key=key or "none", organization=None, project=None, timeout=timeout, max_retries=0
        )

    async def ask(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> Answer:
        """The endpoint's answer.

        Raises:
            ReplyError: it answered, and the answer is of no use; or it rejected the request.
            Unavailable: it did not answer.
        """
        try:
            async with asyncio.timeout(self._timeout):
                body = await self._body(messages, schema)
        except TimeoutError:
            raise Unavailable("timeout") from None
        except openai.APITimeoutError:
            raise Unavailable("timeout") from None
        except openai.APIStatusError as error:
            raise _status_fault(error) from None
        except (openai.APIError, OSError):
            raise Unavailable("connection") from None
        except ReplyError:
            raise
        except Exception:  # noqa: BLE001 - transports raise their own errors while a body is read
            raise Unavailable("connection") from None
        return _answer(body)

    async def _body(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> bytes:
        completions: Any = self._client.chat.completions
        call = completions.with_streaming_response.create(messages=messages, **self._options, **self._format(schema))
        parts = bytearray()
        async with call as response:
            async for part in response.iter_bytes():
                parts += part
                if len(parts) > MOST_BYTES:
                    raise ReplyError(Fault.TOO_LARGE)
        return bytes(parts)

    def _format(self, schema: dict[str, Any]) -> dict[str, Any]:
        if self._structure == "none":
            return {}
        if self._structure == "json_object":
            return {"response_format": {"type": "json_object", "schema": schema}}
        described = {"name": "turns_read", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": described}}

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()


def _status_fault(error: openai.APIStatusError) -> Exception:
    status = error.status_code
    if status in _REQUEST_FAULTS:
        return ReplyError(Fault.REJECTED, f"status {status}")
    if status in _SETTINGS_FAULTS:
        return Unavailable(f"status_{status}", _SETTINGS_HOLD)
    return Unavailable(f"status_{status}", retry_after(error.response.headers.get("retry-after")))


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a Retry-After header asks for, as seconds or as a date; None where it says nothing readable."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            until = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = ((until if until.tzinfo else until.replace(tzinfo=UTC)) - (now or datetime.now(UTC))).total_seconds()
    if seconds != seconds:  # noqa: PLR0124 - "nan" is a float too
        return None
    return min(max(seconds, 0.0), _LONGEST_HOLD)


def _answer(body: bytes) -> Answer:
    try:
        completion = _decoder.decode(body)
        choice = completion.choices[0]
    except msgspec.ValidationError as error:
        raise ReplyError(Fault.INVALID, str(error)[:200]) from None
    except (msgspec.DecodeError, RecursionError, UnicodeError, IndexError) as error:
        raise ReplyError(Fault.EMPTY if not body.strip() else Fault.NOT_JSON, str(error)[:200]) from None
    message, usage = choice.message, completion.usage or _Usage()
    fault = None
    if message.refusal:
        fault = Fault.REFUSED
    elif choice.finish_reason == "length":
        fault = Fault.TRUNCATED
    elif choice.finish_reason == "content_filter":
        fault = Fault.REFUSED
    return Answer(
        message.content or "",
        message.reasoning_content or message.reasoning or "",
        usage.prompt_tokens,
        usage.completion_tokens,
        fault,
    )
