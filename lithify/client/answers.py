"""What an answer means: a model, or the error it stands for."""

from typing import TypeVar
from urllib.parse import quote

import msgspec

from lithify.client.errors import BudgetTooSmall, Invalid, LithifyError, NotFound, Unauthorized, Unavailable
from lithify.client.steps import Reply
from lithify.events.api import FaultReply

M = TypeVar("M", bound=msgspec.Struct)


def check(reply: Reply) -> None:
    """Raise the error that a reply stands for, if it does."""
    if reply.status < 400:
        return
    code, message, field = _fault(reply)
    if reply.status == 404:
        raise NotFound(message, code=code, field=field)
    if reply.status in {401, 403}:
        raise Unauthorized(message, code=code)
    if code == "budget_too_small":
        raise BudgetTooSmall(message, code=code, field=field)
    if reply.status < 500:
        raise Invalid(message, code=code, field=field)
    raise Unavailable(message, code=code, retry_after=reply.retry_after)


def read(reply: Reply, model: type[M]) -> M:
    """A reply as `model`. Raises a LithifyError where it stands for one."""
    check(reply)
    try:
        return msgspec.json.decode(reply.body, type=model)
    except msgspec.DecodeError as error:
        raise LithifyError(f"the gateway's answer cannot be read: {error}", code="bad_answer") from None


def _fault(reply: Reply) -> tuple[str, str, str | None]:
    try:
        error = msgspec.json.decode(reply.body, type=FaultReply).error
    except msgspec.DecodeError:
        return f"http_{reply.status}", f"the gateway answered {reply.status}", None
    return error.code, error.message, error.field


def segment(text: str) -> str:
    """`text` as one path segment; dots too, since clients and proxies resolve ".."."""
    return quote(text, safe="").replace(".", "%2E")
