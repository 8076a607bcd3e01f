"""The forward filter: probabilities stay probabilities, and lean the way they should."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.policy import PromotionPolicy
from lithify.domain.promotion import ANOTHER, Filter, Observation, advance

RATES = PromotionPolicy()
NEW = Observation(supports=True)


def after(*seen: Observation, gap: int = 1) -> Filter:
    state = Filter()
    for item in seen:
        state = advance(state, gap, item, RATES)
    return state


def test_one_step_is_bayes_rule() -> None:
    changed = 1 / 240 * 0.9
    stable = (1 - 1 / 240) * 0.15
    assert after(NEW).posterior == pytest.approx(changed / (changed + stable))


def test_gap_of_days_is_as_many_silent_days() -> None:
    silent = 1 - (1 - RATES.hazard) ** 10
    expected = silent * 0.9 / (silent * 0.9 + (1 - silent) * 0.15)
    assert after(NEW, gap=10).posterior == pytest.approx(expected)


def test_cued_day_is_neither_for_nor_against() -> None:
    cued = Observation(supports=True, cued=True)
    assert after(NEW, cued).posterior == pytest.approx(1 - after(NEW).stable * (1 - RATES.hazard))


def test_other_values_lower_the_posterior() -> None:
    assert after(NEW, NEW, ANOTHER).posterior < after(NEW, NEW).posterior


def test_strong_support_weighs_more_and_weak_less() -> None:
    strong, weak = Observation(supports=True, strong=True), Observation(supports=True, weak=True)
    assert after(weak).posterior < after(NEW).posterior < after(strong).posterior


@given(
    st.lists(
        st.tuples(st.builds(Observation, *[st.booleans()] * 4), st.integers(min_value=1, max_value=4000)),
        max_size=400,
    )
)
def test_probabilities_stay_probabilities(days: list[tuple[Observation, int]]) -> None:
    state = Filter()
    for seen, gap in days:
        state = advance(state, gap, seen, RATES)
        assert math.isclose(state.stable + state.changed, 1.0)
        assert 0.0 <= state.posterior <= 1.0
