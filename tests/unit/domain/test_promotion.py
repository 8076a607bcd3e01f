"""The forward filter: right by hand, a probability always, and leaning the way it should."""

import copy
import math
import pickle
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.policy import PromotionPolicy
from lithify.domain.promotion import ANOTHER, Filter, Observation, advance, regimes

RATES = PromotionPolicy()
NEW = Observation(supports=True)
CUED = Observation(supports=True, cued=True)
STRONG = Observation(supports=True, strong=True)
WEAK = Observation(supports=True, weak=True)

ROUND = PromotionPolicy(
    hazard=0.01,
    episode_rate=0.1,
    episode_days=6,
    new_in_episode=0.9,
    new_when_changed=0.8,
    deviation_rates=((0.2, 1.0),),
    cue_rates=((0.5, 1.0),),
    cue_noise=((0.1, 1.0),),
)
"""Round rates and known habits: one row of five numbers, for checking by hand."""


def after(*seen: Observation, gap: int = 1, policy: PromotionPolicy = RATES, empty: bool = False) -> Filter:
    state = regimes(policy, empty=empty).start
    for item in seen:
        state = advance(state, gap, item)
    return state


def weights(state: Filter) -> list[float]:
    """P(stable), P(early), P(middle), P(late), P(changed)."""
    columns = (*zip(*state.rows, strict=True), state.changed)
    return [sum(column) / state.total for column in columns]


def test_worked_example_of_the_documentation() -> None:
    """The five numbers of each day in docs/concepts/promotion.md."""
    one = after(NEW, policy=ROUND)
    assert one.total == pytest.approx(0.0891 + 0.04455 + 0.0072)
    assert weights(one) == pytest.approx([0.6326, 0.3163, 0, 0, 0.0511], abs=5e-5)
    two = advance(one, 1, NEW)
    assert weights(two) == pytest.approx([0.2095, 0.3666, 0.2618, 0, 0.1622], abs=5e-5)
    three = advance(two, 1, CUED)
    assert weights(three) == pytest.approx([0.0580, 0.2829, 0.4353, 0.1814, 0.0424], abs=5e-5)
    four = advance(three, 2, ANOTHER)
    assert weights(four) == pytest.approx([0.7387, 0.0287, 0.0827, 0.1090, 0.0410], abs=5e-5)


def test_gap_of_days_is_as_many_silent_days() -> None:
    """A silent day is a step with a likelihood of one everywhere, so gaps compose."""
    model = regimes(RATES)
    start = after(NEW, NEW)
    apart = advance(start, 7, NEW)
    for days in (1, 3, 5):
        rest = _silent(_silent(start, days), 6 - days)
        assert weights(advance(rest, 1, NEW)) == pytest.approx(weights(apart))
    assert apart.regimes is model


def _silent(state: Filter, days: int) -> Filter:
    """Some silent days, from the definition: hazards and stages, a day at a time."""
    model = state.regimes
    for _ in range(days):
        h, r, q = model.hazard, model.enter, model.leave
        living = sum(sum(row) for row in state.rows)
        moved = tuple(
            (
                (1 - h) * (s * (1 - r) + c * q),
                (1 - h) * (a * (1 - q) + s * r),
                (1 - h) * (b * (1 - q) + a * q),
                (1 - h) * (c * (1 - q) + b * q),
            )
            for s, a, b, c in state.rows
        )
        changed = tuple(c + h * living * w for c, w in zip(state.changed, model.noise, strict=True))
        state = Filter(model, moved, changed, state.total)
    return state


def test_other_values_lower_the_posterior() -> None:
    assert after(NEW, NEW, ANOTHER).posterior < after(NEW, NEW).posterior


def test_passing_use_lowers_the_posterior_and_tells_that_the_user_marks() -> None:
    told, untold = after(CUED, CUED, ANOTHER, ANOTHER), after(NEW, NEW, ANOTHER, ANOTHER)
    assert told.posterior < untold.posterior
    for _ in range(10):
        told, untold = advance(told, 1, NEW), advance(untold, 1, NEW)
    assert told.posterior > untold.posterior, "who marks what is passing means what is not marked"


def test_strong_support_weighs_more_and_weak_less() -> None:
    assert after(WEAK).posterior < after(NEW).posterior < after(STRONG).posterior


def test_strong_support_is_a_factor_of_the_odds() -> None:
    odds = [state.posterior / (1 - state.posterior) for state in (after(NEW), after(STRONG))]
    assert odds[1] / odds[0] == pytest.approx(1 / RATES.strong_factor)


