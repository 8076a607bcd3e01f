"""The demo on the real stack: what it shows is what the pure fold decides from the same evidence."""

import os
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len

from lithify.domain.claims import USER
from lithify.domain.slots.state import SlotState, VerdictKind
from lithify.events import SlotChanged
from ops.demo.check import check
from ops.demo.perform import Performance, perform
from ops.demo.play import DemoError
from ops.demo.read import Diary
from ops.demo.script import Script, load, session_id
from ops.local.stack import Stack
from pipelines.envelope import PlainCodec, open_event
from pipelines.identity import subject_key
from pipelines.settings import load_settings
from pipelines.topics import Topic, topic_name
from tests.support.brokers import EMBEDDED_ALONE
from tests.support.memory import MemoryProbe
from tests.support.processes import PATIENCE, eventually, processes_of
from tests.support.topics import messages

STOPPED = 130


@pytest.fixture(scope="module")
def done(stack: Stack, environment: dict[str, str]) -> Performance:
    return perform(load(), stack.settings_env, environment)


@pytest.fixture(scope="module")
def diary(done: Performance) -> Diary:
    return done.diary


@pytest.fixture(scope="module")
def states(done: Performance, stack: Stack, probe: MemoryProbe) -> dict[tuple[str, str], SlotState]:
    """The demo's slots, folded anew from the stored evidence, by (subject, attribute)."""
    user = _subject(stack, done.diary.script)
    states = probe.states().items()
    return {(key.subject, key.attribute): state for key, state in states if key.subject_key == user}


def test_every_promise_holds(diary: Diary) -> None:
    assert check(diary) >= 10


def test_a_broken_promise_is_noticed(diary: Diary) -> None:
    slots = dict(diary.slots)
    slots[USER, "diet"] = msgspec.structs.replace(slots[USER, "diet"], facts=())
    broken = Diary(diary.script, diary.said, diary.by_time, diary.looked, slots)
    with pytest.raises(DemoError, match="the diet changes once"):
        check(broken)


@pytest.mark.usefixtures("done")
def test_what_is_stored_is_what_the_pure_fold_decides(probe: MemoryProbe) -> None:
    with probe.at_once() as now:
        stored, folded = now.folded(), now.refolded()
    assert stored == folded
    assert len(stored["facts"]) >= 9


def test_what_is_read_back_is_what_is_stored(diary: Diary, states: dict[tuple[str, str], SlotState]) -> None:
    assert diary.slots.keys() == states.keys()
    for key, slot in diary.slots.items():
        state = states[key]
        assert {fact.id: (fact.valid_from, fact.valid_to) for fact in slot.facts} == {
            fact.id: (fact.valid_from, fact.valid_to) for fact in state.facts
        }
        assert {row.id: row.ends_at for row in slot.overrides} == {row.id: row.ends_at for row in state.overrides}
        assert {row.id for row in slot.verdicts} == {verdict.id for verdict in state.verdicts}


def test_facts_and_intervals(diary: Diary) -> None:
    def held(attribute: str) -> list[tuple[str, str, datetime, datetime | None]]:
        facts = diary.slots[USER, attribute].facts
        return [(fact.value, str(fact.polarity), fact.valid_from, fact.valid_to) for fact in facts]

    at = diary.script.instant
    vegetarian, meat = held("diet")
    assert vegetarian[:3] == ("vegetarian", "positive", at(1, "08:10"))
    assert meat[:2] == ("meat", "positive")
    assert vegetarian[3] == meat[2]
    assert meat[3] is None
    assert held("employer") == [
        ("globex", "positive", at(2, "08:16"), at(23, "00:00")),
        ("vandelay", "positive", at(23, "00:00"), None),
    ]
    coffee = [row for row in held("consumes") if row[0] == "coffee"]
    assert [row[1] for row in coffee] == ["positive", "negative"]
    assert coffee[0][3] == coffee[1][2] == at(40, "08:30")


def test_overrides_end_when_they_were_said_to(diary: Diary) -> None:
    at = diary.script.instant
    everywhere = [row for row in diary.slots[USER, "diet"].overrides if row.session_id is None]
    assert [(row.value, row.started_at, row.ends_at, row.stated_end) for row in everywhere] == [
        ("meat", at(5, "17:40"), at(6, "04:00"), True),
        ("pescatarian", at(15, "19:30", "Asia/Tokyo"), at(21, "00:00", "Asia/Tokyo"), True),
    ]


