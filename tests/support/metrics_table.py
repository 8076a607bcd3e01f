"""The table of metrics in docs/operating.md: `python -m tests.support.metrics_table` writes it anew."""

import re
from pathlib import Path

from pipelines.metrics import declared

PAGE = Path(__file__).parents[2] / "docs" / "operating.md"
_BEGIN, _END = "<!-- metrics: begin -->", "<!-- metrics: end -->"


def table() -> str:
    """One row a metric."""
    rows = [
        f"| `{item.name}` | {item.kind} | {', '.join(f'`{label}`' for label in item.labels)} | {item.documentation} |"
        for item in declared()
    ]
    return "\n".join(["| metric | kind | labels | meaning |", "| --- | --- | --- | --- |", *rows])


DOCS = f"{_BEGIN}\n{table()}\n{_END}"


def _main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(f"{_BEGIN}.*{_END}", lambda _: DOCS, page, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    _main()
