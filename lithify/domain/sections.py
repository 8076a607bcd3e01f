"""The sections of a context block, filled line by line under a budget."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from lithify.domain.phrases import TAG, Writer
from lithify.domain.tokens import estimate

MISSES = 20
"""After so many lines in a row that did not fit, the rest is not looked at."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing the block shows."""

    kind: str
    """constraint, safety, fact, override, provisional, episode, hint, summary or turn."""
    id: str | None
    line: str
    score: float
    attribute: str | None = None
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """An item, the section it goes to, and its place there (equal: as added)."""

    section: str
    item: Item
    order: float = 0.0


class Sections:
    """The block under construction; knows its exact size in tokens at any time."""

    ORDER = ("constraint", "safety", "profile", "episode", "hint", "summary", "turn")

    def __init__(self, writer: Writer, version: int, now: datetime) -> None:
        words = writer.words
        self._head = f'<{TAG} version="{version}" as-of="{writer.day(now)}">\n{words.data}'
        self._tail = f"</{TAG}>"
        self._headings = {
            "constraint": words.constraints,
            "safety": words.safety,
            "profile": words.profile,
            "episode": words.episodes,
            "summary": words.summary,
            "turn": words.turns,
        }
        self._added: dict[str, list[tuple[float, int, Item]]] = {name: [] for name in self.ORDER}
        self.tokens = estimate(f"{self._head}\n{self._tail}")

    def add(self, item: Placed) -> None:
        """Add an item, whatever it costs."""
        self._add(item, self._cost(item))

    def fill(self, candidates: Iterable[Placed], limit: int) -> int:
        """Add in the given order what fits under `limit` tokens in all; returns how many did.

        Candidates may be lazy: they are looked at one by one, until `MISSES` in a row did not fit.
        """
        added = misses = 0
        for item in candidates:
            cost = self._cost(item)
            if self.tokens + cost <= limit:
                self._add(item, cost)
                added, misses = added + 1, 0
            else:
                misses += 1
                if misses == MISSES:
                    break
        return added

    def _add(self, item: Placed, cost: int) -> None:
        rows = self._added[item.section]
        rows.append((item.order, len(rows), item.item))
        self.tokens += cost

    def items(self) -> tuple[Item, ...]:
        """What was added, in the order shown."""
        return tuple(item for name in self.ORDER for _, _, item in sorted(self._added[name], key=lambda row: row[:2]))

    def text(self) -> str:
        """The block."""
        lines = [self._head]
        for name in self.ORDER:
            rows = sorted(self._added[name], key=lambda row: row[:2])
            if rows and name in self._headings:
                lines.append(self._headings[name])
            lines += [item.line for _, _, item in rows]
        return "\n".join([*lines, self._tail])

    def _cost(self, item: Placed) -> int:
        cost = estimate(item.item.line) + 1
        if not self._added[item.section] and item.section in self._headings:
            cost += estimate(self._headings[item.section]) + 1
        return cost
