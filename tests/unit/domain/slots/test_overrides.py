"""Rules 10 to 12: how overrides stack, who sees them, and when they end."""

from datetime import timedelta

from lithify.domain.claims import Basis, Claim, Cue, Scope
from lithify.domain.slots.rows import FOREVER
from tests.support.slots import EAGER, Talk, day, read, rules


def vegetarian() -> Talk:
    talk = Talk(policy=EAGER)
    talk.say(day(0), "vegetarian")
    return talk


def test_rule_10_newest_lies_on_top_and_the_older_shows_again() -> None:
    talk = vegetarian()
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(9))
    talk.choose(day(2), "fish", cue=Cue.TEMPORARY, valid_to=day(4))
    state = talk.replay()
    assert read(state, day(3)) == ["fish"]
    assert read(state, day(4)) == ["meat"]


def test_rule_10_saying_the_lower_one_again_puts_it_on_top() -> None:
    talk = vegetarian()
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(9))
    talk.choose(day(2), "fish", cue=Cue.TEMPORARY, valid_to=day(8))
    talk.choose(day(3), "meat")
    state = talk.replay()
    assert read(state, day(2)) == ["fish"]
    assert read(state, day(3)) == ["meat"]
    assert read(state, day(8.9)) == ["meat"]
    assert read(state, day(9)) == ["vegetarian"]


def test_rule_10_same_value_again_moves_the_mention() -> None:
    talk = vegetarian()
    talk.choose(day(1, 9), "meat", "chat")
    talk.choose(day(1, 9.25), "meat", "chat")
    (override,) = talk.replay().overrides
    assert override.last_mention == day(1, 9.25)
    assert override.ends_at == day(1, 9.75)
    assert len(override.claim_ids) == 2


def test_rule_10_newly_stated_end_replaces_the_old_one() -> None:
    talk = vegetarian()
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_to=day(20))
    talk.choose(day(2), "meat", cue=Cue.TEMPORARY, valid_to=day(4))
    state = talk.replay()
    assert read(state, day(3)) == ["meat"]
    assert read(state, day(4)) == ["vegetarian"]


def test_rule_10_promotion_ends_overrides_of_its_value_only() -> None:
    talk = vegetarian()
    for number in range(1, 7):
        talk.choose(day(number, 23.9), "meat", f"s{number}")
    talk.choose(day(4, 20), "fish", cue=Cue.TEMPORARY, valid_to=day(9))
    state = talk.replay()
    promoted = next(item for item in state.verdicts if item.rule == "evidence")
    assert [item.value for item in state.running(promoted.at, "s5")] == ["fish"]
    (ended,) = [item for item in state.overrides if item.end_rule == "promoted"]
    assert (ended.value, ended.ends_at) == ("meat", promoted.at)


def test_rule_11_without_a_stated_end_it_is_seen_in_its_own_session() -> None:
    talk = vegetarian()
    talk.choose(day(1), "meat", "dinner")
    state = talk.replay()
    assert read(state, day(1), "dinner") == ["meat"]
    assert read(state, day(1), "elsewhere") == ["vegetarian"]
    assert read(state, day(1)) == ["vegetarian"]


def test_rule_11_it_ends_with_its_session_or_six_hours_after_its_last_mention() -> None:
    talk = vegetarian()
    talk.choose(day(1, 9), "meat", "long")
    for minutes in range(20, 600, 20):
        talk.chat(day(1, 9) + timedelta(minutes=minutes), "long")
    talk.choose(day(2, 9), "meat", "short")
    talk.end(day(2, 9.1), "short")
    long, short = talk.replay().overrides
    assert (long.ends_at, long.end_rule) == (day(1, 15), "idle")
    assert (short.ends_at, short.end_rule) == (day(2, 9.1), "session_end")


def test_rule_11_tonight_holds_in_every_session_until_its_stated_end() -> None:
    talk = vegetarian()
    talk.choose(day(1, 18), "meat", cue=Cue.TEMPORARY, valid_to=day(2, 4))
    state = talk.replay()
    assert read(state, day(2, 3.99)) == ["meat"]
    assert read(state, day(2, 4)) == ["vegetarian"]
    assert "lapsed/stated_end" in rules(state)


def next_session(talk: Talk) -> Claim:
    return talk.say(day(1, 9), "checklist", Basis.INSTRUCTION, "first", cue=Cue.TEMPORARY, scope=Scope.NEXT_SESSION)


def test_rule_12_next_session_is_the_first_that_starts_later() -> None:
    talk = vegetarian()
    next_session(talk)
    talk.chat(day(1, 9.2), "first")
    talk.chat(day(3), "second")
    talk.chat(day(4), "third")
    state = talk.replay()
    assert read(state, day(1, 9.3), "first") == ["vegetarian"]
    assert read(state, day(3), "second") == ["checklist"]
    assert read(state, day(4), "third") == ["vegetarian"]


