"""Ways a request fails, as types, and the one shape they are answered in."""

import logging
import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus

import msgspec
import psycopg
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from lithify.events.api import Fault, FaultReply

RETRY_AFTER_SECONDS = 2
_log = logging.getLogger(__name__)
_PATH = re.compile(r"^(?P<reason>.*) - at `\$(?P<path>[^`]*)`$", re.DOTALL)


class GatewayError(Exception):
    """A request that fails for a known reason."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "internal"

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class InvalidError(GatewayError):
    """The input is wrong."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid"


class NotFoundError(GatewayError):
    """Nothing of this id, or nothing this user may see: the two are not told apart."""

    status = HTTPStatus.NOT_FOUND
    code = "not_found"


class TooLargeError(GatewayError):
    """A body or event beyond the limit."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "too_large"


class BudgetError(GatewayError):
    """The rules and safety facts do not fit the budget."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "budget_too_small"


class UnavailableError(GatewayError):
    """The database or the broker cannot be reached. Never answered as an empty result."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "unavailable"


def answer(status: int, fault: Fault) -> Response:
    """The reply of a failed request."""
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)} if status == HTTPStatus.SERVICE_UNAVAILABLE else None
    body = msgspec.json.encode(FaultReply(error=fault))
    return Response(body, status_code=status, headers=headers, media_type="application/json")


def invalid(error: msgspec.ValidationError | msgspec.DecodeError) -> InvalidError:
    """A decoding failure as a field and a reason."""
    found = _PATH.match(str(error))
    if found is None:
        return InvalidError(str(error))
    return InvalidError(found["reason"], found["path"].removeprefix(".") or None)


def install(app: FastAPI) -> None:
    """Answer every failure of `app` in the one shape."""
    handlers: dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
        GatewayError: _known,
        RequestValidationError: _parameters,
        HTTPException: _http,
        psycopg.OperationalError: _database_down,
        Exception: _unknown,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)


async def _known(request: Request, error: Exception) -> Response:
    assert isinstance(error, GatewayError)
    if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.warning("%s %s: %s", request.method, getattr(request.scope.get("route"), "path", "?"), error.message)
    return answer(error.status, Fault(code=error.code, message=error.message, field=error.field))


async def _parameters(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"][1:])
    return answer(HTTPStatus.UNPROCESSABLE_ENTITY, Fault(code="invalid", message=first["msg"], field=field or None))


async def _http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = "not_found" if error.status_code == HTTPStatus.NOT_FOUND else "invalid"
    return answer(error.status_code, Fault(code=code, message=str(error.detail)))


async def _database_down(_: Request, error: Exception) -> Response:
    del error  # its text may hold connection details
    return answer(HTTPStatus.SERVICE_UNAVAILABLE, Fault(code="unavailable", message="the database cannot be reached"))


async def _unknown(_: Request, error: Exception) -> Response:
    del error  # logged by the server; its text may hold user data
    return answer(HTTPStatus.INTERNAL_SERVER_ERROR, Fault(code="internal", message="unexpected error, see the log"))
