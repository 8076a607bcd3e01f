"""What people should not have written is nowhere but on the topic they wrote it to, for as long as that keeps it."""

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from confluent_kafka import Producer

from benchmarks.redaction.generate import MAKERS
from benchmarks.redaction.templates import SECRETS
from lithify.client import Lithify
from lithify.domain.redaction import SecretType
from lithify.events import DeadLetter, user_key
from ops.local.console import Console
from ops.local.stack import PARTS, Stack
from pipelines.envelope import PlainCodec, open_event
from pipelines.kafka import PARTITIONER
from pipelines.settings import load_settings
from pipelines.topics import Topic, topic_name
from tests.support.brokers import ON_KAFKA
from tests.support.letters import originals
from tests.support.memory import MemoryProbe
from tests.support.processes import PATIENCE, eventually
from tests.support.redaction import planted
from tests.support.topics import messages

USER = "mia"
TURNS = planted(SECRETS, MAKERS, seed=5)
"""Every template of every kind once, in both languages."""
COMMANDS: dict[str, dict[str, Any]] = {
    "Rem3mber-Me!": {"command": "remember", "text": "My password is Rem3mber-Me!"},
    "hunter2secret9": {"command": "correct", "attribute": "password", "value": "hunter2secret9"},
    "13800138000": {"command": "correct", "attribute": "phone", "value": "13800138000"},
    "6214830212345678": {"command": "constraint", "text": "别再用我的密码6214830212345678登录"},
    "ann.b@example.org": {"command": "correct", "subject": "ann.b@example.org", "attribute": "home", "value": "Leeds"},
}
BROKEN = {
    "B4d-Secret-77": b'{"type": "turn", "content": "my password is B4d-Secret-77',
    "B4d-Secret-78": b'{"type": "turn", "id": "x", "role": "password: B4d-Secret-78", "content": "hi"}',
}
ASKED = "Ask3d-Only!"
LAST: dict[str, Any] = {"id": "last", "role": "user", "content": "I'm allergic to walnuts."}


def event(**fields: Any) -> bytes:
    given = {"user_id": USER, "session_id": "s1", "occurred_at": "2026-03-02T09:00:00Z"}
    return json.dumps(given | fields, ensure_ascii=False).encode()


@pytest.fixture(scope="module")
def console() -> StringIO:
    """The log lines of all parts."""
    return StringIO()


@pytest.fixture(scope="module")
def stack(data_dir: Path, environment: dict[str, str], console: StringIO) -> Iterator[Stack]:
    debug = environment | {"LITHIFY_LOG_LEVEL": "DEBUG"}
    with Stack(data_dir, environment=debug, fsync=False, console=Console(console)) as running:
        yield running


@pytest.fixture(scope="module")
def memory(stack: Stack, probe: MemoryProbe) -> Iterator[Lithify]:
    """A client of the gateway, after the last event was decided and all that came of them is on its topic."""
    address = {"bootstrap.servers": stack.settings_env["LITHIFY_KAFKA_BOOTSTRAP"], "partitioner": PARTITIONER}
    producer = Producer(address)
    topic = topic_name(load_settings(stack.settings_env), Topic.TURNS)
    values = [event(type="turn", role="user", **item.fields) for item in TURNS]
    values += [event(type="command", id=f"c{i}", **fields) for i, fields in enumerate(COMMANDS.values())]
    for value in [*values, *BROKEN.values(), event(type="turn", **LAST)]:
        producer.produce(topic, value, user_key("default", USER))
    assert producer.flush(PATIENCE) == 0
    with Lithify(stack.settings_env["LITHIFY_GATEWAY_URL"], timeout=PATIENCE) as client:
        client.wait_for(USER, LAST["id"], timeout=PATIENCE * 2)
        assert eventually(lambda: probe.rows("select 1 from outbox") == [])
        yield client


def secrets() -> list[str]:
    return [item.needle for item in TURNS] + [*COMMANDS, *BROKEN, ASKED]


def on_topic(stack: Stack, topic: Topic) -> str:
    """All values on a topic, one a line."""
    settings = load_settings(stack.settings_env)
    return b"\n".join(messages(settings.kafka_bootstrap, topic_name(settings, topic))).decode()


def leaks(text: str) -> list[str]:
    """Secrets whose text is in `text`."""
    return [secret for secret in secrets() if secret in text]


