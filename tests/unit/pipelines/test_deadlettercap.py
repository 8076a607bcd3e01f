"""The cap on dead letters: outsiders' mistakes stop nobody, ours stop the worker."""

import pytest

from pipelines.deadlettercap import DeadLetterCap, TooManyDeadLetters
from pipelines.deadletters import Refused
from pipelines.failures import Cause, Poison
from pipelines.runtime.worker import Record
from pipelines.settings import load_settings
from tests.unit.pipelines.test_settings import GOOD


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def refused(count: int, cause: Cause = Cause.UNEXPECTED, topic: str = "lithify-turns") -> list[Refused]:
    return [Refused(Record(topic, 0, number, None, b""), Poison(cause, "x")) for number in range(count)]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cap(clock: Clock) -> DeadLetterCap:
    changes = {"LITHIFY_DEAD_LETTER_CAP": "10", "LITHIFY_DEAD_LETTER_CAP_WINDOW_SECONDS": "60"}
    return DeadLetterCap(load_settings(GOOD | changes), clock)


def die(cap: DeadLetterCap, letters: list[Refused], of: int | None = None) -> None:
    cap.admit(letters)
    cap.died(letters)
    cap.processed(of or len(letters))


def test_up_to_the_cap_it_goes_on_and_then_stops(cap: DeadLetterCap) -> None:
    die(cap, refused(10))
    with pytest.raises(TooManyDeadLetters, match=r"11 of the last 11 events.*unexpected"):
        cap.admit(refused(1))


def test_a_small_share_stops_nobody(cap: DeadLetterCap) -> None:
    cap.processed(1000)
    for _ in range(4):
        die(cap, refused(10), of=100)


def test_what_was_long_ago_is_forgotten(cap: DeadLetterCap, clock: Clock) -> None:
    die(cap, refused(10))
    clock.now = 61.0
    die(cap, refused(10))


@pytest.mark.parametrize("cause", [Cause.NOT_JSON, Cause.INVALID_EVENT, Cause.VERSION_UNKNOWN, Cause.ID_REUSED])
def test_a_flood_of_outsiders_mistakes_stops_nobody(cap: DeadLetterCap, cause: Cause) -> None:
    die(cap, refused(1000, cause))


def test_on_our_own_topics_everything_counts(cap: DeadLetterCap) -> None:
    with pytest.raises(TooManyDeadLetters):
        cap.admit(refused(11, Cause.NOT_JSON, "lithify-scored"))


def test_a_letter_that_was_not_committed_is_not_counted(cap: DeadLetterCap) -> None:
    for _ in range(100):
        cap.admit(refused(1))


def test_zero_turns_it_off() -> None:
    cap = DeadLetterCap(load_settings(GOOD | {"LITHIFY_DEAD_LETTER_CAP": "0"}), Clock())
    die(cap, refused(1000))
