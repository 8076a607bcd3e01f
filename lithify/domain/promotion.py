"""Promotion by evidence: how probable it is that a value has changed for good.

A forward filter over the days on which a slot was spoken of, with three regimes: stable (the old value, with
a deviation now and then), episode (the new value for some days, then back) and changed (the new value for
good). Three habits of the user are unknown, and inferred together with the regime on a small grid: how often
they deviate, how often they mark what is passing, and how often they mark what is not. The equations and a
worked example are in `docs/concepts/promotion.md`.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from lithify.domain.policy import EPISODE_STAGES, Grid, PromotionPolicy

Row = tuple[float, float, float, float]
"""Weights of stable and of the three stages of an episode; their lengths are Erlang-3 distributed by it."""
Likelihood = tuple[tuple[tuple[float, float], ...], tuple[float, ...]]
"""Of one day: given stable and given an episode for each row of the grid, and given changed for each cue noise."""
Passage = tuple[Row, Row, Row, Row]
"""P(to | from) over some days without a change: for each place, what it gets from each."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What one day said about one contender."""

    supports: bool
    """Whether the day's last speaking session was for it; False: for another value."""
    cued: bool = False
    """All supports of the day were marked as passing."""
    strong: bool = False
    """An uncued self statement or a plain yes was among them."""
    weak: bool = False
    """Nothing but a guess was observed."""
    sessions: int = 1
    """How many sessions of the day supported it: the more, the less likely is a mark on every one."""


ANOTHER = Observation(supports=False)
"""A day that spoke for another value: all that the base state of a slot ever sees."""


class Regimes:
    """What the filter needs of a policy, worked out once: its start, and the likelihood of each observation.

    Obtained from `regimes`, so that equal policies share one.
    """

    __slots__ = ("_likelihoods", "_noises", "empty", "enter", "hazard", "leave", "noise", "policy", "start")

    def __init__(self, policy: PromotionPolicy, *, empty: bool) -> None:
        self.policy = policy
        self.empty = empty
        self.hazard = policy.hazard_empty if empty else policy.hazard
        self.enter = policy.episode_rate_empty if empty else policy.episode_rate
        self.leave = EPISODE_STAGES / policy.episode_days
        self._noises = policy.cue_noise_empty if empty else policy.cue_noise
        self.noise = tuple(weight for _, weight in self._noises)
        self._likelihoods: dict[int, Likelihood] = {}
        grid = product(policy.deviation_rates, policy.cue_rates)
        prior = tuple([(one * other, 0.0, 0.0, 0.0) for (_, one), (_, other) in grid])
        self.start = Filter(self, prior, (0.0,) * len(self.noise), 1.0)

    def __reduce__(self) -> tuple[object, tuple[PromotionPolicy, bool]]:
        return _regimes, (self.policy, self.empty)

    def likelihood(self, seen: Observation) -> Likelihood:
        """P(observation | regime, habits)."""
        key = 16 * min(seen.sessions, _MANY) + 8 * seen.supports + 4 * seen.cued + 2 * seen.strong + seen.weak
        known = self._likelihoods.get(key)
        if known is None:
            known = self._likelihoods[key] = _likelihood(seen, self.policy, self._noises)
        return known


@dataclass(frozen=True, slots=True)
class Filter:
    """Joint weights of regime and habits given all days so far.

    Changed has no rows: once changed, neither the deviation rate nor the cue rate plays a part.
    """

    regimes: Regimes
    rows: tuple[Row, ...]
    """One for each pair of a deviation rate and a cue rate."""
    changed: tuple[float, ...]
    """By cue noise."""
    total: float
    """What all weights sum to; the next step divides by it, so nothing underflows."""

    @property
    def posterior(self) -> float:
        """P(changed for good | days so far), in [0, 1]."""
        return sum(self.changed) / self.total


def regimes(policy: PromotionPolicy, *, empty: bool = False) -> Regimes:
    """The regimes of a policy.

    Args:
        policy: the rates.
        empty: whether the slot holds no value that the contender would replace; it has rates of its own.
    """
    return _regimes(policy, empty)


@lru_cache(maxsize=256)
def _regimes(policy: PromotionPolicy, empty: bool) -> Regimes:
    return Regimes(policy, empty=empty)


def advance(state: Filter, gap: int, seen: Observation) -> Filter:
    """One step of the forward filter: `gap` days pass, then a day is observed.

    Args:
        state: the filter after the last observed day.
        gap: days since then, at least 1.
        seen: what the day said.
    """
    model = state.regimes
    by_row, by_noise = model.likelihood(seen)
    same = (1.0 - model.hazard) ** gap
    scale = same / state.total
    if gap == 1:
        rows, living = _next_day(state.rows, by_row, scale, model.enter, model.leave)
    else:
        rows, living = _days_later(state.rows, by_row, scale, _passage(model.enter, model.leave, gap))
    new = (1.0 - same) * (1.0 - sum(state.changed) / state.total)
    changed = tuple(
        [
            (old / state.total + new * weight) * likelihood
            for old, weight, likelihood in zip(state.changed, model.noise, by_noise, strict=True)
        ]
    )
    return Filter(model, rows, changed, living + sum(changed))


