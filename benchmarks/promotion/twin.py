"""The filter and its gates once more, over many users at a time: for choosing rates, never for reporting.

Exact for single-valued slots that hold a value, in one time zone; a test compares it with the fold.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.promotion.worlds import NEW, Use, World, simulate
from lithify.domain.policy import EPISODE_STAGES, PromotionPolicy

Numbers = NDArray[np.float64]
SILENT, OTHER, PLAIN, CUED, BOTH = range(5)
"""What a day may show: nothing, another value, the new value, the new value marked as passing by all of its sessions,
and another value after an unmarked use of the new one, which the gate counts."""
KINDS, SESSIONS = 5, 10
"""A day's code is its kind and KINDS times the sessions for the new value beyond the first, of which there are at most
SESSIONS in any world."""


@dataclass(frozen=True, slots=True)
class Found:
    """How a policy did on the users of a world."""

    false: float
    """The larger share of users with a false promotion, of unchanged users and of changers before the change."""
    median: float
    """Days; interpolated over the middle fifth, so that small differences show."""
    p90: float
    missed: float


@lru_cache(maxsize=128)
def days_of(world: World, first: int, users: int, *, changes: bool) -> NDArray[np.int8]:
    """What each day of each user showed: (users, days)."""
    rows = []
    for seed in range(first, first + users):
        user = simulate(world, seed, changes=changes)
        row = np.zeros(len(user.lasting), np.int8)
        for day, uses in groupby(user.uses, key=lambda use: use.day):
            row[day] = _code(list(uses))
        rows.append(row)
    return np.stack(rows)


def _code(uses: list[Use]) -> int:
    """Of the uses of one day, in their order."""
    new = [use for use in uses if use.value == NEW]
    plain = any(not use.cued for use in new)
    if uses[-1].value != NEW:
        return BOTH if plain else OTHER
    return (PLAIN if plain else CUED) + KINDS * (len(new) - 1)


def posteriors(days: NDArray[np.int8], rates: PromotionPolicy) -> Numbers:
    """P(changed | days so far): (users, days). Before the first day the slot was filled, on a day of its own."""
    users = len(days)
    deviation, cue, prior = _grid(rates)
    noise, share = np.array(rates.cue_noise).T
    stable = _likelihood(deviation, cue)
    episode = _likelihood(np.full_like(cue, rates.new_in_episode), cue)
    changed = _likelihood(np.full_like(noise, rates.new_when_changed), noise)
    enter, leave, hazard = rates.episode_rate, EPISODE_STAGES / rates.episode_days, rates.hazard
    s, a, b, c = np.tile(prior, (users, 1)), *np.zeros((3, users, len(prior)))
    done = np.zeros((users, len(noise)))
    told = np.zeros(days.shape)
    for day in range(-1, days.shape[1]):
        seen = days[:, day] if day >= 0 else np.full(users, OTHER)
        living = (s + a + b + c).sum(1, keepdims=True)
        s, a, b, c = (
            s * (1 - enter) + c * leave,
            a * (1 - leave) + s * enter,
            b * (1 - leave) + a * leave,
            c * (1 - leave) + b * leave,
        )
        done = (done + hazard * living * share) * changed[seen]
        s = s * (1 - hazard) * stable[seen]
        a, b, c = (part * (1 - hazard) * episode[seen] for part in (a, b, c))
        total = (s + a + b + c).sum(1, keepdims=True) + done.sum(1, keepdims=True)
        s, a, b, c, done = s / total, a / total, b / total, c / total, done / total
        if day >= 0:
            told[:, day] = done.sum(1)
    return told


def _grid(rates: PromotionPolicy) -> tuple[Numbers, Numbers, Numbers]:
    rows = [(one, two, p * q) for one, p in rates.deviation_rates for two, q in rates.cue_rates]
    deviation, cue, prior = np.array(rows).T
    return deviation, cue, prior


def _likelihood(new: Numbers, cue: Numbers) -> Numbers:
    """By the code of a day, and row."""
    one = np.ones_like(new)
    marked = [cue**sessions for sessions in range(1, SESSIONS + 1)]
    return np.stack(
        [row for all_cued in marked for row in (one, 1 - new, new * (1 - all_cued), new * all_cued, 1 - new)]
    )


def gated(days: NDArray[np.int8], rates: PromotionPolicy) -> NDArray[np.bool_]:
    """The days at whose end a posterior high enough promotes: (users, days)."""
    kind = days % KINDS
    plain = np.cumsum((kind == PLAIN) | (kind == BOTH), 1)
    window = rates.window.days
    recent = plain - np.pad(plain, ((0, 0), (window, 0)))[:, : days.shape[1]]
    return cast("NDArray[np.bool_]", (kind == PLAIN) & (recent >= rates.min_days))


def promoted(days: NDArray[np.int8], rates: PromotionPolicy) -> NDArray[np.int64]:
    """The deciding day of each user's first promotion; -1: never."""
    passes = gated(days, rates) & (posteriors(days, rates) >= rates.threshold)
    return cast("NDArray[np.int64]", np.where(passes.any(1), passes.argmax(1), -1))


def assess(world: World, rates: PromotionPolicy, *, first: int, users: int) -> Found:
    """How a policy does in a world, by evidence alone."""
    without = promoted(days_of(world, first, users, changes=False), rates)
    days = promoted(days_of(world, first, users, changes=True), rates)
    delays = days[days >= world.new_from] - world.new_from
    early = (days >= 0) & (days < world.new_from)
    middle = np.quantile(delays, [0.4, 0.45, 0.5, 0.55, 0.6]) if len(delays) else [np.nan]
    return Found(
        false=float(max((without >= 0).mean(), early.mean())),
        median=float(np.mean(middle)),
        p90=float(np.quantile(delays, 0.9)) if len(delays) else float("nan"),
        missed=float((days < 0).mean()),
    )
