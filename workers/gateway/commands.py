"""Commands: what a person or agent tells the memory itself."""

from fastapi import APIRouter, Request, Response

from lithify.events import Command, CommandName
from lithify.events.api import AcceptedReply
from workers.gateway.describe import answers, asks, ref, reply
from workers.gateway.events import accepted, event, parse
from workers.gateway.faults import InvalidError
from workers.gateway.parameters import Parts

router = APIRouter(tags=["commands"])

_BODY = asks(
    ref(Command),
    remember={"user_id": "ada", "session_id": "s1", "command": "remember", "text": "My flat has no lift."},
    correct={"user_id": "ada", "session_id": "s1", "command": "correct", "attribute": "home", "value": "utrecht"},
    constraint={"user_id": "ada", "session_id": "s1", "command": "constraint", "text": "Never book before 9."},
)


@router.post(
    "/v1/commands",
    status_code=202,
    summary="Remember, correct, pin, unpin, constraint, approve, reject",
    responses=answers(AcceptedReply, 413, 422, 503, status=202),
    openapi_extra=_BODY,
)
async def add_command(request: Request, deps: Parts) -> Response:
    """Answers once the broker has the command; `GET /v1/turns/{id}` tells what became of it.

    `forget` is refused until this release can erase.
    """
    command = event(parse(await request.body()), Command, deps.clock())
    if command.command is CommandName.FORGET:
        raise InvalidError("this release cannot erase yet", "command")
    await deps.publisher.publish([command])
    return reply(accepted([command]), 202)
