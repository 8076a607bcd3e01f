"""The labelled turns: what each must give, what it may give, or why it gives nothing."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from pipelines.language.model import Role, TurnText

DATA: Final = Path(__file__).parent / "data"
DEVELOPMENT: Final = "dev"
"""The set the rules may be developed on."""
HELD_OUT: Final = "held"
"""The set written before the rules and never read while they change."""
AT: Final = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
"""When every labelled turn was said: a Wednesday, the afternoon in Shanghai."""
ZONE: Final = "Asia/Shanghai"
ANY: Final = "*"
"""Alone: anything. At both ends of a value: the value holds these words."""


class Expected(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One claim of a label. Every list names alternatives that are equally right."""

    attribute: tuple[str, ...]
    value: tuple[str, ...]
    """Words or normalised values; for a broad withdrawal, its topics."""
    subject: tuple[str, ...] = ("user",)
    relation: str | None = None
    polarity: str = "positive"
    kind: str = "value"
    basis: tuple[str, ...] = ("self_statement",)
    cue: tuple[str, ...] = ("none",)
    valid_from: tuple[str, ...] = ()
    """Local dates. Empty: not looked at."""
    valid_to: tuple[str, ...] = ()
    optional: bool = False
    """Neither missed when absent nor false when found: people would label it differently."""


class Labelled(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One turn with its label."""

    id: str
    category: str
    language: str
    """en, zh, or mixed."""
    text: str
    before: str | None = None
    """The assistant's turn before it."""
    speaker: str | None = None
    claims: tuple[Expected, ...] = ()
    reason: str | None = None
    """Why nothing is to be found, where nothing is."""

    def turn(self) -> TurnText:
        """The turn as extractors take it."""
        return TurnText(self.id, "session", self.text, AT, turn_index=1, speaker=self.speaker, timezone=ZONE)

    def turn_before(self) -> TurnText | None:
        """The assistant's turn before it, if the label has one."""
        if self.before is None:
            return None
        return TurnText(f"{self.id}-before", "session", self.before, AT, role=Role.ASSISTANT, timezone=ZONE)


def load(name: str, folder: Path = DATA) -> list[Labelled]:
    """The labelled turns of `<name>.jsonl`.

    Raises:
        ValueError: a line breaks the format, or an id occurs twice.
    """
    source = folder / f"{name}.jsonl"
    found: dict[str, Labelled] = {}
    for number, line in enumerate(source.read_text("utf-8").splitlines(), start=1):
        try:
            row = msgspec.json.decode(line, type=Labelled)
        except msgspec.DecodeError as error:
            raise ValueError(f"{source}:{number}: {error}") from error
        if row.id in found:
            raise ValueError(f"{source}:{number}: {row.id} occurs twice")
        found[row.id] = row
    return list(found.values())
