"""What docs/events.md and docs/gateway.md tell people to do works."""

import re
import uuid
from pathlib import Path

import msgspec
import pytest
from fastapi.routing import APIRoute

from lithify.events import Inbound, SessionEnded, Turn, user_key
from lithify.events.api import MAX_EVENT_BYTES
from lithify.testing import FakeLithify
from pipelines.failures import Cause
from pipelines.kafka import PARTITIONER, apply_topics
from pipelines.topics import Topic, topic_name
from tests.integration.gateway.test_publishing import NOBODY, murmur2, read
from tests.support.gateway import make_settings
from workers.gateway.app import ROUTERS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "events.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """The code block of a language."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


def test_the_python_example_publishes_a_turn(broker: str) -> None:
    settings = make_settings(NOBODY, kafka_bootstrap=broker, topic_prefix=f"t{uuid.uuid4().hex[:8]}", partitions=4)
    apply_topics(settings)
    code = (
        block("python")
        .replace("127.0.0.1:9092", broker)
        .replace('"lithify-turns"', repr(topic_name(settings, Topic.TURNS)))
    )
    names: dict[str, object] = {}
    exec(compile(code, "events.md", "exec"), names)  # noqa: S102 - the page's own example
    names.clear()
    [(partition, key, event)] = read(settings, 1)
    assert isinstance(event, Turn)
    assert key == user_key(event.tenant, event.user_id)
    assert partition == murmur2(key) % 4


def test_the_kcat_example_is_valid_and_keyed_alike() -> None:
    shell = block("sh")
    assert f"-X partitioner={PARTITIONER}" in shell
    lines = [line.partition("|") for line in shell.splitlines() if line.startswith("default/")]
    events = [msgspec.json.decode(value.encode(), type=Inbound) for _, _, value in lines]
    assert [type(event) for event in events] == [Turn, SessionEnded]
    assert [key.encode() for key, _, _ in lines] == [user_key(event.tenant, event.user_id) for event in events]


def test_the_limit_and_the_fields_are_those_of_the_model() -> None:
    assert f"{MAX_EVENT_BYTES:,} bytes" in PAGE
    told = set(re.findall(r"^\| `(\w+)` \|", PAGE.split("## Key")[0], re.MULTILINE))
    assert told == {field.name for field in msgspec.structs.fields(Turn)} - {"v"} | {"type"}


def test_every_reason_of_a_dead_letter_is_explained() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", PAGE.split("## Limits")[1], re.MULTILINE))
    assert told == {cause.value for cause in Cause}


def test_the_examples_of_the_gateway_page_run_on_the_fake(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "gateway.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 2
    monkeypatch.setattr("lithify.client.Lithify", lambda _url: FakeLithify())
    for code in examples:
        exec(compile(code, "gateway.md", "exec"), {})  # noqa: S102 - the page's own example


def test_every_endpoint_is_on_the_gateway_page() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "gateway.md").read_text(encoding="utf-8")
    told = {re.sub(r"\{.*?\}", "{}", path) for path in re.findall(r"(/(?:v1/)?[a-z{}_/]+)(?:`|, )", page)}
    served = {
        re.sub(r"\{.*?\}", "{}", route.path)
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
    }
    assert served <= told, served - told
