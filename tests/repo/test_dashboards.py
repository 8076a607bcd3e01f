"""Dashboards are what Grafana reads, every panel says what it shows, and what is provisioned is what is there."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from tests.support.promql import DASHBOARDS, OPS, load_dashboard, load_yaml

UNITS = {"s", "ops", "reqps", "short", "none", "percentunit"}
"""Those that are used; Grafana shows an unknown one as a suffix."""
PROVISIONING = OPS / "dashboards" / "provisioning"
boards = pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.stem)

register_default_plugins()


def unknown(ours: Any, theirs: Any, place: str = "") -> Iterator[str]:
    """What Grafana's own model of a dashboard does not know, or reads otherwise."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key, value in ours.items():
            yield from unknown(value, theirs[key], f"{place}.{key}") if key in theirs else (f"{place}.{key}",)
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from unknown(mine, other, f"{place}[{index}]")
    elif ours != theirs:
        yield place


def as_grafana_reads(board: dict[str, Any]) -> Any:
    return json.loads(json.dumps(Dashboard.from_json(board), cls=JSONEncoder))


@boards
def test_grafanas_own_model_knows_every_field(path: Path) -> None:
    board = load_dashboard(path)
    assert list(unknown(board, as_grafana_reads(board))) == []


def test_a_misspelt_field_is_noticed() -> None:
    board = load_dashboard(DASHBOARDS[0])
    board["panels"][0]["fieldConfig"]["defaults"]["units"] = "s"
    board["panels"][0]["targets"][0]["expression"] = "1"
    found = list(unknown(board, as_grafana_reads(board)))
    assert found == [".panels[0].targets[0].expression", ".panels[0].fieldConfig.defaults.units"]


def test_there_is_one_for_each_question() -> None:
    assert {path.stem for path in DASHBOARDS} == {"consolidation", "workers", "promotion", "cost"}
    loaded = [load_dashboard(path) for path in DASHBOARDS]
    assert len({board["uid"] for board in loaded}) == len({board["title"] for board in loaded}) == len(DASHBOARDS)
    assert {board["schemaVersion"] for board in loaded} == {39}


@boards
def test_every_panel_has_a_title_a_description_and_a_unit(path: Path) -> None:
    panels = load_dashboard(path)["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for panel in panels:
        assert panel["title"]
        if panel["type"] == "row":
            continue
        assert len(panel["description"]) > 10, panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, panel["title"]
        refs = [target["refId"] for target in panel["targets"]]
        assert refs, panel["title"]
        assert len(set(refs)) == len(refs), panel["title"]


@boards
def test_panels_lie_side_by_side_within_the_grid(path: Path) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in load_dashboard(path)["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert max(x for x, _ in cells) < 24
        assert not taken & cells, panel["title"]
        taken |= cells


@boards
def test_the_source_of_every_query_is_the_one_that_is_provisioned(path: Path) -> None:
    [source] = load_yaml(PROVISIONING / "datasources.yml")["datasources"]
    wanted = {"type": source["type"], "uid": source["uid"]}
    for panel in load_dashboard(path)["panels"]:
        for item in (panel, *panel.get("targets", [])):
            if item.get("type") != "row":
                assert item["datasource"] == wanted


def test_the_provider_reads_files() -> None:
    [provider] = load_yaml(PROVISIONING / "dashboards.yml")["providers"]
    assert provider["type"] == "file"
    assert provider["options"]["path"].startswith("/")
