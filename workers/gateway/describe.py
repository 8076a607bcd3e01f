"""Endpoints described for OpenAPI by the msgspec models themselves, with examples."""

import re
from typing import Any

import msgspec
from fastapi import FastAPI, Response
from fastapi.openapi.utils import get_openapi

from lithify.events import api
from lithify.events.inbound import Command, Turn

MODELS: tuple[type[msgspec.Struct], ...] = (
    api.AcceptedReply,
    api.ContextReply,
    api.ContextRequest,
    api.EndSession,
    api.Explanation,
    api.FactsReply,
    api.FaultReply,
    api.Provenance,
    api.Ready,
    api.TurnOutcome,
    Command,
    Turn,
)
_REF = "#/components/schemas/{name}"
_FAULTS = {
    401: "The token is missing or wrong.",
    404: "Unknown id, or not this user's.",
    413: "The body or an event is too large.",
    422: "Wrong input, with field and reason.",
    503: "Database or broker cannot be reached; see Retry-After.",
}


def reply(model: msgspec.Struct, status: int = 200) -> Response:
    """A model as a JSON response."""
    return Response(msgspec.json.encode(model), status_code=status, media_type="application/json")


def ref(model: type[msgspec.Struct]) -> dict[str, str]:
    """The schema of a model, by reference."""
    return {"$ref": _REF.format(name=model.__name__)}


def faults(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The failures an endpoint may answer."""
    content = {"application/json": {"schema": ref(api.FaultReply)}}
    return {status: {"description": _FAULTS[status], "content": content} for status in (401, *statuses)}


def answers(model: type[msgspec.Struct], *failing: int, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """What an endpoint answers: a model, or one of the failures."""
    done = {"description": _first_line(model), "content": {"application/json": {"schema": ref(model)}}}
    return {status: done, **faults(*failing)}


def asks(schema: dict[str, Any], **examples: object) -> dict[str, Any]:
    """The request body of an endpoint, for `openapi_extra`."""
    shown = {name: {"value": value} for name, value in examples.items()}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema, "examples": shown}}}}


def describe(app: FastAPI) -> None:
    """Give `app` an OpenAPI description that includes the msgspec models."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _, components = msgspec.json.schema_components(MODELS, ref_template=_REF)
            document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
            document.setdefault("components", {}).setdefault("schemas", {}).update(components)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _first_line(model: type[msgspec.Struct]) -> str:
    return re.split(r"\n", model.__doc__ or model.__name__)[0]
