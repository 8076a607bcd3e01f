"""The page of figures, written from the rows of the last runs."""

import json
import os
from pathlib import Path
from typing import Any

from tests.chaos.scenarios import SCENARIOS

_TEMPLATE = Path(__file__).with_name("reliability.template.md")
_HEAD = "| what was done | times | events | lost | duplicated | differing | recovery, s | caught up, s | readiness |"
_RULE = "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |"


def write(rows: Path, page: Path) -> None:
    """Write the page from what `rows` keeps."""
    kept: dict[str, dict[str, Any]] = json.loads(rows.read_text()) if rows.exists() else {}
    names = [scenario.name for scenario in SCENARIOS]
    lines = [_line(kept[key]) for name in names for key in (f"{name}/long", f"{name}/short") if key in kept]
    left = [name for name in names if f"{name}/long" not in kept]
    table = "\n".join([_HEAD, _RULE, *lines])
    if left:
        table += f"\n\nNot run yet in the long form: {', '.join(left)}."
    text = _TEMPLATE.read_text().replace("{table}", table).replace("{processors}", str(os.cpu_count()))
    page.write_text(text)


def _line(row: dict[str, Any]) -> str:
    name = row["done"] + (" (short form)" if row["size"] == "short" else "")
    times = [_seconds(row["recovery_seconds"]), _seconds(row["caught_up_seconds"])]
    cells = (name, row["times"], row["events"], row["lost"], row["duplicated"], row["differing"], *times)
    return "| " + " | ".join(str(cell) for cell in (*cells, row["readiness"])) + " |"


def _seconds(value: float | None) -> str:
    return "over 120" if value is None else f"{value:.1f}"
