"""`schemas/topics` is the registry: complete, without gaps, nothing orphaned, and equal to the models."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from lithify.events import BODIES, Envelope, Inbound
from pipelines.schemas import EVENTS, ROOT, check, incompatible, schema, write
from pipelines.topics import REGISTRY, Topic

VERSIONS = [(topic, folder) for topic in Topic for folder in sorted((ROOT / topic).glob("v*"))]


def examples() -> Iterator[tuple[Topic, str, str, Path]]:
    """Topic, event, "minimal" or "full", and path of each example."""
    for topic, folder in VERSIONS:
        for path in sorted((folder / "examples").glob("*.json")):
            name, _, label = path.stem.rpartition("-")
            yield topic, name, label, path


def ids(case: tuple[Topic, str, str, Path]) -> str:
    """A readable name of an example."""
    return f"{case[0]}/{case[3].stem}"


def test_files_equal_the_models() -> None:
    assert check() == []


def test_every_topic_of_the_registry_is_there_and_no_other() -> None:
    assert {path.name for path in ROOT.iterdir()} == {topic.value for topic in REGISTRY} == {t.value for t in EVENTS}


@pytest.mark.parametrize("topic", list(Topic))
def test_a_topic_says_who_writes_who_reads_key_and_retention(topic: Topic) -> None:
    said = json.loads((ROOT / topic / "topic.json").read_text(encoding="utf-8"))
    spec = REGISTRY[topic]
    assert tuple(said["writers"]) == spec.writers
    assert tuple(said["readers"]) == spec.readers
    assert said["key"] == spec.key
    hours = None if spec.retention is None else spec.retention.total_seconds() / 3600
    assert said["retention_hours"] == hours


@pytest.mark.parametrize("topic", list(Topic))
def test_versions_have_no_gaps(topic: Topic) -> None:
    numbers = [int(folder.name.removeprefix("v")) for where, folder in VERSIONS if where is topic]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert numbers


def test_every_event_has_a_minimal_and_a_full_example_and_nothing_is_orphaned() -> None:
    expected = {
        (topic, name, label) for topic, events in EVENTS.items() for name in events for label in ("full", "minimal")
    }
    assert {case[:3] for case in examples()} == expected
    known = {"topic.json"} | {f"{name}.schema.json" for events in EVENTS.values() for name in events}
    stray = [path for path in ROOT.rglob("*.*") if path.parent.name != "examples" and path.name not in known]
    assert stray == []


def test_every_internal_event_type_is_on_some_topic() -> None:
    on_topics = {name for topic, events in EVENTS.items() if topic is not Topic.TURNS for name in events}
    assert on_topics == set(BODIES)
    assert all(BODIES[name] is EVENTS[t][name] for t in EVENTS if t is not Topic.TURNS for name in EVENTS[t])


@pytest.mark.parametrize("case", list(examples()), ids=ids)
def test_examples_decode_and_validate(case: tuple[Topic, str, str, Path]) -> None:
    topic, name, label, path = case
    raw = path.read_bytes()
    document = json.loads(raw)
    jsonschema.validate(document, schema(topic, name, EVENTS[topic][name]))
    if topic is Topic.TURNS:
        event: Any = msgspec.json.decode(raw, type=Inbound)
        assert isinstance(event, EVENTS[topic][name])
        shown = document
    else:
        envelope = msgspec.json.decode(raw, type=Envelope)
        assert envelope.type == name
        event = msgspec.json.decode(envelope.body, type=BODIES[name])
        shown = document["body"]
    fields = msgspec.structs.fields(type(event))
    required = {field.encode_name for field in fields if field.required}
    everything = {field.encode_name for field in fields}
    assert set(shown) - {"type"} == (required if label == "minimal" else everything)


@pytest.mark.parametrize("case", [c for c in examples() if c[2] == "minimal"], ids=ids)
def test_a_minimal_example_without_one_field_is_refused_by_schema_and_model(case: tuple[Topic, str, str, Path]) -> None:
    topic, name, _, path = case
    document = json.loads(path.read_bytes())
    for field in document:
        less = {key: value for key, value in document.items() if key != field}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(less, schema(topic, name, EVENTS[topic][name]))
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(json.dumps(less).encode(), type=Inbound if topic is Topic.TURNS else Envelope)


def test_a_difference_is_reported_and_an_incompatible_one_is_not_written(tmp_path: Path) -> None:
    root = tmp_path / "topics"
    shutil.copytree(ROOT, root)
    path = root / "turns" / "v1" / "turn.schema.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["$defs"]["Turn"]["properties"]["mood"] = {"type": "string"}
    path.write_text(json.dumps(document), encoding="utf-8")
    (root / "turns" / "v1" / "old.schema.json").write_text("{}", encoding="utf-8")

    assert check(root) == [
        "turns/v1/turn.schema.json: differs from the model",
        "turns/v1/old.schema.json: nothing makes it",
    ]
    before = path.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"turn\.schema\.json: \$\.mood: field removed"):
        write(root)
    assert path.read_text(encoding="utf-8") == before


def test_a_compatible_difference_is_written(tmp_path: Path) -> None:
    assert len(write(tmp_path)) == sum(len(events) for events in EVENTS.values()) + len(Topic)
    (tmp_path / "facts" / "topic.json").write_text("{}", encoding="utf-8")
    assert write(tmp_path) == ["facts/topic.json"]
    assert check(tmp_path) == []
    assert incompatible(lambda _: None) == []
