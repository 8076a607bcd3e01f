"""docker-compose.yml as data, with its variables replaced as `docker compose` does."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "docker-compose.yml"
_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::(?P<kind>[?-])(?P<text>[^}]*))?\}")


def load(values: Mapping[str, str]) -> dict[str, Any]:
    """The file under these variables. Raises KeyError for a required one that is not there."""

    def replaced(match: re.Match[str]) -> str:
        if match["name"] in values:
            return values[match["name"]]
        if match["kind"] == "-":
            return match["text"]
        raise KeyError(match["name"])

    found: dict[str, Any] = msgspec.yaml.decode(_VARIABLE.sub(replaced, FILE.read_text(encoding="utf-8")))
    return found


def required() -> set[str]:
    """Variables without which the file is refused."""
    return {match["name"] for match in _VARIABLE.finditer(FILE.read_text(encoding="utf-8")) if match["kind"] == "?"}


def optional() -> set[str]:
    """Variables that have a default."""
    return {match["name"] for match in _VARIABLE.finditer(FILE.read_text(encoding="utf-8")) if match["kind"] == "-"}
