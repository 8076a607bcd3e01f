"""Counts and times requests by route, never by id."""

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pipelines import metrics


class Measure:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and note how it ended. A request that breaks counts as 500."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500
        started = time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path", "unknown")
            metrics.REQUESTS.labels(scope["method"], route, str(status)).inc()
            metrics.REQUEST_SECONDS.labels(route).observe(time.perf_counter() - started)
