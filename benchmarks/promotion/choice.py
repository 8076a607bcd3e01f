"""Why the defaults are what they are: what each costs when moved, and what a coarser grid loses.

All of it on the tuning half, by the twin of the filter.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from timeit import repeat

from benchmarks.promotion.tables import table
from benchmarks.promotion.twin import assess
from benchmarks.promotion.worlds import WORLDS
from lithify.domain.policy import Grid, PromotionPolicy
from lithify.domain.promotion import Observation, advance, regimes

WATCHED_WORLDS = (
    "base",
    "never marks",
    "marks 20 %",
    "marks 20 %, deviates 30 %",
    "never marks, long trips",
    "sparse, never marks",
)
"""Where the defaults are torn between what is false and what is slow."""


TORN_WORLDS = (
    "base",
    "deviates 40 %",
    "never marks",
    "marks 20 %",
    "cues are noise",
    "gradual change",
    "never marks, deviates 30 %",
    "never marks, long trips",
)
"""Where fewer false promotions are bought with delay elsewhere."""


def frontier(rates: PromotionPolicy, users: int) -> str:
    """A table of what the hazard trades: by world, false promotions and median days."""
    worlds = {world.name: world for world in WORLDS}
    head = ("hazard", *(f"{name}: false %, days" for name in TORN_WORLDS))
    rows = []
    for factor in (0.5, 0.7, 1.0, 1.4, 2.0):
        moved = replace(rates, hazard=rates.hazard * factor)
        found = [assess(worlds[name], moved, first=0, users=users) for name in TORN_WORLDS]
        name = f"1/{1 / moved.hazard:.0f}" + (", shipped" if factor == 1.0 else "")
        rows.append([name, *(f"{100 * item.false:.1f}, {item.median:.0f}" for item in found)])
    return table(head, rows)


def variants(rates: PromotionPolicy) -> Iterator[tuple[str, PromotionPolicy]]:
    """The defaults, and each of them moved."""
    yield "as shipped", rates
    for name in ("hazard", "episode_rate"):
        for factor in (0.5, 2.0):
            yield f"{name} x {factor:g}", replace(rates, **{name: getattr(rates, name) * factor})
    for days in (rates.episode_days - 1.5, rates.episode_days + 1.5):
        yield f"episode_days {days:.3g}", replace(rates, episode_days=days)
    for value in (0.75, 0.95):
        yield f"new_when_changed {value}", replace(rates, new_when_changed=value)
    for value in (0.7, 0.95):
        yield f"threshold {value}", replace(rates, threshold=value)
    yield "cue_noise: none", replace(rates, cue_noise=((0.02, 1.0),))


def grids(rates: PromotionPolicy) -> Iterator[tuple[str, PromotionPolicy]]:
    """The shipped grid, coarser ones and a finer one, each named by its size."""
    deviations, cues = rates.deviation_rates, rates.cue_rates
    sizes = [
        (_mean(deviations), _mean(cues)),
        (deviations, _mean(cues)),
        (_mean(deviations), cues),
        (_paired(deviations), _paired(cues)),
        (deviations, cues),
        (_finer(deviations), _finer(cues)),
    ]
    for one, two in sizes:
        shipped = ", shipped" if (one, two) == (deviations, cues) else ""
        yield f"{len(one)} x {len(two)}{shipped}", replace(rates, deviation_rates=one, cue_rates=two)


def _mean(grid: Grid) -> Grid:
    return ((sum(rate * prior for rate, prior in grid), 1.0),)


def _paired(grid: Grid) -> Grid:
    """Neighbours merged two by two."""
    pairs = [grid[start : start + 2] for start in range(0, len(grid), 2)]
    weights = [sum(prior for _, prior in pair) for pair in pairs]
    return tuple(
        (sum(rate * prior for rate, prior in pair) / weight, weight)
        for pair, weight in zip(pairs, weights, strict=True)
    )


def _finer(grid: Grid) -> Grid:
    """A point between any two neighbours takes half of what the two can spare."""
    inner = [((a + b) / 2, (p + q) / 4) for (a, p), (b, q) in itertools.pairwise(grid)]
    ends = len(grid) - 1
    outer = [(rate, prior * (0.75 if number in (0, ends) else 0.5)) for number, (rate, prior) in enumerate(grid)]
    return tuple(sorted([*inner, *outer]))


def sensitivity(rates: PromotionPolicy, users: int) -> str:
    """A table of the variants."""
    head = ("defaults", *(f"{name}: false %, days, missed %" for name in WATCHED_WORLDS))
    return table(head, [[name, *_cells(variant, users)] for name, variant in variants(rates)])


def grid_sizes(rates: PromotionPolicy, users: int) -> str:
    """A table of the grids, with what a step of each costs."""
    head = ("grid: deviation x cue", "µs a day", *(f"{name}: false %, days, missed %" for name in WATCHED_WORLDS))
    return table(head, [[name, f"{_cost(grid):.0f}", *_cells(grid, users)] for name, grid in grids(rates)])


def _cells(rates: PromotionPolicy, users: int) -> list[str]:
    worlds = {world.name: world for world in WORLDS}
    found = [assess(worlds[name], rates, first=0, users=users) for name in WATCHED_WORLDS]
    return [f"{100 * item.false:.1f}, {item.median:.0f}, {100 * item.missed:.1f}" for item in found]


def _cost(rates: PromotionPolicy) -> float:
    seen = Observation(supports=True)
    state = advance(regimes(rates).start, 1, seen)
    return min(repeat(lambda: advance(state, 1, seen), number=500, repeat=5)) / 500 * 1e6
