"""What operators do about dead letters, on a running pipeline."""

import asyncio
import base64
import json
import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.fernet import Fernet

from lithify.events import Role, Turn, encode, user_key
from ops.local.stack import Stack
from pipelines.deadletters import DeadLetters, Refused
from pipelines.effects import Effects
from pipelines.envelope import PlainCodec
from pipelines.failures import Cause, Poison
from pipelines.runtime.worker import Record
from pipelines.settings import Settings, load_settings
from pipelines.store.unit_of_work import unit_of_work
from pipelines.topics import Topic, topic_name
from tests.support.invoking import invoke
from tests.support.memory import MemoryProbe
from tests.support.pipeline import open_pool
from tests.support.processes import eventually
from workers.operate.log import Publisher

BROKEN = b'{"type": "turn", "secret": "tok_FAKE_77aa88bb99cc00dd"'
NO_JSON = ("--cause", "not_json")
"""Of the letters here only the broken event, and what comes of its replay; tests run in any order."""


@pytest.fixture(scope="module")
def settings(stack: Stack) -> Settings:
    return load_settings(stack.settings_env)


def _list(env: Mapping[str, str], *options: str) -> list[dict[str, Any]]:
    done = invoke(env, "dlq", "list", "--json", *options)
    assert done.exit_code == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _turn(text: str) -> Turn:
    name = uuid.uuid4().hex
    return Turn(
        id=name,
        tenant="default",
        user_id=name,
        session_id=name,
        role=Role.USER,
        content=text,
        occurred_at=datetime.now(UTC),
    )


@pytest.fixture(scope="module")
def broken(stack: Stack, settings: Settings) -> dict[str, Any]:
    """A dead letter of the pipeline's own."""
    Publisher(settings).publish(topic_name(settings, Topic.TURNS), b"default/u", BROKEN)
    assert eventually(lambda: _list(stack.settings_env, *NO_JSON) != [])
    [letter] = _list(stack.settings_env, *NO_JSON)
    return letter


def _bury(settings: Settings, turns: list[Turn], first: int) -> list[str]:
    """Dead letters of turns that nothing is wrong with: what an outage, or an older release, leaves behind."""
    topic, publisher = topic_name(settings, Topic.TURNS), Publisher(settings)
    records = [
        Record(topic, 0, first + number, user_key(turn.tenant, turn.user_id), encode(turn))
        for number, turn in enumerate(turns)
    ]
    for message in asyncio.run(_letters(settings, records)).messages:
        publisher.publish(topic_name(settings, message.topic), message.key.encode(), message.value)
    return [f"{topic}/0/{first + number}" for number in range(len(turns))]


async def _letters(settings: Settings, records: list[Record]) -> Effects:
    letters, effects = DeadLetters(settings, "importance", PlainCodec()), Effects()
    pool = await open_pool(settings)
    async with unit_of_work(pool, settings, "importance", set()) as unit:
        refused = [Refused(record, Poison(Cause.VERSION_UNKNOWN, "version 2")) for record in records]
        await letters.add(unit, effects, refused)
    await pool.close()
    return effects


def test_the_list_tells_where_from_and_why_and_nothing_of_the_event(broken: dict[str, Any]) -> None:
    assert broken["cause"] == "not_json"
    assert broken["worker"] == "importance"
    assert broken["attempts"] >= 1
    assert broken["age_seconds"] >= 0
    assert "FAKE" not in json.dumps(broken)


def test_only_an_explicit_flag_shows_the_event(stack: Stack, broken: dict[str, Any]) -> None:
    shown = invoke(stack.settings_env, "dlq", "show", broken["place"])
    assert shown.exit_code == 0
    assert "FAKE" not in shown.stdout
    assert "readable     True" in shown.stdout
    original = invoke(stack.settings_env, "dlq", "show", broken["place"], "--original")
    assert original.stdout_bytes == BROKEN
    as_json = json.loads(invoke(stack.settings_env, "dlq", "show", broken["place"], "--original", "--json").stdout)
    assert base64.b64decode(as_json["original"]) == BROKEN
    assert base64.b64decode(as_json["original_key"]) == b"default/u"
    stack_of = invoke(stack.settings_env, "dlq", "show", broken["place"], "--stack")
    assert "Poison" in stack_of.stdout


def test_another_key_opens_nothing(stack: Stack, broken: dict[str, Any]) -> None:
    env = stack.settings_env | {"LITHIFY_DEAD_LETTER_KEY": Fernet.generate_key().decode()}
    before = _list(stack.settings_env, "--state", "all", *NO_JSON)
    shown = invoke(env, "dlq", "show", broken["place"], "--original")
    assert (shown.exit_code, shown.stdout) == (4, "")
    assert "LITHIFY_DEAD_LETTER_KEY does not open" in shown.stderr
    assert invoke(env, "dlq", "replay", broken["place"], "--again").exit_code == 1
    after = _list(stack.settings_env, "--state", "all", *NO_JSON)
    assert [letter["state"] for letter in after] == [letter["state"] for letter in before]


