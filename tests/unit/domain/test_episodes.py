"""Episodes quote what mattered, in order, and keep nothing of small talk."""

from datetime import UTC, datetime, timedelta

from lithify.domain.episodes import SUMMARY_CHARACTERS, EpisodeTurn, summarise

START = datetime(2026, 3, 1, tzinfo=UTC)
END = START + timedelta(hours=1)


def turns(*importances: int, text: str = "words") -> list[EpisodeTurn]:
    return [
        EpisodeTurn(f"t{index}", START + timedelta(minutes=index), "user", f"{text} {index}", importance)
        for index, importance in enumerate(importances)
    ]


def test_small_talk_leaves_nothing() -> None:
    assert summarise("k", "s", turns(1, 2, 3), END) is None
    assert summarise("k", "s", [], END) is None


def test_important_turns_are_quoted_in_the_order_they_were_said() -> None:
    episode = summarise("k", "s", turns(5, 1, 9), END)
    assert episode is not None
    assert episode.summary == "user: words 0\nuser: words 2"
    assert episode.turn_ids == ("t0", "t2")
    assert episode.importance == 9


def test_the_summary_is_bounded_and_prefers_what_matters_most() -> None:
    episode = summarise("k", "s", turns(*[5] * 9, 9, text="x" * 200), END)
    assert episode is not None
    assert len(episode.summary) <= SUMMARY_CHARACTERS
    assert "t9" in episode.turn_ids
    long = summarise("k", "s", turns(8, text="y" * 5000), END)
    assert long is not None
    assert len(long.summary) == SUMMARY_CHARACTERS


def test_the_same_turns_in_any_order_give_the_same_episode() -> None:
    items = turns(5, 6, 7)
    assert summarise("k", "s", items, END) == summarise("k", "s", items[::-1], END)
