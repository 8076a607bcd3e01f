"""docs/operating.md names every setting there is, and no other."""

import re
from pathlib import Path

from pipelines.settings import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "operating.md").read_text(encoding="utf-8")


def told(page: str) -> set[str]:
    """Keys in the first column of the tables of settings."""
    tables = page.split("## Settings")[1].split("## Health", maxsplit=1)[0]
    rows = (line.split("|")[1] for line in tables.splitlines() if line.startswith("| `"))
    return {key for row in rows for key in re.findall(r"`([A-Z_]+)`", row)}


def test_the_page_names_every_setting_and_no_other() -> None:
    assert told(PAGE) == {name.upper() for name in Settings.model_fields}


def test_a_setting_that_is_left_out_would_be_noticed() -> None:
    assert "FETCH_WAIT_SECONDS" not in told(PAGE.replace("| `FETCH_WAIT_SECONDS` |", "| fetches |"))
