"""The gateway as operators start it: a process, told by its environment, that stops when asked."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from lithify.client import Lithify
from ops.local.ports import choose
from pipelines.kafka import apply_topics
from tests.support.gateway import FERNET, make_settings
from tests.support.processes import PATIENCE, PATIENT
from tests.support.servers import Database

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def process(database: Database, broker: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A running gateway and its address."""
    prefix = f"p{os.getpid()}"
    apply_topics(make_settings(database.gateway_url, kafka_bootstrap=broker, topic_prefix=prefix))
    port = choose()
    environment = {
        **PATIENT,
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "LITHIFY_KAFKA_BOOTSTRAP": broker,
        "LITHIFY_TOPIC_PREFIX": prefix,
        "LITHIFY_DATABASE_URL": database.gateway_url,
        "LITHIFY_PSEUDONYM_KEY": "a pseudonym key for tests",
        "LITHIFY_DEAD_LETTER_KEY": FERNET,
        "LITHIFY_EMBEDDER": "none",
        "LITHIFY_GATEWAY_PORT": str(port),
    }
    running = subprocess.Popen([sys.executable, "-m", "workers", "gateway"], cwd=ROOT, env=environment)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url, running)
        yield running, url
    finally:
        running.kill()
        running.wait()


def _wait(url: str, running: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and running.poll() is None:
        try:
            if httpx.get(f"{url}/readyz", timeout=PATIENCE).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError(f"the gateway is not ready, exit state {running.poll()}")


def test_it_serves_and_stops_when_told(process: "tuple[subprocess.Popen[bytes], str]") -> None:
    running, url = process
    with Lithify(url, timeout=PATIENCE) as memory:
        accepted = memory.add_turn("ada", "s1", "I am vegetarian.")
        assert memory.turn_outcome("ada", accepted.id).outcome == "accepted"
        assert memory.context("ada", query="diet?").version == 0
    running.send_signal(signal.SIGTERM)
    assert running.wait(PATIENCE) in {0, -signal.SIGTERM}
