"""The script as data: instants, days, ids."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from ops.demo.__main__ import main
from ops.demo.script import DEFAULT, Script, load, session_end, session_turns


@pytest.fixture(scope="module")
def script() -> Script:
    return load()


def test_local_times_become_instants_where_the_user_is(script: Script) -> None:
    assert script.instant(1, "08:10") == datetime(2025, 3, 3, 0, 10, tzinfo=UTC)
    assert script.instant(15, "19:30", "Asia/Tokyo") == datetime(2025, 3, 17, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(("day", "at", "counted"), [(1, "08:10", 1), (5, "23:59", 5), (6, "00:00", 5), (6, "00:01", 6)])
def test_a_midnight_counts_to_the_day_it_ends(script: Script, day: int, at: str, counted: int) -> None:
    assert script.day_of(script.instant(day, at)) == counted


def test_everything_is_said_within_the_days_and_in_order(script: Script) -> None:
    turns = [turn for session in script.sessions for turn in session_turns(script, session)]
    times = [turn.occurred_at for turn in turns]
    assert times == sorted(times)
    assert times[0] >= script.instant(1, "00:00")
    assert times[-1] < script.ends_at == script.instant(script.days, "00:00") + timedelta(days=1)
    assert script.days == 45


def test_ids_are_unique_and_the_same_each_time(script: Script) -> None:
    def ids(of: Script) -> list[str]:
        turns = [turn.id for session in of.sessions for turn in session_turns(of, session)]
        return turns + [session_end(of, session).id for session in of.sessions]

    assert len(set(ids(script))) == len(ids(script))
    assert ids(load()) == ids(script)


def test_looks_name_sessions_that_exist(script: Script) -> None:
    days = {session.day for session in script.sessions}
    assert {look.session for look in script.looks if look.session is not None} <= days


def test_the_user_speaks_english_and_chinese(script: Script) -> None:
    said = [text for session in script.sessions for role, text in session.turns if role == "user"]
    chinese = [text for text in said if any("\u4e00" <= letter <= "\u9fff" for letter in text)]
    assert len(said) / 3 < len(chinese) < 2 * len(said) / 3


def test_a_misspelt_field_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "script.toml"
    path.write_text(DEFAULT.read_text().replace("\nabout_user", "\nabout_usr", 1))
    with pytest.raises(msgspec.ValidationError, match="about_usr"):
        load(path)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    occupied = tmp_path / "file"
    occupied.touch()
    assert main(["--data-dir", str(occupied / "data")]) == 1
    assert "lithify demo: the data folder" in capsys.readouterr().err
