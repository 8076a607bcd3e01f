"""The expressions of dashboards and rules, and what they select."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import promql_parser
import yaml

OPS = Path(__file__).parents[2] / "ops"
DASHBOARDS = sorted((OPS / "dashboards").glob("*.json"))
RULES = sorted((OPS / "alerts").glob("*.yml"))
_RATE_INTERVAL = "$__rate_interval"


@dataclass(frozen=True, slots=True)
class Expression:
    """One PromQL expression and where it stands."""

    place: str
    text: str

    @property
    def tree(self) -> promql_parser.Expr:
        """Parsed; Grafana's own interval stands for a minute."""
        return promql_parser.parse(self.text.replace(_RATE_INTERVAL, "1m"))

    def selectors(self) -> list[promql_parser.VectorSelector]:
        """All selectors, in order."""
        return [node for node in self._nodes() if isinstance(node, promql_parser.VectorSelector)]

    def grouped_by(self) -> set[str]:
        """Labels that it groups by."""
        found: set[str] = set()
        for node in self._nodes():
            if isinstance(node, promql_parser.AggregateExpr) and node.modifier is not None:
                found |= set(node.modifier.labels)
        return found

    def _nodes(self) -> list[promql_parser.Expr]:
        nodes: list[promql_parser.Expr] = []

        def visit(node: promql_parser.Expr) -> bool:
            nodes.append(node)
            return True

        promql_parser.walk(self.tree, visit)
        return nodes


def rules() -> list[dict[str, Any]]:
    """All alerting and recording rules."""
    return [rule for path in RULES for group in load_yaml(path)["groups"] for rule in group["rules"]]


def alerts() -> dict[str, dict[str, Any]]:
    """Alerting rules by name."""
    return {rule["alert"]: rule for rule in rules() if "alert" in rule}


def expressions() -> Iterator[Expression]:
    """Those of all rules and all panels."""
    for rule in rules():
        yield Expression(rule.get("alert") or rule["record"], rule["expr"])
    for path in DASHBOARDS:
        for panel in load_dashboard(path)["panels"]:
            for target in panel.get("targets", []):
                yield Expression(f"{path.stem}: {panel['title']}", target["expr"])


def load_yaml(path: Path) -> Any:
    """A YAML file."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def load_dashboard(path: Path) -> dict[str, Any]:
    """A dashboard."""
    board: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return board
