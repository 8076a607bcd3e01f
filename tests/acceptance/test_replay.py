"""A whole file of dialogues through Kafka and the four workers: nothing lost, nothing twice, and the same again."""

import pytest

from benchmarks.locomo import SYNTHETIC, load_dialogues, session_time
from benchmarks.replay import Replayed, replay
from benchmarks.results import WORKERS
from lithify.events import Turn
from ops.local.stack import PARTS, Stack
from pipelines.language.model import Role, TurnText
from pipelines.language.redaction import PatternRedactor
from pipelines.language.rules import RuleExtractor
from pipelines.settings import Settings, load_settings
from tests.support.brokers import ON_KAFKA
from tests.support.dialogues import dialogues, is_marker, markers
from tests.support.memory import MemoryProbe
from tests.support.processes import eventually

RUNNING = [name for name in PARTS if not (ON_KAFKA and name == "broker")]


@pytest.fixture(scope="module")
def environment(environment: dict[str, str]) -> dict[str, str]:
    """Sessions do not end by themselves while states are compared: that alone folds their slots anew."""
    return environment | {"LITHIFY_SESSION_QUIET_SECONDS": "3600"}


@pytest.fixture(scope="module")
def settings(stack: Stack) -> Settings:
    return load_settings(stack.settings_env)


@pytest.fixture(scope="module")
def turns() -> list[Turn]:
    """The file, and our own dialogues beside it, which claim more."""
    real, ours = dialogues(), load_dialogues(SYNTHETIC)
    known = {dialogue.sample_id for dialogue in real}
    return [turn for item in [*real, *(own for own in ours if own.sample_id not in known)] for turn in item.turns()]


@pytest.fixture(scope="module")
def first(stack: Stack, settings: Settings, turns: list[Turn]) -> Replayed:
    return replay(turns, settings, pids={name: stack.pid(name) for name in RUNNING})


def test_the_report_counts_everything(first: Replayed, turns: list[Turn]) -> None:
    assert first.turns == len(turns) >= 60
    assert dict(first.inbox) == dict.fromkeys(WORKERS, len(turns))
    assert first.dead_letters == 0
    assert first.claims >= first.facts > 10
    assert first.rate > 1
    assert 0 < first.lag(0.5) <= first.lag(0.99)
    assert all(size > 10_000_000 for size in first.memory.values())
    assert first.memory.keys() == set(RUNNING)


@pytest.mark.usefixtures("first")
def test_each_worker_applied_every_turn_once(probe: MemoryProbe, turns: list[Turn]) -> None:
    ids = sorted(turn.id for turn in turns)
    assert len(set(ids)) == len(ids)
    assert _applied(probe) == dict.fromkeys(WORKERS, ids)
    assert all(turn.decided and turn.reflected for turn in probe.turns() if turn.turn_id in set(ids))


def _applied(probe: MemoryProbe) -> dict[str, list[str]]:
    """Turns by the worker that applied them, markers left out, each as often as it was applied."""
    inbox = probe.inbox()
    return {worker: sorted(event for event in ids if not is_marker(event)) for worker, ids in inbox.items()}


@pytest.mark.usefixtures("first")
def test_the_claims_are_those_that_the_extractor_finds(probe: MemoryProbe, turns: list[Turn]) -> None:
    extractor, redactor = RuleExtractor.default(), PatternRedactor()
    expected = sorted(claim.id for turn in turns for claim in extractor.extract(_text(turn, redactor), None).claims)
    stored = sorted(str(row["claim_id"]) for row in probe.rows("select claim_id from claims"))
    assert stored == expected
    assert len(stored) > 20


def _text(turn: Turn, redactor: PatternRedactor) -> TurnText:
    return TurnText(
        turn_id=turn.id,
        session_id=turn.session_id,
        content=redactor.redact(turn.text()).text,
        occurred_at=turn.occurred_at,
        turn_index=turn.index,
        role=Role(turn.role),
        speaker=turn.speaker,
        timezone=turn.timezone or "UTC",
    )


@pytest.mark.usefixtures("first")
def test_the_stored_state_is_what_the_pure_fold_decides(probe: MemoryProbe) -> None:
    with probe.at_once() as now:
        assert now.folded() == now.refolded()


@pytest.mark.usefixtures("first")
def test_what_a_speaker_says_is_about_that_speaker(probe: MemoryProbe) -> None:
    rows = probe.rows("select subject, value from facts where sys_to is null and attribute = 'allergy'")
    held = {(row["subject"], row["value"]) for row in rows}
    assert {("sam", "peanut"), ("tomas", "walnut")} <= held
    assert not {row["subject"] for row in rows} & {"user"}


@pytest.mark.usefixtures("first")
def test_a_second_replay_changes_nothing(probe: MemoryProbe, settings: Settings, turns: list[Turn]) -> None:
    replay(markers(turns), settings)  # a marker ends the session before it, and that alone folds slots anew
    before, applied = _settled(probe), _applied(probe)
    marks = markers(turns)
    again = replay([*turns, *marks], settings)
    assert len(again.lags) == len(marks), "only the markers are new"
    assert _everything(probe) == before
    assert _applied(probe) == applied


def _settled(probe: MemoryProbe) -> object:
    """Everything, once the end of each session that another follows has gone all the way: it is published later."""
    followed = (
        "exists (select from sessions later where later.tenant = s.tenant and later.subject_key = s.subject_key"
        " and later.started_at > s.ended_at)"
    )
    unsent = f"select 1 from sessions s where {followed} and end_sent_for is distinct from last_turn_id"
    ends = "select count(*) as n from inbox where worker = '{}' and event_id not in (select turn_id from turns)"
    sent = "select count(*) as n from sessions where end_sent_for is not null"

    def quiet() -> bool:
        if probe.rows(f"{unsent} union all select 1 from outbox"):
            return False
        return all(probe.rows(ends.format(worker))[0]["n"] >= probe.rows(sent)[0]["n"] > 0 for worker in WORKERS)

    assert eventually(quiet), probe.rows("select session_id, last_turn_id, end_sent_for from sessions")
    return _everything(probe)


def _everything(probe: MemoryProbe) -> object:
    conflicts = probe.rows("select * from conflicts order by conflict_id, resolution")
    claims = probe.rows("select claim_id, current from claims order by claim_id")
    versions = probe.rows("select slot_id, version from slots order by slot_id")
    return probe.folded(), conflicts, claims, versions


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00+00:00"),
        ("12:09 am on 13 September, 2023", "2023-09-13T00:09:00+00:00"),
    ],
)
def test_session_times(text: str, iso: str) -> None:
    assert session_time(text).isoformat() == iso


def test_ids_follow_from_the_file(turns: list[Turn]) -> None:
    again = [turn for dialogue in load_dialogues(SYNTHETIC) for turn in dialogue.turns()]
    ours = [turn for turn in turns if turn.user_id in {"made-1", "made-2"}]
    assert ours == again
