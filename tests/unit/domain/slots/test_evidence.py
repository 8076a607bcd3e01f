"""Rules 15 to 21: what counts as evidence, what it promotes, and what undoes it."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from lithify.domain.claims import Basis, CommandKind, Cue
from lithify.domain.policy import Policy
from lithify.domain.promotion import ANOTHER, Filter, Observation, advance, regimes, ruled_out
from lithify.domain.slots import evidence
from lithify.domain.slots.state import Contender, SlotState, Verdict
from tests.support.slots import EAGER, LIKES, Talk, day, held, hints, midnight, rules

RATES = EAGER.promotion


def vegetarian() -> Talk:
    talk = Talk(policy=EAGER)
    talk.say(day(0), "vegetarian")
    return talk


def meat_on(days: Iterable[float]) -> Talk:
    talk = vegetarian()
    for number in days:
        talk.choose(day(number), "meat")
    return talk


def contender(state: SlotState, value: str) -> Contender:
    return next(item for item in state.contenders if item.value == value)


def promotion(state: SlotState) -> Verdict | None:
    return next((item for item in state.verdicts if item.rule == "evidence"), None)


def test_rule_15_strong_evidence_is_a_factor_of_the_stable_likelihood() -> None:
    choices, statements = vegetarian(), vegetarian()
    choices.choose(day(1), "meat")
    statements.say(day(1), "meat")
    start = advance(regimes(RATES).start, 1, ANOTHER)
    plain = advance(start, 1, Observation(supports=True))
    strong = advance(start, 1, Observation(supports=True, strong=True))
    assert contender(choices.replay(), "meat").posterior == pytest.approx(plain.posterior)
    assert contender(statements.replay(), "meat").posterior == pytest.approx(strong.posterior)
    odds = [state.posterior / (1 - state.posterior) for state in (plain, strong)]
    assert odds[1] / odds[0] == pytest.approx(5)


def test_rule_15_guesses_neither_speak_nor_count_but_lean() -> None:
    talk = vegetarian()
    for number in range(1, 31):
        talk.say(day(number), "meat", Basis.INFERRED)
    state = talk.replay()
    guessed = contender(state, "meat")
    assert guessed.days == 0
    assert guessed.posterior > 0.5
    assert held(state, day(32)) == {"vegetarian"}
    assert not state.overrides
    plain = meat_on([1, 2, 3]).replay()
    weak = vegetarian()
    for number in (1, 2, 3):
        weak.say(day(number), "meat", Basis.INFERRED)
    assert contender(weak.replay(), "meat").posterior < 0.5 < contender(plain, "meat").posterior


def test_rule_16_contender_starts_from_the_base_state() -> None:
    """Ten days that spoke for the old value make a change less likely than silence would."""
    heard, silent = vegetarian(), vegetarian()
    for number in range(1, 11):
        heard.choose(day(number), "vegetarian")
    for talk in (heard, silent):
        talk.choose(day(11), "meat")
    assert contender(heard.replay(), "meat").posterior < contender(silent.replay(), "meat").posterior


def test_rule_16_first_step_counts_the_days_since_the_fact_opened() -> None:
    early = contender(meat_on([1]).replay(), "meat")
    late = contender(meat_on([60]).replay(), "meat")
    state = advance(regimes(RATES).start, 1, ANOTHER)
    expected = advance(state, 60, Observation(supports=True))
    assert late.posterior == pytest.approx(expected.posterior)
    assert early.posterior < late.posterior


def test_rule_17_session_supports_its_last_value() -> None:
    talk = vegetarian()
    talk.choose(day(1, 9), "meat", "s")
    talk.choose(day(1, 9.2), "fish", "s")
    state = talk.replay()
    assert contender(state, "meat").days == 0
    assert contender(state, "fish").days == 1


def test_rule_17_session_over_midnight_counts_once_on_its_first_day() -> None:
    talk = vegetarian()
    for minutes in range(0, 120, 20):
        talk.choose(day(1, 23) + timedelta(minutes=minutes), "meat", "late")
    assert contender(talk.replay(), "meat").days == 1


def test_rule_17_two_sessions_of_a_day_are_one_day() -> None:
    talk = vegetarian()
    talk.choose(day(1, 9), "meat")
    talk.choose(day(1, 15), "meat")
    assert contender(talk.replay(), "meat").days == 1


def test_rule_17_day_with_both_values_counts_for_both_and_the_filter_sees_the_last() -> None:
    talk = vegetarian()
    talk.choose(day(1, 9), "meat")
    talk.choose(day(1, 15), "fish")
    state = talk.replay()
    assert (contender(state, "meat").days, contender(state, "fish").days) == (1, 1)
    assert contender(state, "meat").posterior < contender(state, "fish").posterior


def test_rule_17_sessions_are_ordered_by_their_latest_claim() -> None:
    talk = vegetarian()
    talk.choose(day(1, 9), "meat", "long")
    talk.choose(day(1, 9.2), "fish", "short")
    talk.choose(day(1, 9.4), "meat", "long")
    state = talk.replay()
    assert contender(state, "meat").posterior > contender(state, "fish").posterior


def test_rule_17_day_is_cued_only_if_all_its_supports_are() -> None:
    cued, mixed = vegetarian(), vegetarian()
    for talk in (cued, mixed):
        talk.choose(day(1, 9), "meat", cue=Cue.TEMPORARY)
    mixed.choose(day(1, 18), "meat")
    assert contender(cued.replay(), "meat").days == 0
    assert contender(mixed.replay(), "meat").days == 1


def test_rule_17_flight_east_makes_one_evening_one_day() -> None:
    flown = vegetarian()
    flown.choose(day(1, 18), "meat", day_end=midnight(day(1, 18), "Europe/Amsterdam"))
    flown.choose(day(1, 19), "meat", day_end=midnight(day(1, 19), "Asia/Shanghai"))
    assert contender(flown.replay(), "meat").days == 1


def test_rule_18_no_promotion_while_an_override_with_a_stated_end_runs() -> None:
    talk = meat_on([1, 2, 3])
    talk.choose(day(4), "meat", "four")
    talk.choose(day(4, 10), "meat", "end", cue=Cue.TEMPORARY, valid_to=day(20))
    assert promotion(talk.replay()) is None
    assert promotion(meat_on([1, 2, 3, 4]).replay()) is not None


def test_rule_19_contender_at_one_half_gives_a_hint() -> None:
    posterior = {}
    for number in (1, 2, 3):
        talk = meat_on(range(1, number + 1))
        state = talk.replay()
        item = contender(state, "meat")
        posterior[number] = item.posterior
        expected = {"contender/meat"} if item.posterior >= 0.5 and promotion(state) is None else set()
        assert hints(state, day(number + 1, 1)) == expected
    assert posterior[2] < 0.5 < posterior[3] < 0.85, "the test meets both sides"


def test_rule_19_posteriors_are_not_normalised_over_contenders() -> None:
    talk = vegetarian()
    for number in range(1, 4):
        talk.choose(day(number, 9), "fish", cue=Cue.TEMPORARY)
        talk.choose(day(number, 12), "meat")
    alone = contender(meat_on([1, 2, 3]).replay(), "meat").posterior
    assert contender(talk.replay(), "meat").posterior == pytest.approx(alone)


def test_rule_19_fact_unsupported_on_ten_speaking_days_gives_a_hint() -> None:
    talk = vegetarian()
    for number in range(1, 11):
        talk.choose(day(number), "meat" if number % 2 else "fish", cue=Cue.TEMPORARY)
    state = talk.replay()
    assert "unsupported/vegetarian" in hints(state, day(11, 1))
    assert "unsupported/vegetarian" not in hints(state, day(10, 1))
    talk.choose(day(5, 20), "vegetarian")
    assert "unsupported/vegetarian" not in hints(talk.replay(), day(11, 1))


def test_rule_20_promotion_is_undone_when_the_old_value_returns() -> None:
    talk = meat_on(range(1, 5))
    assert held(talk.replay(), day(6)) == {"meat"}
    for number in range(6, 12):
        talk.choose(day(number), "vegetarian")
    state = talk.replay()
    (undone,) = [item for item in state.verdicts if item.rule == "undone"]
    assert undone.kind == "retracted"
    assert held(state, undone.at) == {"vegetarian"}
    assert held(state, undone.at - timedelta(hours=1)) == {"meat"}
    assert (undone.trace["days"], undone.trace["needed_days"]) == (3, 3)


def test_rule_20_two_days_for_the_old_value_undo_nothing() -> None:
    talk = meat_on(range(1, 5))
    for number in (6, 7):
        talk.choose(day(number), "vegetarian")
    assert held(talk.replay(), day(9)) == {"meat"}


def test_rule_20_after_sixty_days_only_promotion_brings_it_back() -> None:
    talk = meat_on(range(1, 5))
    for number in range(70, 80):
        talk.choose(day(number), "vegetarian")
    state = talk.replay()
    assert held(state, day(82)) == {"vegetarian"}
    assert "retracted/undone" not in rules(state)


def test_rule_20_declared_value_is_not_undone() -> None:
    talk = meat_on(range(1, 5))
    talk.instruct(day(5), "meat")
    for number in range(6, 9):
        talk.choose(day(number), "vegetarian")
    assert "retracted/undone" not in rules(talk.replay())


@pytest.mark.parametrize("days", [range(9), [0, 3, 6, 9, 12, 15, 20, 25, 29]])
def test_rule_21_nine_uses_on_nine_days_fill_an_empty_slot(days: Iterable[float]) -> None:
    talk = Talk(LIKES)
    for number in days:
        talk.choose(day(number), "americano")
    verdict = promotion(talk.replay())
    assert verdict is not None
    assert (verdict.trace["days"], verdict.trace["needed_days"]) == (9, 9)


@pytest.mark.parametrize(
    "times",
    [
        [day(0, 9 + number) for number in range(9)],
        [day(number * 10) for number in range(10)],
        [day(number) for number in range(8)],
    ],
)
def test_rule_21_nine_in_a_day_or_over_ninety_days_do_not(times: list[object]) -> None:
    talk = Talk(LIKES)
    for at in times:
        talk.choose(at, "americano")  # type: ignore[arg-type]
    assert promotion(talk.replay()) is None


def test_promotion_takes_effect_at_the_local_midnight_that_ends_the_deciding_day() -> None:
    talk = Talk(policy=EAGER, zone="Asia/Shanghai")
    talk.say(day(0), "vegetarian")
    for number in range(1, 5):
        talk.choose(day(number, 12), "meat")
    verdict = promotion(talk.replay())
    assert verdict is not None
    assert verdict.at == day(4, 16), "midnight in Shanghai"
    assert verdict.trace["posterior"] >= verdict.trace["threshold"]  # type: ignore[operator]


def test_promotion_is_scheduled_before_midnight_comes() -> None:
    talk = meat_on(range(1, 5))
    now = talk.replay(as_of=day(4, 12))
    assert held(now, day(5)) == {"vegetarian"}
    assert now.next_change_at == day(5, 0)
    horizon = talk.replay()
    assert held(horizon, day(4, 23)) == {"vegetarian"}
    assert held(horizon, day(5, 0)) == {"meat"}


def test_cued_supports_alone_never_promote() -> None:
    talk = vegetarian()
    for number in range(1, 30):
        talk.choose(day(number), "meat", cue=Cue.TEMPORARY)
    assert held(talk.replay(), day(31)) == {"vegetarian"}


def test_the_last_session_must_support_the_contender() -> None:
    talk = meat_on(range(1, 4))
    talk.choose(day(4, 9), "meat")
    talk.choose(day(4, 20), "vegetarian")
    assert promotion(talk.replay()) is None


def test_require_consecutive_asks_it_of_the_last_sessions() -> None:
    policy = Policy(promotion=replace(RATES, require_consecutive=True))
    for wanted in (True, False):
        talk = Talk(policy=policy if wanted else EAGER)
        talk.say(day(0), "vegetarian")
        for number in (1, 2, 3, 4):
            talk.choose(day(number), "meat")
            if number == 3:
                talk.choose(day(number, 5), "vegetarian")
        if wanted:
            assert promotion(talk.replay()) is None
        else:
            assert promotion(talk.replay()) is not None


def test_silent_contender_is_dropped_after_thirty_days_and_starts_anew() -> None:
    talk = meat_on([1, 2, 3, 33, 34])
    state = talk.replay()
    assert promotion(state) is None
    assert contender(state, "meat").days == 2
    dropped = [item for item in state.verdicts if item.rule == "contender_silent"]
    assert [item.at for item in dropped] == [day(33), day(64)]


def test_policy_of_an_attribute_decides_for_it_alone() -> None:
    policy = replace(EAGER, attributes={"diet": {"min_days": 10}})
    talk = Talk(policy=policy)
    talk.say(day(0), "vegetarian")
    for number in range(1, 8):
        talk.choose(day(number), "meat")
    assert promotion(talk.replay()) is None


def test_rule_21_habit_is_asked_about_only_when_it_is_near() -> None:
    """In a set nothing speaks against a value, so the posterior alone would ask about everything used now and then."""
    asked = {}
    for uses in (6, 7, 8):
        talk = Talk(LIKES)
        for number in range(uses):
            talk.choose(day(3 * number), "americano")
        state = talk.replay()
        assert contender(state, "americano").posterior >= 0.4
        asked[uses] = hints(state, day(3 * uses, 1))
    assert asked == {6: set(), 7: {"contender/americano"}, 8: {"contender/americano"}}


def test_rule_21_uses_marked_as_passing_make_no_habit() -> None:
    """Nine unmarked uses on nine days, but as many marked ones between them: two phases, of a user who marks half."""
    talk = Talk(LIKES)
    for number in range(18):
        talk.choose(day(1.5 * number), "americano", cue=Cue.TEMPORARY if number % 2 else Cue.NONE)
    state = talk.replay()
    assert contender(state, "americano").days == 9
    assert promotion(state) is None
    assert not state.hints


def test_rule_21_seldom_uses_are_never_asked_about() -> None:
    talk = Talk(LIKES)
    for number in range(10):
        talk.choose(day(8 * number), "americano")
    state = talk.replay()
    assert contender(state, "americano").posterior >= 0.5
    assert not state.hints


def test_rule_21_empty_slot_has_rates_of_its_own() -> None:
    empty, filled = Talk(), Talk()
    filled.say(day(-1), "vegetarian")
    for talk in (empty, filled):
        for number in range(9):
            talk.choose(day(number), "meat")
    assert promotion(empty.replay()) is not None
    assert contender(filled.replay(), "meat").posterior < 0.5


def test_policy_of_an_attribute_reaches_its_filter() -> None:
    slow = replace(EAGER, attributes={"diet": {"hazard": 1 / 100000}})
    posteriors = []
    for policy in (EAGER, slow):
        talk = Talk(policy=policy)
        talk.say(day(0), "vegetarian")
        for number in (1, 2):
            talk.choose(day(number), "meat")
        posteriors.append(contender(talk.replay(), "meat").posterior)
    assert posteriors[1] < posteriors[0] / 10


def test_rule_19_each_contender_has_a_filter_of_its_own() -> None:
    """The days of one are days for another value to the other, whichever came first."""
    talk = vegetarian()
    for number in range(1, 7):
        talk.choose(day(number), "meat" if number % 2 else "fish")
    state = talk.replay()
    start = advance(regimes(RATES).start, 1, ANOTHER)
    for value, first in (("meat", 1), ("fish", 0)):
        expected = start
        for number in range(1, 7):
            expected = advance(expected, 1, Observation(supports=number % 2 == first))
        assert contender(state, value).posterior == pytest.approx(expected.posterior)


def test_rule_9_no_rules_out_the_change_and_keeps_what_was_learned() -> None:
    """Who strays often and says that it is not for good is still known to stray often."""
    talk = Talk()
    talk.say(day(0), "vegetarian")
    filtered = advance(regimes(Policy().promotion).start, 1, ANOTHER)
    for number in range(1, 16):
        value = "meat" if number % 3 == 0 else "vegetarian"
        talk.choose(day(number), value)
        filtered = advance(filtered, 1, Observation(supports=value == "meat"))
    talk.answer(day(16, 8), "meat", no=True, cue=Cue.PERMANENT)
    filtered = ruled_out(filtered)
    assert filtered.posterior == 0
    talk.choose(day(16), "vegetarian")
    for number in (17, 18):
        talk.choose(day(number), "meat")
    for seen in (ANOTHER, Observation(supports=True), Observation(supports=True)):
        filtered = advance(filtered, 1, seen)
    item = contender(talk.replay(), "meat")
    assert item.posterior == pytest.approx(filtered.posterior)
    assert item.days == 2


def test_rule_9_no_to_one_contender_leaves_the_others_alone() -> None:
    posteriors = []
    for denied in (False, True):
        talk = vegetarian()
        for number in range(1, 7):
            talk.choose(day(number), "meat" if number % 2 else "fish")
        if denied:
            talk.answer(day(6, 20), "fish", no=True, cue=Cue.PERMANENT)
            assert [row.value for row in talk.replay(as_of=day(6, 21)).contenders] == ["meat"]
        talk.choose(day(8), "meat")
        posteriors.append(contender(talk.replay(), "meat").posterior)
    assert posteriors[1] >= posteriors[0], "day 6 no longer speaks against meat"


def test_evidence_voided_by_a_declaration_leaves_no_trace_in_the_filter() -> None:
    told, fresh = meat_on(range(1, 4)), Talk(policy=EAGER)
    told.instruct(day(5), "vegetarian")
    fresh.instruct(day(5), "vegetarian")
    for talk in (told, fresh):
        talk.choose(day(6), "meat")
    assert contender(told.replay(), "meat").posterior == pytest.approx(contender(fresh.replay(), "meat").posterior)


def test_a_day_costs_a_contender_one_step_of_the_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking at a contender while its day runs, and ending the day as it looked, is one step."""
    steps = 0

    def counted(*args: Any) -> Filter:
        nonlocal steps
        steps += 1
        return advance(*args)

    monkeypatch.setattr(evidence, "advance", counted)
    talk = Talk()
    talk.say(day(0), "vegetarian")
    for number in range(1, 201):
        talk.choose(day(number), "vegetarian" if number % 4 else "meat")
    talk.replay()
    assert 150 < steps < 210


