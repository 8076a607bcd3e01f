"""The request: a versioned prompt, and the turns as data. What a user wrote is never read as a template."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from lithify.domain.tokens import estimate
from pipelines.language.catalog import FREE_TEXT, SCHEMAS, Vocabulary
from pipelines.language.clauses import blank_foreign
from pipelines.language.days import zone
from pipelines.language.model import Reject, RejectCode, TurnText
from pipelines.language.rules import LIMIT
from pipelines.language.text import fold

PROMPT = "extract.v1"
_BEFORE = 1000
"""Code points of the turn before that travel along."""
_OVERHEAD = 40
"""Tokens of a turn's entry beside its text."""
_GAP = re.compile(r"[ \t]{2,}")


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn as it is put to the model."""

    alias: str
    """How the request calls it: ids are the producer's, and may be anything."""
    turn: TurnText
    before: TurnText | None
    shown: int
    """Code points of its content that the model sees."""


@cache
def prompt_text(name: str = PROMPT, folder: Path = SCHEMAS / "prompts") -> str:
    """The text of a prompt. Raises OSError."""
    return (folder / f"{name}.txt").read_text(encoding="utf-8")


def cost_of(turn: TurnText, before: TurnText | None) -> int:
    """Estimated tokens of a turn's entry in a request."""
    context = estimate(before.content[-_BEFORE:]) if before is not None else 0
    return estimate(turn.content[:LIMIT]) + context + _OVERHEAD


def asked(turns: Sequence[tuple[TurnText, TurnText | None]], budget: int) -> list[Asked]:
    """Turns under their aliases; one that is too long by itself is shown up to `budget` tokens."""
    return [
        Asked(f"t{number}", turn, before, _within(turn.content, budget))
        for number, (turn, before) in enumerate(turns, start=1)
    ]


def _within(text: str, budget: int) -> int:
    """How many code points of `text` are shown: as many as the rules read, and as fit into `budget` tokens."""
    text = text[:LIMIT]
    if estimate(text) <= budget:
        return len(text)
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    return low


def messages(turns: Sequence[Asked], vocabulary: Vocabulary) -> list[dict[str, str]]:
    """The messages of a request: the prompt as system, everything else as one JSON object."""
    attributes = [
        {"key": entry.key, "en": entry.name_en, "zh": entry.name_zh}
        for entry in vocabulary.catalog.attributes.values()
        if entry.key not in FREE_TEXT
    ]
    body = {"attributes": attributes, "turns": [_entry(item) for item in turns]}
    return [
        {"role": "system", "content": prompt_text()},
        {"role": "user", "content": msgspec.json.encode(body).decode()},
    ]


def _entry(item: Asked) -> dict[str, Any]:
    turn = item.turn
    said_at = turn.occurred_at.astimezone(zone(turn.timezone)).isoformat(timespec="minutes")
    entry: dict[str, Any] = {"turn": item.alias, "said_at": said_at, "speaker": turn.speaker or "user"}
    if item.before is not None:
        entry["before"] = {str(item.before.role): without_memory(item.before.content)[-_BEFORE:]}
    return entry | {"text": _GAP.sub(" ", without_memory(turn.content[: item.shown]))}


def without_memory(text: str) -> str:
    """`text` with recalled memory blanked: what was remembered is not said again."""
    _, rejects = blank_foreign(fold(text))
    for start, end in _memories(rejects):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _memories(rejects: Sequence[Reject]) -> Iterator[tuple[int, int]]:
    return (reject.span for reject in rejects if reject.code is RejectCode.MEMORY)
