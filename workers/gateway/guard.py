"""What every request passes first: the host it names, its token, and the size of its body.

A gateway on loopback without a token answers only requests whose Host is loopback: a web page that has its own name
resolve to 127.0.0.1 (DNS rebinding) is refused, and so is a page of another origin that posts blindly. With a token,
every request but /healthz carries it.
"""

import hmac
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lithify.events.api import MAX_BODY_BYTES, Fault
from pipelines.settings import Settings, is_loopback
from workers.gateway.faults import TooLargeError, answer

_TOO_LARGE = f"the body is larger than {MAX_BODY_BYTES} bytes"
OPEN_PATHS = frozenset({"/healthz"})


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
        await self._app(scope, _bounded(receive), send)

    def _refusal(self, path: str, headers: Headers) -> tuple[HTTPStatus, Fault] | None:
        if self._token is None and not is_loopback(host_name(headers.get("host", ""))):
            return HTTPStatus.FORBIDDEN, Fault(code="forbidden_host", message="the Host header is not loopback")
        if self._token is None and not _from_here(headers):
            return HTTPStatus.FORBIDDEN, Fault(code="forbidden_origin", message="the Origin header is not loopback")
        if self._token is not None and path not in OPEN_PATHS and not self._knows(headers.get("authorization", "")):
            return HTTPStatus.UNAUTHORIZED, Fault(code="unauthorized", message="expected Authorization: Bearer TOKEN")
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > MAX_BODY_BYTES:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, Fault(code=TooLargeError.code, message=_TOO_LARGE)
        return None

    def _knows(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        assert self._token is not None
        return hmac.compare_digest(token.strip().encode(), self._token) and scheme.lower() == "bearer"


def _bounded(receive: Receive) -> Receive:
    """`receive`, until more came than a body may have: then TooLargeError, which the application answers."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MAX_BODY_BYTES:
            raise TooLargeError(_TOO_LARGE)
        return message

    return counted


def _from_here(headers: Headers) -> bool:
    """Whether a browser, if one sent this, sent it from a page on loopback."""
    origin = headers.get("origin")
    return origin is None or is_loopback(host_name(origin.partition("://")[2]))


def host_name(header: str) -> str:
    """The host of a Host header without its port; brackets of an IPv6 address removed."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]
