"""The asynchronous client: the same calls, awaited."""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx

from lithify.client import http, publishing, reading
from lithify.client.steps import Pause, Publish, Reply, Request, Step, Steps
from lithify.client.synchronous import Publisher

P = ParamSpec("P")
T = TypeVar("T")


def _method(
    call: Callable[Concatenate[str, P], Steps[T]],
) -> Callable[Concatenate["AsyncLithify", P], Coroutine[Any, Any, T]]:
    """A call as a method: its first argument is the client's tenant."""

    @functools.wraps(call)
    def method(self: "AsyncLithify", /, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, T]:
        return self._run(call(self.tenant, *args, **kwargs))

    return method


class AsyncLithify:
    """A user's memory over HTTP, for one event loop.

    Args:
        url: of the gateway.
        tenant: of every call.
        token: shared token, where the gateway asks for one.
        timeout: seconds for one request.
        publisher: publishes turns and commands instead of the gateway (`KafkaPublisher`); closed with the client.
        transport: an httpx transport, to talk to an application in the same process.
    """

    def __init__(
        self,
        url: str,
        *,
        tenant: str = "default",
        token: str | None = None,
        timeout: float = 10.0,
        publisher: Publisher | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.tenant = tenant
        self._url = url
        self._publisher = publisher
        self._http = httpx.AsyncClient(headers=http.headers(token), timeout=timeout, transport=transport)

    add_turn = _method(publishing.add_turn)
    add_turns = _method(publishing.add_turns)
    end_session = _method(publishing.end_session)
    command = _method(publishing.command)
    remember = _method(publishing.remember)
    correct = _method(publishing.correct)
    forget = _method(publishing.forget)
    context = _method(reading.context)
    facts = _method(reading.facts)
    fact = _method(reading.fact)
    explain = _method(reading.explain)
    turn_outcome = _method(reading.turn_outcome)
    wait_for = _method(reading.wait_for)

    async def aclose(self) -> None:
        """Finish what is under way and let connections go."""
        await self._http.aclose()
        if self._publisher is not None:
            await asyncio.to_thread(self._publisher.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _run(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                step = steps.send(await self._do(step))
        except StopIteration as done:
            result: T = done.value
            return result

    async def _do(self, step: Step) -> Reply:
        match step:
            case Request():
                return await self._send(step)
            case Publish(events) if self._publisher is not None:
                await asyncio.to_thread(self._publisher.publish, events)
                return Reply()
            case Publish(events):
                return await self._send(publishing.published(events))
            case Pause(seconds):
                await asyncio.sleep(seconds)
                return Reply()

    async def _send(self, request: Request) -> Reply:
        try:
            response = await self._http.request(request.method, http.url(self._url, request), content=request.body)
        except httpx.HTTPError as error:
            raise http.unavailable(error) from error
        return http.reply(response)
