"""How long a slot takes to fold: from all of its evidence, and one claim further from a checkpoint.

    python -m benchmarks.fold [--slots 1000]

Simulated users with 200 claims each and one contender, on as many days and within six weeks. Times are those of the
processor, on one core.
"""

import argparse
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import TypeVar

from rich.console import Console

from benchmarks.promotion.ours import evidence_of
from benchmarks.promotion.worlds import BASE, World, simulate
from benchmarks.report import table
from lithify.domain.catalog import Attribute, AttributeKind
from lithify.domain.claims import Cardinality, Evidence
from lithify.domain.policy import Policy
from lithify.domain.sessions import Session, fold_sessions
from lithify.domain.slots import Checkpoint, begin, extend, replay
from lithify.domain.slots.state import SlotState

CLAIMS = 200
STEPS = 20
"""How many of a slot's last claims are timed one by one."""
WORLDS = (
    replace(BASE, name="daily", days=300),
    replace(BASE, name="six weeks", per_day=(4, 6), days=70),
)
_DRINK = Attribute("drink", AttributeKind.PREFERENCE, Cardinality.SINGLE, "drink", "饮品")
_SLOT = "benchmark"
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class Case:
    """One slot."""

    evidence: Sequence[Evidence]
    sessions: Sequence[Session]


def cases(world: World, slots: int) -> Iterator[Case]:
    """Slots of `CLAIMS` claims, each with the sessions of its user."""
    for seed in range(slots):
        evidence = sorted(evidence_of(simulate(world, seed, changes=False)), key=lambda item: item.occurred_at)[:CLAIMS]
        sessions = [session for item in evidence for session in fold_sessions(item.session_id, [item.occurred_at])]
        yield Case(evidence, sessions)


def full(case: Case) -> list[float]:
    """Seconds of a full replay."""
    return [_timed(lambda: replay(_SLOT, _DRINK, case.evidence, case.sessions, Policy()))[1]]


def steps(case: Case) -> list[float]:
    """Seconds of each of the last steps, a claim and its session at a time.

    Raises:
        AssertionError: the last step's state is not that of the full replay.
    """
    known = CLAIMS - STEPS
    state, checkpoint = extend(begin(_SLOT, _DRINK, Policy()), case.evidence[:known], case.sessions[:known])
    seconds = []
    for number in range(known, CLAIMS):
        step = _step(checkpoint, case, number)
        (state, checkpoint), took = _timed(step)
        seconds.append(took)
    assert state == replay(_SLOT, _DRINK, case.evidence, case.sessions, Policy())
    return seconds


def _step(checkpoint: Checkpoint, case: Case, number: int) -> Callable[[], tuple[SlotState, Checkpoint]]:
    return lambda: extend(checkpoint, [case.evidence[number]], case.sessions[: number + 1])


def _timed(work: Callable[[], Done]) -> tuple[Done, float]:
    start = process_time()
    done = work()
    return done, process_time() - start


def main(argv: Sequence[str] | None = None) -> int:
    """Time both, and print the figures. Returns the exit code, 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fold", description=__doc__.splitlines()[0])
    parser.add_argument("--slots", type=int, default=1000, help="how many slots are folded (default: 1000)")
    slots = parser.parse_args(argv).slots
    rows = []
    for world in WORLDS:
        for name, measure in (("full replay", full), ("one more claim", steps)):
            taken = [seconds for case in cases(world, slots) for seconds in measure(case)]
            rows.append((f"{name}, {world.name}", *_figures(taken)))
    heads = (f"{slots} slots, {CLAIMS} claims each", "median", "p99", "total")
    Console().print(table(heads, rows))
    return 0


def _figures(taken: Sequence[float]) -> tuple[str, str, str]:
    p99 = statistics.quantiles(taken, n=100)[-1]
    return f"{1000 * statistics.median(taken):.2f} ms", f"{1000 * p99:.2f} ms", f"{sum(taken):.1f} s"


if __name__ == "__main__":
    raise SystemExit(main())