def test_what_is_still_poison_dies_anew_once(stack: Stack, broken: dict[str, Any]) -> None:
    dry = invoke(stack.settings_env, "dlq", "replay", "--all", "--cause", "not_json", "--dry-run")
    assert dry.stdout == f"would be replayed: {broken['place']}\n"
    done = invoke(stack.settings_env, "dlq", "replay", "--all", "--cause", "not_json", "--json")
    assert json.loads(done.stdout) == {"replayed": [broken["place"]], "dry_run": False}
    assert eventually(lambda: len(_list(stack.settings_env, *NO_JSON)) == 1)
    [anew] = _list(stack.settings_env, *NO_JSON)
    assert anew["place"] != broken["place"]
    [replayed] = _list(stack.settings_env, "--state", "replayed", *NO_JSON)
    assert replayed["place"] == broken["place"]
    again = invoke(stack.settings_env, "dlq", "replay", broken["place"])
    assert again.stdout == "nothing to do\n"
    assert "replayed; left as it is" in again.stderr
    time.sleep(1)
    assert len(_list(stack.settings_env, "--state", "all", *NO_JSON)) == 2


def test_a_dropped_letter_keeps_who_and_why(stack: Stack, settings: Settings) -> None:
    [place] = _bury(settings, [_turn("Nothing of note.")], 7_000_000)
    refused = invoke(stack.settings_env, "dlq", "drop", place)
    assert refused.exit_code == 2
    assert invoke(stack.settings_env, "dlq", "drop", place, "--reason", "a probe").exit_code == 0
    [dropped] = _list(stack.settings_env, "--state", "dropped")
    assert (dropped["place"], dropped["reason"]) == (place, "a probe")
    assert "@" in dropped["closed_by"]


def test_c111_a_flood_of_dead_letters_is_taken_up_at_once_and_acts_once(
    stack: Stack, settings: Settings, probe: MemoryProbe
) -> None:
    turns = [_turn("I live in Lisbon.") for _ in range(200)]
    places = _bury(settings, turns, 8_000_000)
    options = ("dlq", "replay", "--all", "--cause", "version_unknown", "--json")
    assert json.loads(invoke(stack.settings_env, *options).stdout)["replayed"] == places
    ids = ", ".join(f"'{turn.id}'" for turn in turns)
    finished = f"select count(*) as n from turns where reflected_at is not null and turn_id in ({ids})"
    assert eventually(lambda: probe.rows(finished)[0]["n"] == len(turns))
    facts = probe.folded()
    assert json.loads(invoke(stack.settings_env, *options).stdout)["replayed"] == []
    invoke(stack.settings_env, "dlq", "replay", *places, "--again")
    marker = _turn("I live in Porto.")
    Publisher(settings).publish(topic_name(settings, Topic.TURNS), user_key("default", marker.user_id), encode(marker))
    done = f"select count(*) as n from turns where reflected_at is not null and turn_id = '{marker.id}'"
    assert eventually(lambda: probe.rows(done)[0]["n"] == 1)
    known = {row_id: row for row_id, row in probe.folded()["facts"].items() if row_id in facts["facts"]}
    assert known == facts["facts"]


@pytest.mark.parametrize("place", ["lithify-turns/0", "nonsense", "a/b/c"])
def test_a_place_that_is_none_is_wrong_usage(stack: Stack, place: str) -> None:
    done = invoke(stack.settings_env, "dlq", "show", place)
    assert done.exit_code == 2
    assert "expected TOPIC/PARTITION/OFFSET" in done.stderr


def test_no_letter_and_no_broker_are_told_apart(stack: Stack) -> None:
    missing = invoke(stack.settings_env, "dlq", "show", "lithify-turns/0/123456789")
    assert missing.exit_code == 2
    assert "no dead letter" in missing.stderr
    down = invoke(stack.settings_env | {"LITHIFY_KAFKA_BOOTSTRAP": "127.0.0.1:1"}, "dlq", "list")
    assert down.exit_code == 3
    assert "dlq list: broker:" in down.stderr
    assert "Traceback" not in down.stderr


@pytest.mark.usefixtures("broken")
def test_scripts_can_ask_whether_any_is_open(stack: Stack) -> None:
    assert invoke(stack.settings_env, "dlq", "list", "--exit-code").exit_code == 1
    assert invoke(stack.settings_env, "dlq", "list", "--exit-code", "--cause", "id_reused").exit_code == 0
