"""The FastAPI application, put together from its parts."""

import time
from collections.abc import Awaitable, Callable

from fastapi import FastAPI, Request, Response

import lithify
from pipelines import metrics
from workers.gateway import commands, context, explain, facts, faults, health, sessions, turns
from workers.gateway.deps import Deps
from workers.gateway.describe import describe
from workers.gateway.guard import Guard

ROUTERS = (turns.router, sessions.router, commands.router, context.router, facts.router, explain.router, health.router)
_ABOUT = "Memory for agents: publish turns and commands, read facts, explanations and context blocks."


def create_app(deps: Deps) -> FastAPI:
    """The application over `deps`. Opening and closing them is the caller's business."""
    app = FastAPI(title="Lithify", version=lithify.__version__, description=_ABOUT)
    app.state.deps = deps
    for router in ROUTERS:
        app.include_router(router)
    faults.install(app)
    app.middleware("http")(_measure)
    app.add_middleware(Guard, settings=deps.settings)
    describe(app)
    return app


async def _measure(request: Request, proceed: Callable[[Request], Awaitable[Response]]) -> Response:
    started = time.perf_counter()
    response = await proceed(request)
    route = getattr(request.scope.get("route"), "path", "unknown")
    metrics.REQUESTS.labels(request.method, route, str(response.status_code)).inc()
    metrics.REQUEST_SECONDS.labels(route).observe(time.perf_counter() - started)
    return response
