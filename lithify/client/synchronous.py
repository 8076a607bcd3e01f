"""The synchronous client."""

import functools
import time
from collections.abc import Callable
from types import TracebackType
from typing import Concatenate, ParamSpec, Protocol, Self, TypeVar

import httpx

from lithify.client import http, publishing, reading
from lithify.client.steps import Pause, Publish, Reply, Request, Step, Steps
from lithify.events import Inbound

P = ParamSpec("P")
T = TypeVar("T")


class Publisher(Protocol):
    """Another way for events to reach the workers than through the gateway."""

    def publish(self, events: tuple[Inbound, ...]) -> None:
        """Return once the broker has every event, or raise a LithifyError."""
        ...

    def close(self) -> None:
        """Finish what is under way."""
        ...


def _method(call: Callable[Concatenate[str, P], Steps[T]]) -> Callable[Concatenate["Lithify", P], T]:
    """A call as a method: its first argument is the client's tenant."""

    @functools.wraps(call)
    def method(self: "Lithify", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._run(call(self.tenant, *args, **kwargs))

    return method


class Lithify:
    """A user's memory over HTTP. Thread-safe.

    Args:
        url: of the gateway.
        tenant: of every call.
        token: shared token, where the gateway asks for one.
        timeout: seconds for one request.
        publisher: publishes turns and commands instead of the gateway (`KafkaPublisher`); closed with the client.
    """

    def __init__(
        self,
        url: str,
        *,
        tenant: str = "default",
        token: str | None = None,
        timeout: float = 10.0,
        publisher: Publisher | None = None,
    ) -> None:
        self.tenant = tenant
        self._url = url
        self._publisher = publisher
        self._http = httpx.Client(headers=http.headers(token), timeout=timeout)

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

    def close(self) -> None:
        """Finish what is under way and let connections go."""
        self._http.close()
        if self._publisher is not None:
            self._publisher.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _run(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                step = steps.send(self._do(step))
        except StopIteration as done:
            result: T = done.value
            return result

    def _do(self, step: Step) -> Reply:
        match step:
            case Request():
                return self._send(step)
            case Publish(events) if self._publisher is not None:
                self._publisher.publish(events)
                return Reply()
            case Publish(events):
                return self._send(publishing.published(events))
            case Pause(seconds):
                time.sleep(seconds)
                return Reply()

    def _send(self, request: Request) -> Reply:
        try:
            return http.reply(self._http.request(request.method, http.url(self._url, request), content=request.body))
        except httpx.HTTPError as error:
            raise http.unavailable(error) from error
