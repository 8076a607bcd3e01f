"""What every request passes first: the host it names, its token, and the size of its body.

A gateway on loopback without a token answers only requests whose Host is loopback: a web page that has its own name
resolve to 127.0.0.1 (DNS rebinding) is refused. With a token, every request but /healthz carries it.
"""

import hmac
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lithify.events.api import MAX_BODY_BYTES, Fault
from pipelines.settings import Settings, is_loopback
from workers.gateway.faults import answer

OPEN_PATHS = frozenset({"/healthz"})


class _BodyTooLargeError(Exception):
    """More bytes came than a body may have."""


class Guard:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._token = settings.gateway_token.get_secret_value().encode() if settings.gateway_token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass the request on with its body bounded."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope["path"], headers)
        if refusal is not None:
            status, fault = refusal
            await answer(status, fault)(scope, receive, send)
            return
        await self._bounded(scope, receive, send)

    def _refusal(self, path: str, headers: Headers) -> tuple[HTTPStatus, Fault] | None:
        if self._token is None and not is_loopback(host_name(headers.get("host", ""))):
            return HTTPStatus.FORBIDDEN, Fault(code="forbidden_host", message="the Host header is not loopback")
        if self._token is not None and path not in OPEN_PATHS and not self._knows(headers.get("authorization", "")):
            return HTTPStatus.UNAUTHORIZED, Fault(code="unauthorized", message="expected Authorization: Bearer TOKEN")
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > MAX_BODY_BYTES:
            return _TOO_LARGE
        return None

    def _knows(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        assert self._token is not None
        return hmac.compare_digest(token.strip().encode(), self._token) and scheme.lower() == "bearer"

    async def _bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        seen = 0
        started = False

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > MAX_BODY_BYTES:
                raise _BodyTooLargeError
            return message

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, counted, noted)
        except _BodyTooLargeError:
            if not started:
                await answer(*_TOO_LARGE)(scope, receive, send)


_TOO_LARGE = (
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Fault(code="too_large", message=f"the body is larger than {MAX_BODY_BYTES} bytes"),
)


def host_name(header: str) -> str:
    """The host of a Host header without its port; brackets of an IPv6 address removed."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]
