"""Finds what makes a turn matter: cue words, names, numbers, questions. The weighing is in the domain."""

import re
from functools import lru_cache
from pathlib import Path

import msgspec

from lithify.domain.importance import Features, Importance, ImportancePolicy, Reason, score
from pipelines.language.catalog import SCHEMAS
from pipelines.language.text import fold

_READ = 4_000
"""Code points that are looked at; what matters is said early, and the cost stays bounded."""
_WORDS = re.compile(r"[a-z0-9']+|[\u3400-\u9fff]", re.IGNORECASE)
_ENTITY = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}|[《“\"][^》”\"\n]{2,40}[》”\"]")
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百千万两]{1,4}(?:点|岁|号|月|元|块|个|天|年|次)")
_ASKS = re.compile(r"[?？]\s*$|[吗呢么]\s*[?？。]?\s*$")
_ASSERTS = re.compile(r"[.!。！]\s*\S")


class ImportanceData(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Cue words by reason, all languages together."""

    safety: list[str]
    instruction: list[str]
    identity: list[str]
    change: list[str]
    preference: list[str]
    deadline: list[str]
    money: list[str]
    small_talk: list[str]
    schema: str = msgspec.field(name="$schema", default="")


class ImportanceScorer:
    """Scores turns. Stateless after construction."""

    def __init__(self, data: ImportanceData, policy: ImportancePolicy | None = None) -> None:
        self._policy = policy or ImportancePolicy()
        lists = ((Reason(name), getattr(data, name)) for name in data.__struct_fields__ if name != "schema")
        self._cues = tuple((reason, _pattern(words)) for reason, words in lists)

    def features(self, text: str) -> Features:
        """What is found in the first code points of `text` (redacted)."""
        words = fold(text[:_READ]).lower()
        cues = frozenset(reason for reason, pattern in self._cues if pattern.search(words))
        counted = _WORDS.findall(words)
        chinese = sum(not word.isascii() for word in counted)
        return Features(
            cues=cues,
            entities=len(_ENTITY.findall(text[:_READ])),
            numbers=len(_NUMBER.findall(words)),
            words=len(counted) - chinese // 2,
            question=_ASKS.search(words) is not None and _ASSERTS.search(words) is None,
        )

    def score(self, text: str) -> Importance:
        """The importance of a turn's redacted text."""
        return score(self.features(text), self._policy)


def _pattern(words: list[str]) -> re.Pattern[str]:
    english = "|".join(re.escape(word) for word in words if word.isascii() and word[:1].isalpha())
    other = "|".join(re.escape(word) for word in words if not (word.isascii() and word[:1].isalpha()))
    return re.compile(rf"(?<![a-z'])(?:{english})(?![a-z])" + (f"|{other}" if other else ""))


@lru_cache(maxsize=4)
def importance_scorer(path: Path | None = None) -> ImportanceScorer:
    """The scorer of `schemas/patterns/importance.json`. ValueError where the file breaks its schema."""
    source = path or SCHEMAS / "patterns" / "importance.json"
    try:
        return ImportanceScorer(msgspec.json.decode(source.read_bytes(), type=ImportanceData))
    except msgspec.DecodeError as error:
        raise ValueError(f"{source}: {error}") from error
