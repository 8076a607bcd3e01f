"""The random search that the defaults come from: `python -m benchmarks.promotion.search --minutes 15`.

It moves a few settings at a time and keeps what costs less, on the tuning half. What it finds is rounded by hand,
and points of a grid that came to lie together are merged.
"""

import argparse
import json
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from math import exp

from benchmarks.promotion.run import TUNING
from benchmarks.promotion.twin import assess
from benchmarks.promotion.worlds import WORLDS, World
from lithify.domain.policy import Grid, PromotionPolicy

TORN = (
    "base",
    "deviates 40 %",
    "never marks",
    "marks 10 %",
    "marks 20 %",
    "marks 35 %",
    "marks 20 %, deviates 30 %",
    "never marks, deviates 30 %",
    "never marks, long trips",
    "marks 20 %, long trips",
    "cues are noise",
    "sparse",
    "sparse, never marks",
)
"""The worlds that stand against each other; what holds in them holds in the others."""
_RATES = ("hazard", "episode_rate", "episode_days")
_SHARES = ("new_in_episode", "new_when_changed")
_GRIDS = ("deviation_rates", "cue_rates", "cue_noise")


def cost(rates: PromotionPolicy, worlds: Sequence[World], users: int) -> float:
    """What a policy costs over some worlds; lower is better, and a limit that is passed costs most.

    Args:
        rates: the policy.
        worlds: with their limits.
        users: of each kind and world, of the tuning half.
    """
    total = 0.0
    for world in worlds:
        found = assess(world, rates, first=TUNING, users=users)
        polluted = found.false / world.false_limit
        total += 4 * max(0.0, polluted - 0.85) + 10 * max(0.0, polluted - 1) + 0.1 * polluted
        if world.delay_limit is not None:
            total += 3 * max(0.0, found.median - world.delay_limit - 0.1)
        if world.misses_limit is not None:
            total += 4 * max(0.0, found.missed / world.misses_limit - 0.85)
        total += 0.01 * found.median
    return total


def moved(rates: PromotionPolicy, chance: random.Random) -> PromotionPolicy:
    """`rates` with one to three settings moved."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        name = chance.choice((*_RATES, *_SHARES, *_GRIDS, *_GRIDS))
        value = getattr(rates, name)
        if name in _RATES:
            value = max(3.0, value * exp(chance.gauss(0, 0.12))) if value > 1 else value * exp(chance.gauss(0, 0.25))
        elif name in _SHARES:
            value = 1 - min(0.5, (1 - value) * exp(chance.gauss(0, 0.25)))
        else:
            value = _moved_grid(value, chance)
        rates = replace(rates, **{name: value})
    return rates


def _moved_grid(grid: Grid, chance: random.Random) -> Grid:
    """One point of a grid with another rate or another prior; the priors sum to 1 again."""
    points = [list(point) for point in grid]
    point = chance.choice(points)
    if chance.random() < 0.5:
        point[0] = min(0.95, point[0] * exp(chance.gauss(0, 0.25)))
    else:
        point[1] *= exp(chance.gauss(0, 0.4))
    whole = sum(prior for _, prior in points)
    return tuple((rate, prior / whole) for rate, prior in points)


def main() -> None:
    """Search for so many minutes from the shipped defaults, and print what is better."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.promotion.search", description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--users", type=int, default=2000, help="of each kind and world (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    worlds = [world for world in WORLDS if world.name in TORN]
    chance, best = random.Random(given.seed), PromotionPolicy()
    least, end = cost(best, worlds, given.users), time.monotonic() + 60 * given.minutes
    print(f"the defaults cost {least:.3f}")
    while time.monotonic() < end:
        rates = moved(best, chance)
        price = cost(rates, worlds, given.users)
        if price < least:
            best, least = rates, price
            print(f"{least:.3f} {json.dumps(_shown(best))}", flush=True)


def _shown(rates: PromotionPolicy) -> dict[str, object]:
    return {name: value for name, value in asdict(rates).items() if name in (*_RATES, *_SHARES, *_GRIDS)}


if __name__ == "__main__":
    main()
