"""The FastAPI application, put together from its parts."""

from fastapi import FastAPI

import lithify
from workers.gateway import commands, context, explain, facts, faults, health, sessions, turns
from workers.gateway.deps import Deps
from workers.gateway.describe import describe
from workers.gateway.guard import Guard
from workers.gateway.measure import Measure

ROUTERS = (turns.router, sessions.router, commands.router, context.router, facts.router, explain.router, health.router)
_ABOUT = "Memory for agents: publish turns and commands, read facts, explanations and context blocks."


def create_app(deps: Deps) -> FastAPI:
    """The application over `deps`. Opening and closing them is the caller's business."""
    app = FastAPI(title="Lithify", version=lithify.__version__, description=_ABOUT)
    app.state.deps = deps
    for router in ROUTERS:
        app.include_router(router)
    faults.install(app)
    app.add_middleware(Measure)
    app.add_middleware(Guard, settings=deps.settings)
    describe(app)
    return app
