"""A Prometheus that scrapes a real run finds a series for every selector of every dashboard and alert."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
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
from tests.support.invoking import invoke
from tests.support.processes import PATIENCE, eventually
from tests.support.prometheus import Prometheus, program, scraping
from tests.support.promql import Expression, alerts, expressions

WORKERS = ("importance", "extraction", "conflict", "reflection")


@dataclass(frozen=True, slots=True)
class Watched:
    """A stack, and the Prometheus that scrapes it."""

    stack: Stack
    prometheus: Prometheus
    began: float
    """When nothing had happened yet, in monotonic seconds."""

    def eventually(self, expression: str, holds: Callable[[float], bool]) -> bool:
        """Whether the value of an expression comes to hold in time."""

        def held() -> bool:
            value = self.prometheus.value(expression)
            return value is not None and holds(value)

        return eventually(held)


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
        assert process.wait(PATIENCE) == 0


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
        watched = Watched(stack, prometheus, time.monotonic())
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
    assert watched.eventually("lithify_reflection_age_seconds", lambda age: age < time.monotonic() - watched.began)
    turns = 'lithify_end_to_end_seconds_count{worker="conflict", since="received"}'
    assert watched.eventually(f"sum({turns})", lambda value: value >= 41)


def test_all_are_caught_up_and_known(watched: Watched) -> None:
    assert watched.eventually("max(lithify_consumer_lag_seconds)", lambda value: value == 0)
    assert watched.eventually("sum(lithify_consumer_lag_known)", lambda value: value == len(WORKERS))
    assert watched.eventually("count(lithify_consumer_lag_seconds)", lambda value: value == len(WORKERS) * 4)
    assert watched.eventually("sum(lithify_assigned_partitions)", lambda value: value == len(WORKERS) * 4)
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
    assert eventually(none), missing


def test_a_selector_of_nothing_is_noticed(watched: Watched) -> None:
    [selector] = Expression("bad", 'rate(lithify_events_in_total{worker="nobody"}[5m])').selectors()
    assert watched.prometheus.series(selector.prettify()) == []


def test_a_real_prometheus_takes_every_expression(watched: Watched) -> None:
    for expression in expressions():
        watched.prometheus.get("query", query=expression.text.replace("$__rate_interval", "1m"))


def test_the_dead_letter_raises_its_alert_and_nothing_else_does(watched: Watched) -> None:
    raised: set[tuple[str, str]] = set()

    def alone() -> bool:
        nonlocal raised
        found = watched.prometheus.get("query", query="ALERTS")["result"]
        raised = {(row["metric"]["alertname"], row["metric"]["alertstate"]) for row in found}
        return raised == {("LithifyDeadLetters", "firing")}

    # Another may be pending for as long as a process is held up by other work.
    assert eventually(alone), raised
    assert {rule["name"] for rule in _alerting(watched)} == set(alerts())


def _alerting(watched: Watched) -> list[dict[str, str]]:
    groups = watched.prometheus.get("rules", type="alert")["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_lag_is_printed(watched: Watched) -> None:
    lag = partial(invoke, watched.stack.settings_env, "lag", "--over", "30")

    def caught_up() -> bool:
        done = lag()
        told = re.findall(r"^(?:importance|extraction|conflict|reflection) +\d +0\.0 s", done.stdout, re.M)
        return done.exit_code == 0 and len(told) == len(WORKERS) * 4

    assert eventually(caught_up), lag().output