def ruled_out(state: Filter) -> Filter:
    """The filter once the user said that nothing has changed so far: what it learned of their habits stays."""
    living = sum([sum(row) for row in state.rows])
    if living < _NOTHING_LEFT:
        return state.regimes.start
    return Filter(state.regimes, state.rows, (0.0,) * len(state.changed), living)


_MANY = 30
"""More sessions than this on one day say no more: a mark on every one is unlikely enough, yet still possible."""
_NOTHING_LEFT = 1e-200
"""Below this the weights of all rows are rounding, and say nothing about habits."""
Weighed = tuple[tuple[Row, ...], float]
"""Rows after a step, and what they sum to."""


def _next_day(
    rows: tuple[Row, ...], by_row: tuple[tuple[float, float], ...], scale: float, enter: float, leave: float
) -> Weighed:
    """A step of one day, in which no stage can be skipped: most steps are, so it is spelled out."""
    moved: list[Row] = []
    total = 0.0
    stay, enter, remain, leave = scale * (1.0 - enter), scale * enter, scale * (1.0 - leave), scale * leave
    for (stable, early, middle, late), (one, other) in zip(rows, by_row, strict=True):
        to_stable = (stable * stay + late * leave) * one
        to_early = (early * remain + stable * enter) * other
        to_middle = (middle * remain + early * leave) * other
        to_late = (late * remain + middle * leave) * other
        total += to_stable + to_early + to_middle + to_late
        moved.append((to_stable, to_early, to_middle, to_late))
    return tuple(moved), total


def _days_later(
    rows: tuple[Row, ...], by_row: tuple[tuple[float, float], ...], scale: float, passage: Passage
) -> Weighed:
    """A step over silent days."""
    moved: list[Row] = []
    total = 0.0
    (aa, ab, ac, ad), (ba, bb, bc, bd), (ca, cb, cc, cd), (da, db, dc, dd) = passage
    for (a, b, c, d), (one, other) in zip(rows, by_row, strict=True):
        stable, episode = scale * one, scale * other
        to_stable = (aa * a + ab * b + ac * c + ad * d) * stable
        to_early = (ba * a + bb * b + bc * c + bd * d) * episode
        to_middle = (ca * a + cb * b + cc * c + cd * d) * episode
        to_late = (da * a + db * b + dc * c + dd * d) * episode
        total += to_stable + to_early + to_middle + to_late
        moved.append((to_stable, to_early, to_middle, to_late))
    return tuple(moved), total


@lru_cache(maxsize=4096)
def _passage(enter: float, leave: float, gap: int) -> Passage:
    """The passage of `gap` days, as a power of that of one day."""
    if gap == 1:
        return (
            (1.0 - enter, 0.0, 0.0, leave),
            (enter, 1.0 - leave, 0.0, 0.0),
            (0.0, leave, 1.0 - leave, 0.0),
            (0.0, 0.0, leave, 1.0 - leave),
        )
    half = _passage(enter, leave, gap // 2)
    twice = _after(half, half)
    return _after(_passage(enter, leave, 1), twice) if gap % 2 else twice


def _after(second: Passage, first: Passage) -> Passage:
    columns = list(zip(*first, strict=True))
    one, two, three, four = [
        tuple([sum(a * b for a, b in zip(row, column, strict=True)) for column in columns]) for row in second
    ]
    return one, two, three, four  # type: ignore[return-value]


def _likelihood(seen: Observation, policy: PromotionPolicy, noises: Grid) -> Likelihood:
    rows = [(deviation, cue) for deviation, _ in policy.deviation_rates for cue, _ in policy.cue_rates]
    stable = [_of_day(seen, deviation, cue) for deviation, cue in rows]
    episode = [_of_day(seen, policy.new_in_episode, cue) for _, cue in rows]
    changed = [_of_day(seen, policy.new_when_changed, noise) for noise, _ in noises]
    if seen.supports and seen.strong:
        stable = [value * policy.strong_factor for value in stable]
        episode = [value * policy.strong_factor for value in episode]
    exponent = policy.weak_exponent if seen.weak else 1.0
    by_row = [(one**exponent, other**exponent) for one, other in zip(stable, episode, strict=True)]
    return tuple(by_row), tuple([value**exponent for value in changed])


def _of_day(seen: Observation, new: float, cue: float) -> float:
    """P(value and cue of a day): the new value comes with probability `new`, and each use of it is cued with `cue`."""
    if not seen.supports:
        return 1.0 - new
    all_cued = cue ** min(seen.sessions, _MANY)
    return new * (all_cued if seen.cued else 1.0 - all_cued)
