"""The form of a model's reply, and how one is taken from whatever text came back.

Strict first: the content is the reply and nothing else. Only where that fails is it sought among fences, prose and
reasoning; and then it must still be complete and of the right form. Prose is never an answer.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import msgspec

from lithify.domain.claims import Polarity


class Modality(StrEnum):
    """How the model says a statement was meant."""

    ASSERTED = "asserted"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    JOKE = "joke"
    QUOTE = "quote"
    FICTION = "fiction"
    ROLE_PLAY = "role_play"


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """One claim as the model puts it."""

    quote: str
    words: str
    value: str
    attribute: str
    subject: str
    relation: str | None
    polarity: Polarity
    modality: Modality
    certainty: Literal["stated", "guess"]


class TurnRead(msgspec.Struct, frozen=True, kw_only=True):
    """What the model says of one turn."""

    turn: str
    claims: list[Statement]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A whole reply: one entry for each turn that was asked about."""

    turns: list[TurnRead]


class Fault(StrEnum):
    """Why a reply could not be used. All but the last are worth another attempt."""

    EMPTY = "empty"
    """No content, and nothing of the right form in the reasoning."""
    TRUNCATED = "truncated"
    """Cut off at the token limit."""
    NOT_JSON = "not_json"
    INVALID = "invalid"
    """JSON, but not of the form asked for."""
    INCOMPLETE = "incomplete"
    """Turns are missing from it."""
    REFUSED = "refused"
    """The model declined."""
    TOO_LARGE = "too_large"
    """The body went beyond the bound and was not read on."""
    REJECTED = "rejected"
    """The endpoint refused the request itself (400, 413, 422)."""


class ReplyError(ValueError):
    """The reply cannot be used."""

    def __init__(self, fault: Fault, detail: str = "") -> None:
        super().__init__(f"{fault}: {detail}" if detail else str(fault))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reply of the right form."""

    reply: Reply
    strict: bool
    """Whether the content was the reply and nothing else."""


_decoder = msgspec.json.Decoder(Reply)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_scanner = json.JSONDecoder()
_MOST_STARTS = 200
"""Opening braces at which a reply is sought; a reply is near the start or after a little prose."""


def reply_schema() -> dict[str, Any]:
    """JSON Schema of a reply, in the subset that structured output takes: no references, every field required."""
    _, components = msgspec.json.schema_components([Reply], ref_template="{name}")
    schema: dict[str, Any] = _inlined(components["Reply"], components)
    return schema


def _inlined(node: Any, components: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inlined(item, components) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inlined(components[node["$ref"]], components)
    found = {key: _inlined(value, components) for key, value in node.items() if key not in {"title", "description"}}
    if found.get("type") == "object":
        found["additionalProperties"] = False
    if "enum" in found:
        found["type"] = "string"
    return found


def parse_reply(content: str, reasoning: str = "") -> Parsed:
    """The reply in `content`; only if there is no content at all, in `reasoning`.

    Raises:
        ReplyError: there is none of the right form.
    """
    try:
        return Parsed(_decoder.decode(content), strict=True)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        strict_error = error
    text = _THOUGHT.sub(" ", content)
    found = _sought(text if text.strip() else reasoning)
    if found is not None:
        return Parsed(found, strict=False)
    if not text.strip():
        raise ReplyError(Fault.EMPTY)
    if isinstance(strict_error, msgspec.ValidationError) or any(True for _ in _objects(text)):
        raise ReplyError(Fault.INVALID, str(strict_error)[:200])
    raise ReplyError(Fault.NOT_JSON, str(strict_error)[:200])


def _sought(text: str) -> Reply | None:
    """The first complete JSON object in `text` that is a reply."""
    for found in _objects(text):
        try:
            return msgspec.convert(found, Reply)
        except (msgspec.ValidationError, RecursionError):
            continue
    return None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    start = -1
    for _ in range(_MOST_STARTS):
        start = text.find("{", start + 1)
        if start < 0:
            return
        try:
            found, _ = _scanner.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        yield found
