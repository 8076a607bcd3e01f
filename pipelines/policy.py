"""Policy files: the numbers of the rules as TOML, with meaning and unit.

`python -m pipelines.policy` writes schemas/policy/default.toml anew from the defaults and their descriptions in
`lithify.domain.policy`; a test compares.
"""

import ast
import dataclasses
import inspect
import tomllib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec

from lithify.domain import policy as module
from lithify.domain.policy import Policy, PromotionPolicy

DEFAULT = Path(__file__).resolve().parents[1] / "schemas" / "policy" / "default.toml"
_HEADER = """# The default policy: every number of the rules, with its meaning. Copy it, change what you like, leave out
# what stays. Durations are ISO 8601 ("P30D" is thirty days, "PT6H" six hours); rates are probabilities a day.
# An attribute's own promotion settings go under [attributes.KEY], such as [attributes.diet].
"""


class PolicyError(ValueError):
    """A policy file cannot be used. The message names the file, the place and the reason."""


def load_policy(path: Path | None) -> Policy:
    """Read a policy file; None is the default policy.

    Raises:
        PolicyError: the file is missing or not TOML, a setting is unknown, or a value is out of range.
    """
    if path is None:
        return Policy()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        _refuse_unknown(data, Policy, "")
        changes = {key: _changes(key, values) for key, values in data.pop("attributes", {}).items()}
        return dataclasses.replace(msgspec.convert(_merged(data), Policy), attributes=changes)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError, ValueError) as error:
        raise PolicyError(f"policy {path}: {error}") from None


def _merged(data: Mapping[str, Any]) -> dict[str, Any]:
    """The file over the defaults, mappings key by key."""
    defaults = msgspec.to_builtins(Policy())
    return {
        name: {**default, **data.get(name, {})} if isinstance(default, dict) else data.get(name, default)
        for name, default in defaults.items()
    }


def _changes(key: str, values: Any) -> Mapping[str, Any]:
    """One attribute's settings, checked and typed."""
    if not isinstance(values, dict):
        raise ValueError(f"attributes.{key}: expected a table")
    _refuse_unknown(values, PromotionPolicy, f"attributes.{key}.")
    checked = msgspec.convert({**msgspec.to_builtins(PromotionPolicy()), **values}, PromotionPolicy)
    return {name: getattr(checked, name) for name in values}


def _refuse_unknown(data: Mapping[str, Any], record: type, place: str) -> None:
    known = {field.name for field in dataclasses.fields(record)}
    for name in data:
        if name not in known:
            raise ValueError(f"{place}{name}: no such setting; there are {', '.join(sorted(known))}")
    if record is Policy and isinstance(data.get("promotion"), dict):
        _refuse_unknown(data["promotion"], PromotionPolicy, "promotion.")


def render_default() -> str:
    """The default policy as the text of its file."""
    policy = Policy()
    lines = [_HEADER]
    for name, text in _described(Policy):
        if name not in {"promotion", "confidence", "attributes"}:
            lines.append(_setting(name, getattr(policy, name), text))
    lines.append("\n[promotion]")
    lines += [_setting(name, getattr(policy.promotion, name), text) for name, text in _described(PromotionPolicy)]
    lines.append(f"\n# {dict(_described(Policy))['confidence']}\n[confidence]")
    lines += [f"{basis} = {value}" for basis, value in policy.confidence.items()]
    return "\n".join(lines) + "\n"


def _described(record: type) -> Iterator[tuple[str, str]]:
    """Fields of a record with the descriptions that stand under them in its source."""
    tree = ast.parse(inspect.getsource(module))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == record.__name__)
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            described = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            yield node.target.id, " ".join(str(after.value.value).split()) if described else ""  # type: ignore[union-attr]


def _setting(name: str, value: object, text: str) -> str:
    return (f"# {text}\n" if text else "") + f"{name} = {_toml(value)}"


def _iso(value: timedelta) -> str:
    return f'"{msgspec.to_builtins(value)}"'


def _toml(value: object) -> str:
    if isinstance(value, timedelta):
        hours = value // timedelta(hours=1)
        return f'"PT{hours}H"' if value < timedelta(days=1) and value == timedelta(hours=hours) else _iso(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return str(value)


if __name__ == "__main__":
    DEFAULT.write_text(render_default(), encoding="utf-8")
