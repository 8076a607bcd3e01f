"""The compatibility checker is given good and bad changes: one that never fails would be worse than none."""

import copy
from typing import Any

import pytest

from pipelines.compatibility import problems

OLD: dict[str, Any] = {
    "$ref": "#/$defs/Event",
    "$defs": {
        "Event": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "maxLength": 512},
                "n": {"type": "integer", "minimum": 1, "maximum": 10},
                "kind": {"$ref": "#/$defs/Kind"},
                "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
                "tags": {"type": "array", "items": {"type": "string"}},
                "meta": {"type": "object", "additionalProperties": {}},
                "child": {"$ref": "#/$defs/Event"},
            },
            "required": ["id", "kind"],
        },
        "Kind": {"enum": ["a", "b"]},
    },
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """OLD with one place of the event replaced; None removes it."""
    new = copy.deepcopy(OLD)
    node: Any = new["$defs"]["Event"]
    *steps, last = path.split("/")
    for step in steps:
        node = node[step]
    if value is None:
        del node[last]
    else:
        node[last] = value
    return new


@pytest.mark.parametrize(
    ("path", "value", "word"),
    [
        ("required", ["id", "kind", "n"], "required now"),
        ("required", ["id"], "no longer required"),
        ("properties/n", None, "removed"),
        ("properties/id", None, "removed"),
        ("properties/id/type", "integer", "string"),
        ("properties/id/maxLength", 10, "maxLength"),
        ("properties/id/pattern", "^x", "pattern"),
        ("properties/id/minLength", 1, "minLength"),
        ("properties/n/minimum", 2, "minimum"),
        ("properties/n/maximum", 9, "maximum"),
        ("properties/note", {"type": "string"}, "null"),
        ("properties/kind", {"enum": ["a"]}, "'b'"),
        ("properties/kind", {"const": "a"}, "'b'"),
        ("properties/tags/items", {"type": "integer"}, "string"),
        ("properties/meta/additionalProperties", {"type": "string"}, "took anything"),
        ("additionalProperties", False, "unknown fields"),
    ],
)
def test_a_narrowing_is_named(path: str, value: Any, word: str) -> None:
    found = problems(OLD, changed(path, value))
    assert len(found) == 1, found
    assert word in found[0]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("properties/more", {"type": "string"}),
        ("properties/id/maxLength", 1024),
        ("properties/n/type", "number"),
        ("properties/n/minimum", 0),
        ("properties/note", {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
        ("properties/id", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ("properties/kind", {"enum": ["a", "b", "c"]}),
        ("description", "other words"),
    ],
)
def test_a_widening_is_compatible(path: str, value: Any) -> None:
    assert problems(OLD, changed(path, value)) == []


def test_nothing_changed_is_compatible_also_where_definitions_recur() -> None:
    assert problems(OLD, copy.deepcopy(OLD)) == []


def test_a_change_deep_inside_is_found() -> None:
    new = copy.deepcopy(OLD)
    new["$defs"]["Kind"]["enum"] = ["b"]
    assert problems(OLD, new) == ["$.kind: no longer takes 'a'"]