def test_day_of_many_sessions_is_seldom_marked_throughout() -> None:
    """Every use is marked with probability u, so all of m with u to the power of m."""
    three = Observation(supports=True, cued=True, sessions=3)
    assert after(three, policy=ROUND).total == pytest.approx(
        0.99 * 0.9 * 0.2 * 0.5**3 + 0.99 * 0.1 * 0.9 * 0.5**3 + 0.01 * 0.8 * 0.1**3
    )
    plain = replace(three, cued=False)
    assert after(plain, policy=ROUND).total == pytest.approx(
        0.99 * 0.9 * 0.2 * (1 - 0.5**3) + 0.99 * 0.1 * 0.9 * (1 - 0.5**3) + 0.01 * 0.8 * (1 - 0.1**3)
    )


def test_unmarked_use_on_a_day_of_many_sessions_says_less() -> None:
    days = [CUED, ANOTHER, CUED, *[NEW] * 5]
    busy = [replace(seen, sessions=8) if seen == NEW else seen for seen in days]
    assert after(*busy).posterior < after(*days).posterior


def test_day_of_a_thousand_sessions_leaves_a_probability() -> None:
    for cued in (True, False):
        state = after(*[Observation(supports=True, cued=cued, sessions=1000)] * 50)
        assert math.isclose(sum(weights(state)), 1.0)


def test_empty_slot_believes_sooner() -> None:
    days = [NEW] * 9
    assert after(*days, empty=True).posterior > after(*days).posterior


def test_splitting_a_point_of_a_grid_changes_nothing() -> None:
    """Two points at one rate are one point with their priors added."""
    split = tuple((rate, prior / 2) for rate, prior in RATES.cue_rates for _ in range(2))
    seen = [ANOTHER, CUED, NEW, NEW, ANOTHER, NEW, NEW, NEW]
    other = after(*seen, policy=replace(RATES, cue_rates=split))
    assert other.posterior == pytest.approx(after(*seen).posterior)


def test_equal_policies_share_their_tables() -> None:
    assert regimes(PromotionPolicy()) is regimes(PromotionPolicy())
    assert regimes(RATES) is not regimes(RATES, empty=True)
    state = after(NEW, empty=True)
    assert copy.deepcopy(state) == state
    assert pickle.loads(pickle.dumps(state)) == state  # noqa: S301 - our own bytes


def test_thousand_days_for_the_old_value_leave_a_way_back() -> None:
    state = after(*[ANOTHER] * 1000)
    assert state.posterior < 0.001
    for _ in range(40):
        state = advance(state, 1, NEW)
    assert state.posterior > 0.5


@given(
    st.booleans(),
    st.lists(
        st.tuples(
            st.builds(Observation, *[st.booleans()] * 4, st.integers(min_value=1, max_value=100)),
            st.integers(min_value=1, max_value=4000),
        ),
        max_size=400,
    ),
)
def test_probabilities_stay_probabilities(empty: bool, days: list[tuple[Observation, int]]) -> None:
    state = regimes(RATES, empty=empty).start
    for seen, gap in days:
        state = advance(state, gap, seen)
        assert math.isclose(sum(weights(state)), 1.0)
        assert 0.0 <= state.posterior <= 1.0


def test_documentation_states_the_defaults() -> None:
    page = (Path(__file__).parents[3] / "docs" / "concepts" / "promotion.md").read_text("utf-8")
    stated = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", page, re.MULTILINE))
    assert set(stated) >= {"threshold", "hazard", "hazard_empty", "deviation_rates", "cue_rates", "cue_noise"}
    for name, text in stated.items():
        assert _value(text) == _exact(getattr(RATES, name)), name


def _exact(value: object) -> object:
    return float(value) if isinstance(value, int) else value


def _value(text: str) -> object:
    if ":" not in text:
        return float(Fraction(text))
    return tuple(tuple(float(part) for part in point.split(":")) for point in text.split(","))


@pytest.mark.parametrize(
    "bad",
    [
        {"hazard": 0.0},
        {"episode_rate": 1.0},
        {"episode_days": 2.0},
        {"cue_rates": ()},
        {"cue_rates": ((0.2, 0.5),)},
        {"deviation_rates": ((0.0, 1.0),)},
        {"cue_noise_empty": ((1.0, 1.0),)},
        {"cue_noise": ((0.1, 1.5), (0.2, -0.5))},
    ],
)
def test_impossible_rates_are_refused(bad: dict[str, object]) -> None:
    (name,) = bad
    with pytest.raises(ValueError, match=name):
        replace(RATES, **bad)  # type: ignore[arg-type]


def test_grids_may_be_lists_as_in_a_file() -> None:
    policy = replace(RATES, cue_noise=[[0.1, 1]])  # type: ignore[arg-type]
    assert policy.cue_noise == ((0.1, 1.0),)
    assert regimes(policy).noise == (1.0,)
