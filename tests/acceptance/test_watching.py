"""A Prometheus that scrapes a real run finds a series for every selector of every dashboard and alert."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from confluent_kafka import Producer

from lithify.client import KafkaPublisher
from lithify.events import Role, Turn, user_key
from ops.demo.perform import perform
from ops.demo.script import load
from ops.local.ports import choose
from ops.local.stack import Stack
from pipelines.settings import load_settings
from pipelines.topics import Topic, topic_name
from tests.support.processes import eventually
from tests.support.prometheus import Prometheus, program, scraping
from tests.support.promql import Expression, alerts, expressions

SECONDS = 60.0
WORKERS = ("importance", "extraction", "conflict", "reflection")


@dataclass(frozen=True, slots=True)
class Watched:
    """A stack, and the Prometheus that scrapes it."""

    stack: Stack
    prometheus: Prometheus

    def eventually(self, expression: str, holds: Callable[[float], bool]) -> bool:
        """Whether the value of an expression comes to hold in time."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            value = self.prometheus.value(expression)
            if value is not None and holds(value):
                return True
            time.sleep(0.25)
        return False


@pytest.fixture(scope="module")
def exporter(stack: Stack, environment: dict[str, str]) -> Iterator[str]:
    """`host:port` of an exporter."""
    port = choose()
    argv = [sys.executable, "-m", "workers", "exporter", "--port", str(port)]
    process = subprocess.Popen(argv, env={**environment, **stack.settings_env}, cwd=Path(__file__).parents[2])
    try:
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        assert process.wait(20) == 0


@pytest.fixture(scope="module")
def watched(
    stack: Stack, data_dir: Path, environment: dict[str, str], exporter: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Watched]:
    """Watched before anything happens: then the demo (promotions, lapses, a nightly run), a secret, a dead letter."""
    program("prometheus")
    ports = json.loads((data_dir / "ports.json").read_text())
    targets = {
        "lithify-workers": [f"127.0.0.1:{ports[f'{worker}-health']}" for worker in WORKERS],
        "lithify-gateway": [stack.settings_env["LITHIFY_GATEWAY_URL"].removeprefix("http://")],
        "lithify-exporter": [exporter],
    }
    with scraping(tmp_path_factory.mktemp("prometheus"), targets) as prometheus:
        watched = Watched(stack, prometheus)
        assert watched.eventually("sum(up)", lambda value: value == len(WORKERS) + 2)
        perform(load(), stack.settings_env, environment)
        _say_a_secret(stack)
        _publish(stack, b"no JSON")
        yield watched


def _say_a_secret(stack: Stack) -> None:
    turn = Turn(
        id="secret",
        user_id="sam",
        session_id="s",
        occurred_at=datetime.now(UTC),
        role=Role.USER,
        content="Write to sam.field@mail.test, please.",
    )
    KafkaPublisher(stack.settings_env["LITHIFY_KAFKA_BOOTSTRAP"], topic=_turns_topic(stack)).publish([turn])


def _turns_topic(stack: Stack) -> str:
    return topic_name(load_settings(stack.settings_env), Topic.TURNS)


def _publish(stack: Stack, value: bytes) -> None:
    producer = Producer({"bootstrap.servers": stack.settings_env["LITHIFY_KAFKA_BOOTSTRAP"]})
    producer.produce(_turns_topic(stack), value, user_key("default", "sam"))
    assert producer.flush(20) == 0


def test_what_happened_is_counted(watched: Watched) -> None:
    assert watched.eventually('sum(lithify_dead_letters_total{cause="not_json"})', lambda value: value == 1)
    assert watched.eventually("sum(lithify_redactions_total)", lambda value: value >= 1)
    assert watched.eventually('sum(lithify_verdicts_total{kind="promoted"})', lambda value: value >= 1)
    assert watched.eventually('sum(lithify_verdicts_total{kind="lapsed"})', lambda value: value >= 1)
    assert watched.eventually("lithify_reflection_age_seconds", lambda value: value < SECONDS * 2)
    turns = 'lithify_end_to_end_seconds_count{worker="conflict", since="received"}'
    assert watched.eventually(f"sum({turns})", lambda value: value >= 41)


def test_all_are_caught_up_and_known(watched: Watched) -> None:
    assert watched.eventually("max(lithify_consumer_lag_seconds)", lambda value: value == 0)
    assert watched.prometheus.value("sum(lithify_consumer_lag_known)") == len(WORKERS)
    assert watched.prometheus.value("count(lithify_consumer_lag_seconds)") == len(WORKERS) * 4
    assert watched.prometheus.value("sum(lithify_assigned_partitions)") == len(WORKERS) * 4
    assert watched.eventually("max(lithify_outbox_events)", lambda value: value == 0)


def test_every_selector_matches_a_series(watched: Watched) -> None:
    selectors = {
        selector.prettify(): expression.place for expression in expressions() for selector in expression.selectors()
    }
    missing: dict[str, str] = {}

    def none() -> bool:
        nonlocal missing
        missing = {text: place for text, place in selectors.items() if not watched.prometheus.series(text)}
        return not missing

    # Some appear only once the exporter has looked into the database and the recording rules have run.
    assert eventually(none, SECONDS), missing


def test_a_selector_of_nothing_is_noticed(watched: Watched) -> None:
    [selector] = Expression("bad", 'rate(lithify_events_in_total{worker="nobody"}[5m])').selectors()
    assert watched.prometheus.series(selector.prettify()) == []


def test_a_real_prometheus_takes_every_expression(watched: Watched) -> None:
    for expression in expressions():
        watched.prometheus.get("query", query=expression.text.replace("$__rate_interval", "1m"))


def test_the_dead_letter_raises_its_alert_and_nothing_else_does(watched: Watched) -> None:
    raised = "count by (alertname) (ALERTS)"
    assert watched.eventually('count(ALERTS{alertname="LithifyDeadLetters", alertstate="firing"})', lambda n: n == 1)
    found = {row["metric"]["alertname"] for row in watched.prometheus.get("query", query=raised)["result"]}
    assert found == {"LithifyDeadLetters"}
    assert {rule["name"] for rule in _alerting(watched)} == set(alerts())


def _alerting(watched: Watched) -> list[dict[str, str]]:
    groups = watched.prometheus.get("rules", type="alert")["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_lag_is_printed(watched: Watched, environment: dict[str, str]) -> None:
    argv = [sys.executable, "-m", "workers", "lag", "--over", "30"]
    done = subprocess.run(
        argv,
        env={**environment, **watched.stack.settings_env},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^(?:importance|extraction|conflict|reflection) +\d +0\.0 s", done.stdout, re.M)) == 16