def test_the_promotion_is_at_the_first_midnight_at_which_its_gates_hold(
    diary: Diary, states: dict[tuple[str, str], SlotState]
) -> None:
    """The day comes from the traces of the uses themselves, and from the fold; neither is written down anywhere."""
    verdicts = [verdict for verdict in states[USER, "diet"].verdicts if verdict.value == "meat"]
    promoted = next(verdict for verdict in verdicts if verdict.kind is VerdictKind.PROMOTED)
    uses = [verdict for verdict in verdicts if verdict.kind is VerdictKind.OVERRIDDEN]
    passed = [use for use in uses if _gates_hold(use.trace)]
    script = diary.script
    assert promoted.at == script.instant(script.day_of(passed[0].at) + 1, "00:00")
    assert len(passed) == 1, "the next meal must find the change promoted"
    read = [item.verdict.at for item in diary.by_time if item.verdict.kind == VerdictKind.PROMOTED]
    assert read == [promoted.at]


def _gates_hold(trace: dict[str, float | int | str | bool | None]) -> bool:
    days, needed, posterior, threshold = (trace[name] for name in ("days", "needed_days", "posterior", "threshold"))
    assert isinstance(days, int)
    assert isinstance(needed, int)
    assert isinstance(posterior, float)
    assert isinstance(threshold, float)
    return days >= needed and posterior >= threshold


def test_nothing_of_a_joke_a_supposition_or_a_friend_is_the_users(diary: Diary, probe: MemoryProbe) -> None:
    silent = [session_id(session.day) for session in diary.script.sessions if not session.about_user]
    rows = probe.rows("select subject, session_id from claims")
    stored = {(row["session_id"], row["subject"]) for row in rows if row["session_id"] in silent}
    assert len(silent) == 4
    assert {subject for _, subject in stored} == {"mei", "小王"}


def test_the_night_publishes_the_promotion(stack: Stack, environment: dict[str, str], done: Performance) -> None:
    """For a user who says nothing after the deciding day, only the nightly run can."""
    promoted = next(item.verdict.at for item in done.diary.by_time if item.verdict.kind == VerdictKind.PROMOTED)
    script = _until(done.diary.script, done.diary.script.day_of(promoted))
    assert script.ends_at == promoted
    perform(script, stack.settings_env, environment)
    states = [body for body in _published(stack, _subject(stack, script)) if body.attribute == "diet"]
    held = [(body.as_of, "meat" in {fact["value"] for fact in body.facts}) for body in states]
    assert held[-1] == (promoted, True)
    assert not any(known for at, known in held if at < promoted)


def _subject(stack: Stack, script: Script) -> str:
    return subject_key(load_settings(stack.settings_env).pseudonym_key, "default", script.user)


def _until(script: Script, day: int) -> Script:
    """The same for another user, up to the end of a day."""
    sessions = tuple(session for session in script.sessions if session.day <= day)
    return msgspec.structs.replace(script, user="silent", days=day, sessions=sessions, looks=())


def _published(stack: Stack, subject: str) -> list[SlotChanged]:
    """The states of one subject on `lithify-facts`, in order of version."""
    bodies = []
    settings = load_settings(stack.settings_env)
    for value in messages(settings.kafka_bootstrap, topic_name(settings, Topic.FACTS)):
        event = open_event(value, PlainCodec())
        if event.envelope.subject_key == subject and isinstance(event.body, SlotChanged):
            bodies.append(event.body)
    return sorted(bodies, key=lambda body: body.version)


@EMBEDDED_ALONE
def test_the_command_runs_in_a_pipe_and_leaves_nothing(tmp_path: Path) -> None:
    run = subprocess.run(
        _command(), env=_environment(tmp_path), capture_output=True, text=True, timeout=600, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "\x1b" not in run.stdout
    assert max(cell_len(line) for line in run.stdout.splitlines()) <= 80
    assert "promises checked, all kept" in run.stdout
    assert list(tmp_path.iterdir()) == []


@EMBEDDED_ALONE
@pytest.mark.parametrize("after", ["Starting", "Replaying"])
def test_ctrl_c_stops_cleanly(tmp_path: Path, after: str) -> None:
    for _ in range(3):  # a run that was through before the signal came says nothing
        code, errors = _interrupted(tmp_path, after)
        assert list(tmp_path.iterdir()) == []
        if code != 0:
            break
    assert (code, errors) == (STOPPED, "lithify demo: stopped\n")


def _interrupted(tmp_path: Path, after: str) -> tuple[int, str]:
    """Exit state and complaints of a demo that was interrupted once it had printed a line that starts so."""
    process = subprocess.Popen(
        _command(), env=_environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    while not process.stdout.readline().startswith(after):
        assert process.poll() is None
    folders = list(tmp_path.glob("lithify-demo-*"))
    assert eventually(lambda: process.poll() is not None or all((folder / "lock").exists() for folder in folders))
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert [processes_of(folder) for folder in folders if processes_of(folder)] == []
    return process.returncode, errors


def _command() -> list[str]:
    return [sys.executable, "-u", "-m", "ops.demo"]


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(folder)}