def test_rule_12_next_session_stays_open_until_there_is_one() -> None:
    talk = vegetarian()
    next_session(talk)
    state = talk.replay()
    assert state.overrides[0].ends_at == FOREVER
    assert read(state, day(90), "whichever") == ["checklist"]
    assert not [item for item in rules(state) if item.startswith("lapsed/next")]


def test_rule_12_mention_in_the_next_session_does_not_move_it_on() -> None:
    talk = vegetarian()
    next_session(talk)
    talk.choose(day(3), "checklist", "second")
    talk.chat(day(4), "third")
    state = talk.replay()
    assert read(state, day(4), "third") == ["vegetarian"]


def test_rule_12_return_cue_ends_trip_overrides() -> None:
    talk = vegetarian()
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, scope=Scope.TRIP)
    talk.choose(day(2), "fish", cue=Cue.TEMPORARY, valid_to=day(20))
    talk.come_back(day(3))
    state = talk.replay()
    assert read(state, day(3)) == ["fish"]
    assert "lapsed/return" in rules(state)
    assert read(state, day(20)) == ["vegetarian"]


def test_rule_12_trip_without_a_date_lapses_seven_days_after_its_last_mention() -> None:
    talk = vegetarian()
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, scope=Scope.TRIP)
    talk.choose(day(4), "meat", cue=Cue.TEMPORARY)
    state = talk.replay()
    assert read(state, day(10.9)) == ["meat"]
    assert read(state, day(11)) == ["vegetarian"]


def test_override_of_a_later_time_begins_then() -> None:
    talk = vegetarian()
    talk.choose(day(1), "meat", cue=Cue.TEMPORARY, valid_from=day(5, 18), valid_to=day(6, 4))
    state = talk.replay()
    assert read(state, day(4)) == ["vegetarian"]
    assert read(state, day(5, 19)) == ["meat"]
    assert read(state, day(6, 4)) == ["vegetarian"]


def test_rule_11_each_session_has_its_own() -> None:
    talk = vegetarian()
    talk.choose(day(1, 9), "meat", "lunch")
    talk.choose(day(1, 9.1), "meat", "other")
    state = talk.replay()
    assert read(state, day(1, 9.2), "lunch") == ["meat"]
    assert read(state, day(1, 9.2), "other") == ["meat"]


def test_rule_12_return_ends_what_a_trip_prolonged() -> None:
    talk = vegetarian()
    talk.choose(day(1, 9), "meat", "s")
    talk.choose(day(1, 9.2), "meat", "s", cue=Cue.TEMPORARY, scope=Scope.TRIP)
    talk.choose(day(2), "fish", cue=Cue.TEMPORARY, valid_to=day(3))
    talk.choose(day(2, 12), "meat")
    state = talk.replay()
    assert read(state, day(4)) == ["meat"]
    talk.come_back(day(4))
    assert read(talk.replay(), day(4)) == ["vegetarian"]


def test_rule_12_next_session_said_again_in_it_means_the_one_after() -> None:
    talk = vegetarian()
    next_session(talk)
    again = {"cue": Cue.TEMPORARY, "scope": Scope.NEXT_SESSION}
    talk.say(day(3), "checklist", Basis.INSTRUCTION, "second", **again)
    talk.chat(day(4), "third")
    talk.chat(day(5), "fourth")
    state = talk.replay()
    assert read(state, day(3), "second") == ["checklist"]
    assert read(state, day(4), "third") == ["checklist"]
    assert read(state, day(5), "fourth") == ["vegetarian"]


def test_rule_12_next_session_said_twice_is_one_override() -> None:
    talk = vegetarian()
    for minute in (0, 5):
        talk.instruct(day(1, 9 + minute / 60), "fish", "a", cue=Cue.TEMPORARY, scope=Scope.NEXT_SESSION)
    talk.chat(day(2), "b")
    (row,) = talk.replay().overrides
    assert row.started_at == day(1, 9 + 35 / 60)


def test_rule_10_choosing_again_what_this_session_was_to_begin_with_stays_in_it() -> None:
    talk = vegetarian()
    talk.instruct(day(1), "fish", "a", cue=Cue.TEMPORARY, scope=Scope.NEXT_SESSION)
    talk.choose(day(2), "meat", "b")
    talk.choose(day(2, 9.1), "fish", "b")
    state = talk.replay()
    assert read(state, day(2, 9.1), "b") == ["fish"]
    assert read(state, day(3)) == ["vegetarian"]


def test_rule_09_no_takes_back_what_the_next_session_was_to_begin_with() -> None:
    talk = vegetarian()
    talk.instruct(day(1), "fish", "a", cue=Cue.TEMPORARY, scope=Scope.NEXT_SESSION)
    talk.answer(day(1, 9.1), "fish", "a", no=True)
    talk.chat(day(2), "b")
    assert read(talk.replay(), day(2), "b") == ["vegetarian"]
