"""Whether a changed JSON Schema still takes what the old one took, and still gives readers what they rely on.

Within a version: no field is required that was not, none goes away, none that was always there becomes optional, and no
type, set of values or bound is narrowed. Anything else is a new version. Pure.
"""

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems")


def problems(old: Schema, new: Schema) -> list[str]:
    """What makes `new` incompatible with `old`, each as "path: reason"; empty if nothing does."""
    return list(_Comparison(old, new).nodes(old, new, "$"))


class _Comparison:
    """Two documents, each with its own definitions. A pair of definitions is compared once, so recursion ends."""

    def __init__(self, old: Schema, new: Schema) -> None:
        self._old = old
        self._new = new
        self._seen: set[tuple[str, str]] = set()

    def nodes(self, old: Schema, new: Schema, path: str) -> Iterator[str]:
        """Problems of one place."""
        pair = (old.get("$ref", ""), new.get("$ref", ""))
        if all(pair):
            if pair in self._seen:
                return
            self._seen.add(pair)
        old, new = _resolved(old, self._old), _resolved(new, self._new)
        if "anyOf" in old or "anyOf" in new:
            yield from self._alternatives(old, new, path)
            return
        yield from _kinds(old, new, path)
        yield from _values(old, new, path)
        yield from _bounds(old, new, path)
        yield from self._fields(old, new, path)
        yield from self._inner(old, new, path)

    def _alternatives(self, old: Schema, new: Schema, path: str) -> Iterator[str]:
        for choice in old.get("anyOf", [old]):
            if not any(self._takes(choice, other) for other in new.get("anyOf", [new])):
                yield f"{path}: no longer takes {_named(choice)}"

    def _takes(self, old: Schema, new: Schema) -> bool:
        trial = _Comparison(self._old, self._new)
        trial._seen = set(self._seen)
        return next(trial.nodes(old, new, "$"), None) is None

    def _fields(self, old: Schema, new: Schema, path: str) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        for name in before:
            if name not in after:
                yield f"{path}.{name}: field removed"
            else:
                yield from self.nodes(before[name], after[name], f"{path}.{name}")
        required, required_now = set(old.get("required", ())), set(new.get("required", ()))
        for name in sorted(required_now - required):
            yield f"{path}.{name}: required now"
        for name in sorted((required - required_now) & set(after)):
            yield f"{path}.{name}: no longer required, readers rely on it"
        if new.get("additionalProperties") is False and old.get("additionalProperties") is not False:
            yield f"{path}: unknown fields are refused now"

    def _inner(self, old: Schema, new: Schema, path: str) -> Iterator[str]:
        for name in ("items", "additionalProperties"):
            before, after = old.get(name), new.get(name)
            if isinstance(after, dict):
                yield from self.nodes(before if isinstance(before, dict) else {}, after, f"{path}[]")
        for i, (before, after) in enumerate(zip(old.get("prefixItems", ()), new.get("prefixItems", ()), strict=False)):
            yield from self.nodes(before, after, f"{path}[{i}]")


def _resolved(node: Schema, document: Schema) -> Schema:
    while "$ref" in node:
        node = document["$defs"][node["$ref"].rpartition("/")[2]]
    return node


def _kinds(old: Schema, new: Schema, path: str) -> Iterator[str]:
    if "type" not in new:
        return
    after = _as_set(new["type"])
    if "type" not in old and "enum" not in old and "const" not in old:
        yield f"{path}: took anything, takes {_shown(after)} only"
    gone = _as_set(old.get("type", [])) - after
    if "number" in after:
        gone.discard("integer")
    if gone:
        yield f"{path}: no longer takes {_shown(gone)}"


def _values(old: Schema, new: Schema, path: str) -> Iterator[str]:
    after = _allowed(new)
    if after is None:
        return
    before = _allowed(old)
    if before is None:
        yield f"{path}: only {_shown(after)} now"
    elif before - after:
        yield f"{path}: no longer takes {_shown(before - after)}"


def _bounds(old: Schema, new: Schema, path: str) -> Iterator[str]:
    for name in _LOWER:
        if name in new and (name not in old or new[name] > old[name]):
            yield f"{path}: {name} is {new[name]} now"
    for name in _UPPER:
        if name in new and (name not in old or new[name] < old[name]):
            yield f"{path}: {name} is {new[name]} now"
    for name in ("pattern", "format"):
        if name in new and new[name] != old.get(name):
            yield f"{path}: {name} is {new[name]} now"


def _allowed(node: Schema) -> set[str] | None:
    if "const" in node:
        return {repr(node["const"])}
    return {repr(value) for value in node["enum"]} if "enum" in node else None


def _as_set(kinds: str | list[str]) -> set[str]:
    return {kinds} if isinstance(kinds, str) else set(kinds)


def _shown(values: set[str]) -> str:
    return ", ".join(sorted(values))


def _named(choice: Schema) -> str:
    return str(choice.get("$ref") or choice.get("type") or choice.get("enum") or choice)
