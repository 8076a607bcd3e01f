"""The long form, on Apache Kafka: `python -m tests.chaos` writes its table to docs/reliability.md.

    python -m tests.chaos [--only NAME ...] [--size short|long] [--out FILE] [--rows FILE]

Rows are kept in a JSON file beside, one a scenario: a run of some scenarios replaces their rows and keeps the others.
Exit state: 0; 1 if something did not hold in a scenario of this run.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["LITHIFY_TEST_BROKER"] = "kafka"  # before anything asks which broker it is

from tests.chaos.lab import open_lab, turns_of
from tests.chaos.report import write
from tests.chaos.row import Row
from tests.chaos.run import ChaosError, quiet, run
from tests.chaos.scenarios import SCENARIOS
from tests.chaos.size import LONG, SHORT, Size
from tests.support.kafka import KafkaError

_ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run, print one JSON line a scenario, and write the table."""
    arguments = _parser().parse_args()
    size = SHORT if arguments.size == "short" else LONG
    names = arguments.only or [scenario.name for scenario in SCENARIOS]
    rows = _run(names, size, arguments.rows)
    write(arguments.rows, arguments.out)
    return 1 if any(row.faults() for row in rows) or len(rows) < len(names) else 0


def _run(names: list[str], size: Size, kept: Path) -> list[Row]:
    rows = []
    with (
        tempfile.TemporaryDirectory(prefix="lithify-chaos-", ignore_cleanup_errors=True) as folder,
        open_lab(Path(folder)) as lab,
    ):
        undisturbed = quiet(lab, turns_of(size.turns))
        known = {scenario.name: scenario for scenario in SCENARIOS}
        for scenario in (known[name] for name in names):
            try:
                row = run(scenario, lab, size, undisturbed)
            except (ChaosError, KafkaError, AssertionError) as error:
                sys.stderr.write(f"{scenario.name}: {error}\n")
                sys.stderr.flush()
                continue
            sys.stdout.write(row.as_json() + "\n")
            sys.stdout.flush()
            _keep(kept, row)
            rows.append(row)
    return rows


def _keep(path: Path, row: Row) -> None:
    """Replace the scenario's row of that size."""
    known = json.loads(path.read_text()) if path.exists() else {}
    known[f"{row.scenario}/{row.size}"] = json.loads(row.as_json())
    path.write_text(json.dumps(known, indent=2) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", nargs="+", choices=[scenario.name for scenario in SCENARIOS], metavar="NAME")
    parser.add_argument("--size", choices=("short", "long"), default="long")
    parser.add_argument("--out", type=Path, default=_ROOT / "docs" / "reliability.md")
    parser.add_argument("--rows", type=Path, default=_ROOT / "tests" / "chaos" / "rows.json")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
