"""Sessions: ending them."""

from fastapi import APIRouter, Request, Response

from lithify.events import SessionEnded
from lithify.events.api import AcceptedReply, EndSession
from workers.gateway.describe import answers, asks, ref, reply
from workers.gateway.events import accepted, decode, event
from workers.gateway.parameters import Id, Parts

router = APIRouter(tags=["sessions"])


@router.post(
    "/v1/sessions/{session_id:path}/end",
    status_code=202,
    summary="End a session",
    responses=answers(AcceptedReply, 422, 503, status=202),
    openapi_extra=asks(ref(EndSession), now={"user_id": "ada"}),
)
async def end_session(session_id: Id, request: Request, deps: Parts) -> Response:
    """Overrides of the session lapse, and its episode is made. A session also ends by 30 minutes of silence."""
    asked = decode(await request.body(), EndSession)
    fields = {
        "id": asked.id,
        "user_id": asked.user_id,
        "tenant": asked.tenant,
        "session_id": session_id,
        "occurred_at": asked.occurred_at.isoformat() if asked.occurred_at else None,
    }
    ended = event(fields, SessionEnded, deps.clock())
    await deps.publisher.publish([ended])
    return reply(accepted([ended]), 202)