def test_every_kind_is_planted_in_both_languages() -> None:
    assert len(TURNS) > 100
    assert sum(not item.text.isascii() for item in TURNS) > 50


@pytest.mark.usefixtures("memory")
def test_all_of_them_were_sent(stack: Stack) -> None:
    """What the other tests look for can be found where it is."""
    sent = on_topic(stack, Topic.TURNS)
    assert set(secrets()) - set(leaks(sent)) == {ASKED}


@pytest.mark.usefixtures("memory")
def test_nothing_is_in_the_database(probe: MemoryProbe) -> None:
    tables = [row["name"] for row in probe.rows("select relname as name from pg_stat_user_tables order by 1")]
    assert "turns" in tables
    held = {
        name: "\n".join(row["row"] for row in probe.rows(f'select t::text as row from "{name}" t')) for name in tables
    }
    assert {name: leaks(text) for name, text in held.items() if leaks(text)} == {}
    assert "I'm allergic to walnuts." in held["turns"]


@pytest.mark.usefixtures("memory")
def test_nothing_is_in_the_files_of_the_data_folder(data_dir: Path) -> None:
    """The write-ahead log too."""
    found, read = set(), 0
    for path in (Path(folder) / name for folder, _, names in os.walk(data_dir) for name in names):
        with suppress(FileNotFoundError):  # PostgreSQL goes on to work, and takes files away
            content = path.read_bytes()
            read += 1
            found |= {(path.name, secret) for secret in secrets() if secret.encode() in content}
    assert found == set()
    assert read > 100


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("topic", [topic for topic in Topic if topic is not Topic.TURNS])
def test_nothing_is_on_a_topic(stack: Stack, topic: Topic) -> None:
    held = on_topic(stack, topic)
    assert held
    assert leaks(held) == []
    assert leaks(json.dumps(held, ensure_ascii=False)) == []


@pytest.mark.usefixtures("memory")
def test_what_was_sent_can_still_be_read_with_the_dead_letter_key(stack: Stack) -> None:
    settings = load_settings(stack.settings_env)
    letters = [
        open_event(value, PlainCodec()).body
        for value in messages(settings.kafka_bootstrap, topic_name(settings, Topic.DEAD_LETTERS))
    ]
    opened = asyncio.run(originals(settings, [letter for letter in letters if isinstance(letter, DeadLetter)]))
    assert {original.value for original in opened} == set(BROKEN.values())


def test_nothing_is_in_what_the_gateway_answers_or_logs(stack: Stack, memory: Lithify, console: StringIO) -> None:
    turn = {"role": "user", "content": f"my password is {ASKED}"}
    asked = {"user_id": USER, "session_id": "s1", "query": f"is the password {ASKED}?", "turns": [turn]}
    address = stack.settings_env["LITHIFY_GATEWAY_URL"]
    block = httpx.post(f"{address}/v1/context", json=asked | {"budget_tokens": 100_000}, timeout=PATIENCE)
    assert block.status_code == 200
    httpx.post(f"{address}/v1/context", json=asked | {"lang": f"password: {ASKED}"}, timeout=PATIENCE)
    facts = httpx.get(f"{address}/v1/facts", params={"user_id": USER, "history": "true"}, timeout=PATIENCE)
    assert memory.facts(USER).facts
    assert leaks(block.text) == leaks(facts.text) == []
    assert leaks(console.getvalue()) == []
    parts = PARTS if not ON_KAFKA else set(PARTS) - {"broker"}
    assert {part for part in parts if leaks("\n".join(stack.logs(part)))} == set()


@pytest.mark.usefixtures("memory")
def test_equal_values_have_equal_placeholders(probe: MemoryProbe) -> None:
    rows = probe.rows("select body::text as body from turns where turn_id like 'same-%' order by turn_id")
    tags = [row["body"].split("[phone ****8000 #")[1][:6] for row in rows]
    assert len(tags) == 3
    assert tags[0] == tags[1] != tags[2]


@pytest.mark.usefixtures("memory")
def test_all_is_counted(data_dir: Path) -> None:
    port = json.loads((data_dir / "ports.json").read_text())["importance-health"]

    def missing() -> set[SecretType]:
        metrics = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE).text
        return {kind for kind in SecretType if f'lithify_redactions_total{{kind="{kind}"}}' not in metrics}

    assert eventually(lambda: not missing()), missing()
