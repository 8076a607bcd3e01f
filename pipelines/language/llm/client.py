"""One call of an OpenAI-compatible endpoint, and what its failures mean.

It never tries again by itself: the queue does, and knows what an attempt costs. The body is read up to a bound and
within a total time, so that neither a flood nor a trickle holds a call.
"""

import asyncio
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import openai

from pipelines.language.llm.completion import Answer, Unavailable, read_answer, status_fault
from pipelines.language.llm.reply import Fault, ReplyError

MOST_BYTES = 2_000_000
"""Of a reply's body."""
_LONGEST_HOLD = 3600.0
"""Seconds of a Retry-After that are honoured."""


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
        return read_answer(body)

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
    return status_fault(error.status_code, error.param, retry_after(error.response.headers.get("retry-after")))


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a Retry-After header asks for, as seconds or as a date; None where it says nothing readable."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            until = parsedate_to_datetime(value)
        except (ValueError, OverflowError):
            return None
        seconds = ((until if until.tzinfo else until.replace(tzinfo=UTC)) - (now or datetime.now(UTC))).total_seconds()
    if seconds != seconds:  # noqa: PLR0124 - "nan" is a float too
        return None
    return min(max(seconds, 0.0), _LONGEST_HOLD)
