"""Recall and precision on made-up turns, and turns a second."""

import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.redaction.generate import Item
from pipelines.language.model import Redactor

_PLACEHOLDER = re.compile(r"\[[a-z_]+(?: \*{4}\w{1,4})?(?: #[a-z]{6})?\]")


@dataclass(slots=True)
class Quality:
    """What was found and what not."""

    hit: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    errors: list[tuple[str, str]] = field(default_factory=list)
    """Turn and what came of it, wherever they are not what they should be."""

    @property
    def recall(self) -> float:
        """Share of the secrets of which nothing but the kept digits stayed."""
        return self.hit.total() / max(1, self.hit.total() + self.missed.total())

    @property
    def precision(self) -> float:
        """Share of the placeholders that stand for a secret and for nothing beside it."""
        return self.hit.total() / max(1, self.hit.total() + self.false.total())


def quality(redactor: Redactor, items: Iterable[Item]) -> Quality:
    """Redact every turn and compare."""
    found = Quality()
    for item in items:
        redacted = redactor.redact(item.text)
        _judge(found, item, redacted.text, sum(redacted.counts.values()))
    return found


def _judge(found: Quality, item: Item, text: str, placeholders: int) -> None:
    """A secret counts as found if every part of it is gone; what is taken beside it counts as a false hit."""
    plain = _PLACEHOLDER.sub("", text)
    gone = 0
    for category, secret in item.secrets:
        stays = secret in text or any(part in plain for part in _parts(secret, item.text.replace(secret, " ")))
        (found.missed if stays else found.hit)[category] += 1
        gone += not stays
    spare = max(0, placeholders - gone)
    around = item.text
    for _, secret in item.secrets:
        around = around.replace(secret, "\0", 1)
    lost = sum(not _kept(piece, plain) for piece in around.split("\0"))
    wrong = max(spare, min(lost, 1))
    if wrong:
        found.false[item.category or item.secrets[0][0]] += wrong
    if wrong or gone < len(item.secrets):
        found.errors.append((item.text, text))


def _parts(secret: str, rest: str) -> list[str]:
    """Pieces of five characters and more that tell something of a secret, and are nowhere else in the turn."""
    return [part for part in re.findall(r"\w{5,}", secret) if part not in rest]


def _kept(piece: str, text: str) -> bool:
    words = re.sub(r"^[\W_]+|[\W_]+$", "", piece)
    return words in text


def speed(redactor: Redactor, texts: Sequence[str], rounds: int = 3) -> float:
    """Turns a second of processor time, so on one core that does nothing else; the best of some rounds."""
    best = 0.0
    for _ in range(rounds):
        start = time.process_time()
        for text in texts:
            redactor.redact(text)
        best = max(best, len(texts) / (time.process_time() - start))
    return best
