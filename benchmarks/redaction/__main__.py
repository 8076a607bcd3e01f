"""`python -m benchmarks.redaction [FILE]`: recall, precision, and turns a second on one core.

FILE is in LoCoMo's format and gives the turns for the speed; without one, our own dialogues do. One turn in ten gets a
digit run of its own.
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from benchmarks.locomo import SYNTHETIC, load_dialogues
from benchmarks.redaction import values
from benchmarks.redaction.generate import items
from benchmarks.redaction.measure import quality, speed
from pipelines.language.redaction import PatternRedactor

_RUNS = (values.mobile, values.american, values.card, values.order, values.tracking, values.moment, values.price)
_LEAST_TURNS = 2000


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.redaction", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=SYNTHETIC, help="turns in LoCoMo's format")
    parser.add_argument("--items", type=int, default=5000, help="made-up turns for recall and precision")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--errors", action="store_true", help="print every turn that came out wrong")
    asked = parser.parse_args(argv)
    redactor = PatternRedactor(key=b"a key for the benchmark")
    found = quality(redactor, items(asked.items, asked.seed))
    print(f"{asked.items} turns, seed {asked.seed}: recall {found.recall:.4f}, precision {found.precision:.4f}")
    for kind in sorted(found.hit | found.missed):
        print(f"  {kind:12} {found.hit[kind]:5} found, {found.missed[kind]} missed")
    for said, left in found.errors if asked.errors else ():
        print(f"  {said!r} => {left!r}")
    texts = with_digit_runs([turn.text() for item in load_dialogues(asked.file) for turn in item.turns()], asked.seed)
    mean = sum(map(len, texts)) / len(texts)
    print(f"{speed(redactor, texts):,.0f} turns/s on one core ({len(texts)} turns of {mean:.0f} characters)")
    return 0


def with_digit_runs(texts: Sequence[str], seed: int) -> list[str]:
    """At least 2,000 turns, of which one in ten ends with a number of some kind."""
    rng = random.Random(seed)
    turns = list(texts) * -(-_LEAST_TURNS // len(texts))
    return [f"{text} {rng.choice(_RUNS)(rng)}" if rng.random() < 0.1 else text for text in turns]


if __name__ == "__main__":
    raise SystemExit(main())
