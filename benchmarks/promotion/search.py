"""The search that the defaults come from: `python -m benchmarks.promotion.search --minutes 600`.

It moves all rates and grids at once (CMA-ES), on the tuning half, and keeps what costs less. A few thousand users tell
rates of one in a hundred apart only roughly, so users count smoothly here: one who comes near the threshold counts
in part. What is found is rounded by hand.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import cma
import numpy as np
from numpy.typing import NDArray

from benchmarks.promotion.run import TUNING
from benchmarks.promotion.twin import Numbers, days_of, gated, posteriors
from benchmarks.promotion.worlds import WATCHED, WORLDS, World
from lithify.domain.policy import EPISODE_STAGES, Grid, PromotionPolicy

TORN = {
    "base": 10,
    "deviates 40 %": 9,
    "never marks": 22,
    "marks 10 %": 20,
    "marks 20 %": 18,
    "never marks, deviates 30 %": 23,
    "never marks, long trips": 21,
    "marks 20 %, long trips": 18,
    "cues are noise": 30,
    "sparse": 28,
    "sparse, never marks": 32,
    "gradual change": 14,
    "noisy change": 13,
}
"""The worlds that stand against each other, with days in which a change should be noticed."""
_SOFTNESS = 0.2
"""In log odds: a user who comes so near the threshold counts for a quarter."""
_GRIDS = ("deviation_rates", "cue_rates", "cue_noise")


@dataclass(frozen=True, slots=True)
class Smoothed:
    """Shares of users, smoothed."""

    false: float
    noticed: float
    """In the days of `TORN`."""
    missed: float
    asked: float
    """Of those who never change."""


def smoothed(world: World, rates: PromotionPolicy, *, first: int, users: int) -> Smoothed:
    """How a policy does in a world, by evidence alone."""
    kept = days_of(world, first, users, changes=False)
    moved = days_of(world, first, users, changes=True)
    still, told = _odds(kept, rates), _odds(moved, rates)
    gates = gated(moved, rates)
    new, until = world.new_from, world.new_from + TORN[world.name] + 1
    return Smoothed(
        false=max(
            _share(still, gated(kept, rates), rates.threshold), _share(told[:, :new], gates[:, :new], rates.threshold)
        ),
        noticed=_share(told[:, new:until], gates[:, new:until], rates.threshold),
        missed=1 - _share(told[:, new : new + WATCHED], gates[:, new : new + WATCHED], rates.threshold),
        asked=_share(still, kept > 0, rates.clarify_at),
    )


def _odds(days: NDArray[np.int8], rates: PromotionPolicy) -> Numbers:
    told = np.clip(posteriors(days, rates), 1e-9, 1 - 1e-9)
    return np.log(told / (1 - told))


def _share(odds: Numbers, counts: NDArray[np.bool_], threshold: float) -> float:
    """The share of users who pass the threshold on a day that counts."""
    best = np.where(counts, odds, -20.0).max(1)
    return float((1 / (1 + np.exp((np.log(threshold / (1 - threshold)) - best) / _SOFTNESS))).mean())


def cost(rates: PromotionPolicy, worlds: Sequence[World], users: int) -> float:
    """What a policy costs over some worlds; lower is better, and a limit that is passed costs most.

    Args:
        rates: the policy.
        worlds: with their limits, of `TORN`.
        users: of each kind and world, of the tuning half.
    """
    total = 0.0
    for world in worlds:
        found = smoothed(world, rates, first=TUNING, users=users)
        polluted = found.false / world.false_limit
        total += 3 * max(0.0, polluted - 0.5) ** 2 + 20 * max(0.0, polluted - 0.85) ** 2 + 0.05 * polluted
        total += (70 * max(0.0, 0.53 - found.noticed) if world.delay_limit is not None else 0.0) - 0.3 * found.noticed
        total += 50 * max(0.0, found.missed - 0.8 * (world.misses_limit or 0.04)) + 5 * max(0.0, found.asked - 0.22)
    return total


def encoded(rates: PromotionPolicy) -> list[float]:
    """The rates and grids as unbounded numbers."""
    numbers = [_logit(rates.hazard), _logit(rates.episode_rate), float(np.log(rates.episode_days - EPISODE_STAGES))]
    numbers += [_logit(rates.new_in_episode), _logit(rates.new_when_changed)]
    for name in _GRIDS:
        for rate, prior in getattr(rates, name):
            numbers += [_logit(rate), float(np.log(prior))]
    return numbers


def decoded(numbers: Sequence[float], like: PromotionPolicy) -> PromotionPolicy:
    """The inverse of `encoded`; what it leaves out is as in `like`."""
    hazard, enter, days, episode, changed, *rest = (float(number) for number in numbers)
    grids: dict[str, Grid] = {}
    for name in _GRIDS:
        size = 2 * len(getattr(like, name))
        rates, priors, rest = rest[:size:2], np.exp(rest[1:size:2]), rest[size:]
        grids[name] = tuple(zip(map(_share_of, rates), (priors / priors.sum()).tolist(), strict=True))
    return replace(
        like,
        hazard=_share_of(hazard),
        episode_rate=_share_of(enter),
        episode_days=EPISODE_STAGES + float(np.exp(days)),
        new_in_episode=_share_of(episode),
        new_when_changed=_share_of(changed),
        deviation_rates=grids["deviation_rates"],
        cue_rates=grids["cue_rates"],
        cue_noise=grids["cue_noise"],
    )


def _logit(share: float) -> float:
    return float(np.log(share / (1 - share)))


def _share_of(logit: float) -> float:
    return float(np.clip(1 / (1 + np.exp(-logit)), 1e-6, 1 - 1e-6))


def main() -> None:
    """Search for so many minutes from the shipped defaults, and print what is better."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.promotion.search", description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=600.0)
    parser.add_argument("--users", type=int, default=2000, help="of each kind and world (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    worlds = [world for world in WORLDS if world.name in TORN]
    start = PromotionPolicy()
    least, end = cost(start, worlds, given.users), time.monotonic() + 60 * given.minutes
    print(f"the defaults cost {least:.3f}")
    evolution = cma.CMAEvolutionStrategy(encoded(start), 0.1, {"seed": given.seed, "verbose": -9})
    while time.monotonic() < end and not evolution.stop():
        points = evolution.ask()
        prices = [cost(decoded(point, start), worlds, given.users) for point in points]
        evolution.tell(points, prices)
        if min(prices) < least:
            least = min(prices)
            print(f"{least:.3f} {json.dumps(_shown(decoded(points[prices.index(least)], start)))}", flush=True)


def _shown(rates: PromotionPolicy) -> dict[str, object]:
    shown = ("hazard", "episode_rate", "episode_days", "new_in_episode", "new_when_changed", *_GRIDS)
    return {name: value for name, value in asdict(rates).items() if name in shown}


if __name__ == "__main__":
    main()
