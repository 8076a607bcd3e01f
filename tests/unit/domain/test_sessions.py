"""Sessions are a pure fold of turn times: order never matters, and merging stretches equals folding turns."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.sessions import GAP, Session, fold_sessions, merge_stretches

START = datetime(2026, 3, 1, tzinfo=UTC)


def minutes(*values: int) -> list[datetime]:
    return [START + timedelta(minutes=value) for value in values]


def spans(sessions: list[Session]) -> list[tuple[int, int, int, bool]]:
    def minute(at: datetime) -> int:
        return int((at - START).total_seconds() // 60)

    return [(minute(s.started_at), minute(s.last_at), minute(s.ended_at), s.explicit) for s in sessions]


def test_a_silence_longer_than_the_gap_starts_a_session() -> None:
    assert spans(fold_sessions("s", minutes(0, 30, 61))) == [(0, 30, 60, False), (61, 61, 91, False)]


def test_a_late_turn_joins_two() -> None:
    assert spans(fold_sessions("s", minutes(0, 50, 25))) == [(0, 50, 80, False)]


def test_an_explicit_end_is_final() -> None:
    sessions = fold_sessions("s", minutes(0, 10, 15), minutes(12))
    assert spans(sessions) == [(0, 10, 12, True), (15, 15, 45, False)]


def test_an_end_in_a_long_silence_changes_nothing() -> None:
    assert spans(fold_sessions("s", minutes(0), minutes(45))) == [(0, 0, 30, False)]


def test_no_turns_no_sessions() -> None:
    assert fold_sessions("s", [], minutes(3)) == []


TIMES = st.lists(st.integers(0, 600), max_size=30)


@given(TIMES, st.lists(st.integers(0, 600), max_size=4), st.randoms())
def test_order_and_repetition_never_matter(turns: list[int], ends: list[int], random: object) -> None:
    shuffled = [*turns, *turns]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fold_sessions("s", minutes(*turns), minutes(*ends)) == fold_sessions("s", minutes(*shuffled), minutes(*ends))


@given(TIMES, TIMES)
def test_merging_stretches_equals_folding_all_turns(first: list[int], second: list[int]) -> None:
    known = [(session.started_at, session.last_at) for session in fold_sessions("s", minutes(*first))]
    merged = merge_stretches("s", [*known, *((at, at) for at in minutes(*second))])
    assert merged == fold_sessions("s", minutes(*first, *second))


@given(TIMES, st.lists(st.integers(0, 600), max_size=4))
def test_every_turn_is_in_exactly_one_session_and_none_outlives_the_gap(turns: list[int], ends: list[int]) -> None:
    sessions = fold_sessions("s", minutes(*turns), minutes(*ends))
    for at in minutes(*turns):
        assert sum(session.holds("s", at) for session in sessions) == 1
    assert all(session.last_at <= session.ended_at <= session.last_at + GAP for session in sessions)
