"""One call of an OpenAI-compatible endpoint, and what its failures mean.

It never tries again by itself: the queue does, and knows what an attempt costs. Only a request whose optional
parameters are refused is put otherwise and sent again, for a refusal costs nothing. The body is read up to a bound and
within a total time, so that neither a flood nor a trickle holds a call.
"""

import asyncio
import logging
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import openai

from pipelines.language.llm.completion import REQUEST_FAULTS, Answer, Unavailable, read_answer, status_fault
from pipelines.language.llm.dialect import Dialect, Structure, refused_parameter
from pipelines.language.llm.reply import Fault, ReplyError

_log = logging.getLogger(__name__)

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
        structure: Structure,
        timeout: float,
        reply_tokens: int,
    ) -> None:
        self.model = model
        self._timeout = timeout
        self._reply_tokens = reply_tokens
        self._dialect = Dialect(structure)
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
                body = await self._understood(messages, schema)
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

    async def _understood(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> bytes:
        """The body of the reply, in whichever dialect the endpoint takes."""
        dialect = self._dialect
        while True:
            try:
                body = await self._body(dialect, messages, schema)
            except openai.APIStatusError as error:
                refused = refused_parameter(error.body) if error.status_code in REQUEST_FAULTS else None
                other = dialect.without(refused) if refused else None
                if other is None:
                    raise
                dialect = other
            else:
                self._speak(dialect)
                return body

    def _speak(self, dialect: Dialect) -> None:
        if dialect != self._dialect:
            _log.warning("%s refuses parts of a request and is asked otherwise from now on: %s", self.model, dialect)
            self._dialect = dialect

    async def _body(self, dialect: Dialect, messages: list[dict[str, str]], schema: dict[str, Any]) -> bytes:
        completions: Any = self._client.chat.completions
        options = dialect.options(self._reply_tokens, schema)
        call = completions.with_streaming_response.create(model=self.model, messages=messages, **options)
        parts = bytearray()
        async with call as response:
            async for part in response.iter_bytes():
                parts += part
                if len(parts) > MOST_BYTES:
                    raise ReplyError(Fault.TOO_LARGE)
        return bytes(parts)

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()


def _status_fault(error: openai.APIStatusError) -> Exception:
    return status_fault(error.status_code, error.body, retry_after(error.response.headers.get("retry-after")))


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
