"""Whether the process lives, whether its parts can be reached, and its metrics."""

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from lithify.events.api import Ready
from pipelines.metrics import REGISTRY
from workers.gateway.describe import answers, reply
from workers.gateway.faults import RETRY_AFTER_SECONDS
from workers.gateway.parameters import Parts

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="The process lives", response_class=Response)
async def healthz() -> Response:
    """Needs no token and touches nothing."""
    return Response("ok\n", media_type="text/plain")


@router.get("/readyz", summary="Database and broker can be reached", responses=answers(Ready, 503))
async def readyz(deps: Parts) -> Response:
    """503 with the part that cannot be reached."""
    database = await deps.database.ready()
    broker = await deps.publisher.ready()
    ready = database == broker == "ok"
    answer = reply(Ready(ready=ready, database=database, broker=broker), 200 if ready else 503)
    if not ready:
        answer.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return answer


@router.get("/metrics", summary="Prometheus metrics", response_class=Response)
async def metrics() -> Response:
    """Metrics of this process in the text format."""
    return Response(generate_latest(REGISTRY), media_type=CONTENT_TYPE_LATEST)
