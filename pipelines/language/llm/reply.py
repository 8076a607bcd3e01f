"""The form of a model's reply, and how one is taken from whatever text came back.

Strict first: the content is the reply and nothing else. Only where that fails is it sought among fences, prose and
reasoning; and then it must still be complete and of the right form. Prose is never an answer.

A content that is cut off, or wrong in part, is worth the turns in it that are complete: it was paid for. The others are
missing from it.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import msgspec

from lithify.domain.claims import Polarity
from lithify.domain.text import clean


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
    malformed: int = 0
    """Statements that were left out because they are not of the form asked for."""


_decoder = msgspec.json.Decoder(Reply)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_scanner = json.JSONDecoder(strict=False)
"""Takes line breaks in texts as they are: models forget to escape them."""
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)')
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
    """The reply in `content`; only if there is no content at all, a whole one in `reasoning`.

    Raises:
        ReplyError: there is none of the right form.
    """
    try:
        return Parsed(_clean(_decoder.decode(content)), strict=True)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        strict_error = error
    text = _THOUGHT.sub(" ", content)
    found = _sought(text) if text.strip() else _whole(reasoning)
    if found is not None:
        return found
    if not text.strip():
        raise ReplyError(Fault.EMPTY)
    if isinstance(strict_error, msgspec.ValidationError) or any(True for _ in _objects(text)):
        raise ReplyError(Fault.INVALID, str(strict_error)[:200])
    raise ReplyError(Fault.NOT_JSON, str(strict_error)[:200])


def _sought(text: str) -> Parsed | None:
    """The first reply in `text`, whole; else what turns in it are complete."""
    escaped = _ESCAPE.sub(lambda found: found[0] if found[1] else r"\\", text)
    return _whole(text) or (_whole(escaped) if escaped != text else None) or _parts(escaped)


def _whole(text: str) -> Parsed | None:
    """The first complete JSON object in `text` that is a reply."""
    for found, _ in _objects(text):
        with suppress(msgspec.ValidationError, RecursionError):
            return Parsed(_clean(msgspec.convert(_with_relations(found), Reply)), strict=False)
    return None


def _parts(text: str) -> Parsed | None:
    """The complete entries of turns in `text`, each with those of its statements that are of the right form."""
    entries: list[TurnRead] = []
    malformed = end = 0
    for found, (start, after) in _objects(text):
        if start < end or not isinstance(found.get("turn"), str) or not isinstance(found.get("claims"), list):
            continue
        end = after
        said = [item for item in map(_statement, found["claims"]) if item is not None]
        if said or not found["claims"]:
            entries.append(TurnRead(turn=found["turn"], claims=said))
            malformed += len(found["claims"]) - len(said)
    return Parsed(_clean(Reply(turns=entries)), strict=False, malformed=malformed) if entries else None


def _statement(found: object) -> Statement | None:
    try:
        return msgspec.convert({"relation": None} | found if isinstance(found, dict) else found, Statement)
    except (msgspec.ValidationError, RecursionError):
        return None


def _with_relations(found: dict[str, Any]) -> dict[str, Any]:
    """With what models leave out where it is null."""
    entries = found.get("turns")
    for entry in entries if isinstance(entries, list) else ():
        claims = entry.get("claims") if isinstance(entry, dict) else None
        for claim in claims if isinstance(claims, list) else ():
            if isinstance(claim, dict):
                claim.setdefault("relation", None)
    return found


def _clean(reply: Reply) -> Reply:
    """With texts as every store takes them: an escape may hold a NUL or half a character."""
    return msgspec.convert(_cleaned(msgspec.to_builtins(reply)), Reply)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return {key: _cleaned(item) for key, item in value.items()} if isinstance(value, dict) else value


def _objects(text: str) -> Iterator[tuple[dict[str, Any], tuple[int, int]]]:
    """Complete JSON objects in `text`, also those inside others, with where they stand."""
    start = -1
    for _ in range(_MOST_STARTS):
        start = text.find("{", start + 1)
        if start < 0:
            return
        try:
            found, end = _scanner.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        yield found, (start, end)
