"""Runs the bench and writes the results page: `python -m benchmarks.promotion`."""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from string import Template

from benchmarks.promotion import choice, plots, tables
from benchmarks.promotion.reliability import bins
from benchmarks.promotion.run import HELD_OUT, compare, followed
from benchmarks.promotion.speed import measure_speed
from benchmarks.promotion.worlds import WORLDS
from lithify.domain.policy import Policy

_HERE = Path(__file__).parent
_DOCS = _HERE.parents[1] / "docs"
MIXED = ("base", "deviates 30 %", "never marks", "marks 20 %", "sparse")
"""The mix of the reliability diagram: as many changers as others of each."""
SELDOM = ("base", "never marks", "sparse", "a session a week")


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line may say."""

    users: int
    jobs: int
    docs: Path


def main() -> None:
    """Run everything on the held-out half, and write the page with its figures."""
    options = _options()
    policy, worlds = Policy(), list(WORLDS)
    mixed = [world for world in worlds if world.name in MIXED]
    results = compare(worlds, policy, first=HELD_OUT, users=options.users, jobs=options.jobs)
    print(tables.missed_targets(worlds, results))
    followers = max(20, options.users // 8)
    reliable = bins(followed(mixed, policy, first=HELD_OUT, users=followers, jobs=options.jobs))
    images = options.docs / "images"
    plots.prepare()
    plots.frontier(results, images / "promotion-frontier.svg")
    plots.calibration(reliable, images / "promotion-reliability.svg")
    plots.noticed(results, SELDOM, images / "promotion-noticed.svg")
    page = Template((_HERE / "results.template.md").read_text("utf-8")).substitute(
        users=options.users,
        followers=followers,
        mixed=", ".join(MIXED),
        missed=tables.missed_targets(worlds, results),
        evidence=tables.by_evidence(worlds, results),
        rivals=tables.against_rivals(worlds, results),
        asked=tables.asking_once(worlds, results),
        undone=tables.undoing(worlds, results),
        reliability=tables.reliability(reliable),
        sensitivity=choice.sensitivity(policy.promotion, options.users),
        hazards=choice.frontier(policy.promotion, options.users),
        grids=choice.grid_sizes(policy.promotion, options.users),
        speed=measure_speed(policy),
    )
    (options.docs / "promotion-results.md").write_text(page, "utf-8")


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.promotion", description=__doc__)
    parser.add_argument("--users", type=int, default=1000, help="of each kind and world (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: all cores)")
    parser.add_argument("--docs", type=Path, default=_DOCS, help="where the page and its figures go")
    given = parser.parse_args()
    return Options(given.users, given.jobs, given.docs)


if __name__ == "__main__":
    main()
