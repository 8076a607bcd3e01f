"""What an OpenAI-compatible endpoint takes of a request's optional parameters, learned from its refusals.

Endpoints differ: reasoning models refuse any `temperature` and want `max_completion_tokens` in place of `max_tokens`,
and older servers know no `json_schema`. A refusal of a parameter is no fault of the turns that were asked about, so
they must not be given up for it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

Structure = Literal["json_schema", "json_object", "none"]

_LOOSER: Mapping[Structure, Structure] = {"json_schema": "json_object", "json_object": "none"}
_OPTIONS = re.compile(r"\b(temperature|response_format|max_completion_tokens|max_tokens)\b")
_NAMED = re.compile(rf"{_OPTIONS.pattern}|^model$")
_TOO_LONG = re.compile(r"context[ _](?:length|window)", re.IGNORECASE)
"""Said where the turns are too many: servers then name `max_tokens` too, and nothing but a shorter request helps."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The optional parameters of a request, in an endpoint's words."""

    structure: Structure
    """How the form of the reply is asked for."""
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """What the bound of the reply is called."""
    temperature: bool = True
    """Whether one is named: 0, so that the same turns are read alike."""

    def options(self, reply_tokens: int, schema: dict[str, Any]) -> dict[str, Any]:
        """Parameters of the request.

        Args:
            reply_tokens: most tokens of the reply.
            schema: JSON Schema of the reply.
        """
        steady = {"temperature": 0} if self.temperature else {}
        return {self.limit: reply_tokens, **steady, **self._format(schema)}

    def _format(self, schema: dict[str, Any]) -> dict[str, Any]:
        if self.structure == "none":
            return {}
        if self.structure == "json_object":  # with the schema, as llama.cpp's server takes it
            return {"response_format": {"type": "json_object", "schema": schema}}
        described = {"name": "turns_read", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": described}}

    def without(self, parameter: str) -> "Dialect | None":
        """What to try once a parameter was refused; None: nothing is left to try."""
        if parameter == "temperature" and self.temperature:
            return replace(self, temperature=False)
        if parameter == "max_tokens" and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        if parameter == "response_format" and self.structure in _LOOSER:
            return replace(self, structure=_LOOSER[self.structure])
        return None


def refused_parameter(error: object) -> str | None:
    """The parameter, the same in every request, that a request was rejected for; None: it was something else.

    Args:
        error: what the body of the reply says, read as JSON: OpenAI's `{"message", "code", "param"}`, or whatever
            another server sends.
    """
    told = error if isinstance(error, dict) else {"message": str(error)}
    if _TOO_LONG.search(f"{told.get('code')} {told.get('message')}"):
        return None
    named = _NAMED.search(str(told.get("param") or "")) or _OPTIONS.search(str(told.get("message") or told))
    return named[0] if named else None