def test_rule_16_base_state_is_carried_into_the_first_observed_day() -> None:
    talk = vegetarian()
    for number in range(1, 11):
        talk.choose(day(number), "vegetarian")
    for number in (11, 12):
        talk.choose(day(number), "meat")
    state = regimes(RATES).start
    for _ in range(11):
        state = advance(state, 1, ANOTHER)
    for _ in range(2):
        state = advance(state, 1, Observation(supports=True))
    assert contender(talk.replay(), "meat").posterior == pytest.approx(state.posterior)


def test_rule_17_day_that_a_flight_prolongs_is_observed_anew() -> None:
    flown = vegetarian()
    flown.choose(day(1, 18), "meat", day_end=day(1, 22))
    alone = contender(flown.replay(), "meat").posterior
    flown.choose(day(1, 23), "fish", day_end=day(2, 7))
    assert contender(flown.replay(), "meat").posterior < alone


def test_rule_20_pinned_promotion_is_not_undone() -> None:
    talk = meat_on(range(1, 5))
    talk.command(day(5), CommandKind.PIN)
    for number in range(6, 12):
        talk.choose(day(number), "vegetarian")
    assert held(talk.replay(), day(14)) == {"meat"}


def test_rule_15_guess_that_was_rejected_leaves_the_day() -> None:
    def other(rejected: bool) -> float:
        talk = Talk()
        talk.say(day(0), "vegetarian")
        talk.choose(day(1), "fish")
        if rejected:
            talk.say(day(3, 9), "meat", Basis.INFERRED)
            talk.command(day(3, 10), CommandKind.REJECT, "meat")
        (row,) = talk.replay().contenders
        return row.posterior

    assert other(rejected=True) == other(rejected=False)


def test_rule_16_summer_time_shortens_no_gap() -> None:
    def after(zone: str) -> float:
        talk = Talk(zone=zone)
        talk.choose(day(26, 12), "meat")  # 28 March; the clocks of Berlin change on the 29th
        talk.choose(day(28, 12), "meat")
        return talk.replay().contenders[0].posterior

    assert after("Europe/Berlin") == after("UTC")


def test_rule_17_choice_that_is_over_is_passing_where_it_says_so() -> None:
    talk = vegetarian()
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(0.5))
    (row,) = talk.replay().contenders
    assert row.days == 0
