"""Loads the attribute catalog and its value words from `schemas/catalog/attributes.json`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import msgspec

from lithify.domain.catalog import Attribute, AttributeKind, Catalog, Sensitivity
from lithify.domain.claims import Cardinality
from pipelines.language.text import has_cjk, normal

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
"""Where the data lies in a checkout."""


class _Names(msgspec.Struct, forbid_unknown_fields=True):
    en: str
    zh: str


class _Words(msgspec.Struct, forbid_unknown_fields=True):
    values: dict[str, list[str]]
    is_a: dict[str, list[str]] = {}


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    kind: AttributeKind
    cardinality: Cardinality
    names: _Names
    half_life_days: float
    sensitivity: Sensitivity = Sensitivity.NORMAL
    vocabularies: list[str] = []
    aliases: dict[str, list[str]] = {}
    topics: list[str] = []
    called: list[str] = []
    """Other names of the attribute itself, in both languages."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    vocabularies: dict[str, _Words]
    attributes: list[_Entry]
    schema: str = msgspec.field(name="$schema", default="")


FREE_TEXT = frozenset(["constraint", "note"])
"""Attributes whose values are the user's own sentences."""
WHOLE = frozenset(["diet"])
"""Attributes that a limit makes another thing: who eats meat on Sundays has no diet of meat."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The catalog with the words of its values."""

    catalog: Catalog
    words: Mapping[str, Mapping[str, str]]
    """Attribute key to (any known word, lower case, to the normalised value)."""
    names: Mapping[str, tuple[str, ...]]
    """What people call an attribute ("address", 住址) to the keys that it may mean."""

    def known(self, attribute: str, word: str) -> str | None:
        """The normalised value that `word` (already lower case, NFKC) names under `attribute`, if any."""
        table = self.words.get(attribute, {})
        found = table.get(word)
        if found is None and word.endswith("s") and word.isascii():
            return table.get(word[:-1])  # "carrots", "oysters"
        return found

    def attribute_of(self, name: str) -> str:
        """The key of the attribute that `name` names in any case, in English or Chinese; else its normal form."""
        word = normal(name)
        keys = self.names.get(word, (word,))
        entries = (self.catalog.attributes[key] for key in keys if key in self.catalog.attributes)
        proper = next((entry.key for entry in entries if word in (entry.key, entry.name_en, entry.name_zh)), None)
        return proper or (keys[0] if len(keys) == 1 else word)

    def value_of(self, attribute: str, value: str) -> str:
        """`value` as the extractor would have it, so that what is told and what is said are one value."""
        if attribute in FREE_TEXT:
            return value
        word = normal(value)
        return self.known(attribute, word) or word


def load_vocabulary(path: Path | None = None) -> Vocabulary:
    """Read the catalog file.

    Args:
        path: the file; by default the one of this checkout.

    Raises:
        ValueError: the file breaks its schema, names an unknown vocabulary, repeats a key, gives a word two
            meanings within one attribute.
    """
    source = path or SCHEMAS / "catalog" / "attributes.json"
    try:
        data = msgspec.json.decode(source.read_bytes(), type=_File)
    except msgspec.DecodeError as error:
        raise ValueError(f"{source}: {error}") from error
    attributes: dict[str, Attribute] = {}
    words: dict[str, Mapping[str, str]] = {}
    for entry in data.attributes:
        if entry.key in attributes:
            raise ValueError(f"{source}: attribute {entry.key} is declared twice")
        lists = _lists(data, entry, source)
        attributes[entry.key] = _attribute(entry, lists)
        words[entry.key] = _aliases(entry.key, lists, source)
    names = _names(data.attributes)
    return Vocabulary(Catalog(MappingProxyType(attributes)), MappingProxyType(words), MappingProxyType(names))


def load_catalog(path: Path | None = None) -> Catalog:
    """The catalog alone, for parts that need no words. Raises as `load_vocabulary`."""
    return load_vocabulary(path).catalog


def _lists(data: _File, entry: _Entry, source: Path) -> list[_Words]:
    missing = [name for name in entry.vocabularies if name not in data.vocabularies]
    if missing:
        raise ValueError(f"{source}: {entry.key} refers to unknown vocabularies {missing}")
    return [*(data.vocabularies[name] for name in entry.vocabularies), _Words(entry.aliases)]


def _names(entries: Iterable[_Entry]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        for name in dict.fromkeys((entry.key, entry.names.en, entry.names.zh, *entry.called)):
            found[normal(name)] = (*found.get(normal(name), ()), entry.key)
    return found


def _attribute(entry: _Entry, lists: Iterable[_Words]) -> Attribute:
    is_a: dict[str, tuple[str, ...]] = {}
    for words in lists:
        for value, parents in words.is_a.items():
            is_a[value] = tuple(dict.fromkeys((*is_a.get(value, ()), *parents)))
    return Attribute(
        key=entry.key,
        kind=entry.kind,
        cardinality=entry.cardinality,
        name_en=entry.names.en,
        name_zh=entry.names.zh,
        sensitivity=entry.sensitivity,
        half_life_days=entry.half_life_days,
        is_a=MappingProxyType(is_a),
        words_zh=MappingProxyType(_chinese(lists)),
        topics=tuple(entry.topics),
    )


def _chinese(lists: Iterable[_Words]) -> dict[str, str]:
    """For each value the first of its words that is Chinese."""
    found: dict[str, str] = {}
    for words in lists:
        for value, others in words.values.items():
            word = next((word for word in others if has_cjk(word)), None)
            if word is not None:
                found.setdefault(value, word)
    return found


def _aliases(key: str, lists: Iterable[_Words], source: Path) -> Mapping[str, str]:
    table: dict[str, str] = {}
    for words in lists:
        for value, others in words.values.items():
            for word in (value, *others):
                if table.setdefault(word, value) != value:
                    raise ValueError(f"{source}: {key}: {word!r} means {table[word]!r} and {value!r}")
    return MappingProxyType(table)
