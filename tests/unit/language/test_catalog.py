"""The catalog and pattern files are valid, and faults in them are named."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from lithify.domain.catalog import AttributeKind
from lithify.domain.claims import Cardinality
from pipelines.language.catalog import SCHEMAS, load_catalog, load_vocabulary
from pipelines.language.importance import ImportanceData
from pipelines.language.languages import load_language
from pipelines.language.patterns import PatternData
from pipelines.language.text import normal
from pipelines.language.timegrammar import TimeData

CATALOG = SCHEMAS / "catalog" / "attributes.json"
PATTERNS = SCHEMAS / "patterns"
TYPES = {"patterns": PatternData, "time": TimeData, "importance": ImportanceData}


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_the_catalog_keeps_its_schema() -> None:
    jsonschema.validate(read(CATALOG), read(CATALOG.with_name("attributes.schema.json")))


@pytest.mark.parametrize("name", TYPES)
def test_pattern_schemas_are_those_of_the_code(name: str) -> None:
    assert read(PATTERNS / f"{name}.schema.json") == msgspec.json.schema(TYPES[name])


@pytest.mark.parametrize(
    ("file", "schema"),
    [("en", "patterns"), ("zh", "patterns"), ("time", "time"), ("importance", "importance")],
)
def test_pattern_files_keep_their_schema(file: str, schema: str) -> None:
    data = read(PATTERNS / f"{file}.json")
    assert data["$schema"] == f"{schema}.schema.json"
    jsonschema.validate(data, read(PATTERNS / f"{schema}.schema.json"))


def test_what_the_rules_need_of_the_catalog() -> None:
    catalog = load_catalog()
    assert len(catalog.attributes) >= 40
    assert catalog.get("allergy").kind is AttributeKind.SAFETY
    assert catalog.get("home").cardinality is Cardinality.SINGLE
    assert catalog.get("likes").cardinality is Cardinality.MULTI
    assert "coffee" in catalog.get("likes").ancestors("latte")
    assert "meat" in catalog.get("consumes").ancestors("beijing roast duck")
    assert "timezone" not in catalog.attributes


def test_is_a_names_only_known_values() -> None:
    vocabulary = load_vocabulary()
    for attribute in vocabulary.catalog.attributes.values():
        known = set(vocabulary.words[attribute.key].values())
        named = {*attribute.is_a, *(parent for parents in attribute.is_a.values() for parent in parents)}
        assert named - {"tea", "dish"} <= known | {"tea"}, attribute.key


def test_words_are_written_in_their_normal_form() -> None:
    for words in load_vocabulary().words.values():
        assert [word for word in words if normal(word) != word] == []


@pytest.mark.parametrize("name", ["en", "zh"])
def test_rule_ids_are_unique(name: str) -> None:
    ids = [rule["id"] for rule in read(PATTERNS / f"{name}.json")["rules"]]
    assert len(ids) == len(set(ids))


def broken(tmp_path: Path, source: Path, change: dict[str, Any]) -> Path:
    path = tmp_path / source.name
    path.write_text(json.dumps(read(source) | change), "utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": "one"}, "version"),
        ({"vocabularies": {}}, "unknown vocabularies"),
        ({"surplus": 1}, "surplus"),
    ],
)
def test_a_broken_catalog_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_vocabulary(broken(tmp_path, CATALOG, change))


def test_an_attribute_twice_is_refused(tmp_path: Path) -> None:
    entries = read(CATALOG)["attributes"]
    with pytest.raises(ValueError, match="declared twice"):
        load_vocabulary(broken(tmp_path, CATALOG, {"attributes": [*entries, entries[0]]}))


def test_a_word_with_two_meanings_is_refused(tmp_path: Path) -> None:
    words = read(CATALOG)["vocabularies"]
    words["diet"]["values"]["vegan"].append("veggie")
    with pytest.raises(ValueError, match="veggie"):
        load_vocabulary(broken(tmp_path, CATALOG, {"vocabularies": words}))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"pattern": "(?P<value>x"}, "faulty"),
        ({"pattern": "{nonsense}(?P<value>x)"}, "unknown macro nonsense"),
        ({"pattern": "x"}, "needs groups value"),
        ({"attributes": ["shoe_size"]}, "unknown attributes"),
        ({"surprise": True}, "surprise"),
    ],
)
def test_a_broken_rule_is_named(tmp_path: Path, rule: dict[str, Any], message: str) -> None:
    sound = {"id": "faulty", "pattern": "(?P<value>x)", "needs": ["x"], "attributes": ["likes"]}
    broken(tmp_path, PATTERNS / "en.json", {"rules": [sound | rule]})
    with pytest.raises(ValueError, match=re.escape(message)):
        load_language("en", load_vocabulary(), tmp_path, check=True)


@pytest.mark.parametrize("name", ["en", "zh"])
def test_every_rule_compiles_with_the_groups_that_it_is_read_by(name: str) -> None:
    for rule in load_language(name, load_vocabulary(), check=True).rules:
        groups = rule.regex.groupindex
        assert set(rule.values) == {group for group in groups if group.startswith("value")}
        assert set(rule.negations) == {group for group in groups if group.startswith("neg")}
