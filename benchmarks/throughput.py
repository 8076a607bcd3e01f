"""How fast turns become facts on the embedded stack: turns/s, turn-to-fact lag, memory, and where the time goes.

    python -m benchmarks.throughput [FILE] [--runs 3] [--profile DIR]
        [--bootstrap HOST:PORT] [--partitions 4] [--replicas 1] [--soak MINUTES [--rate TURNS]]

Each run replays the same dialogues as new users. Full speed is the median over the runs; then one run at half that
rate, which the workers keep up with, shows the lag without a queue. As in production the disk is waited for, and
embedding goes on beside, at its low priority. With `--bootstrap` it runs on a real Kafka, with topics of its own; with
`--soak` turns then flow at half speed, or at `--rate` a second, for so many minutes, with each minute's lag and memory.
"""

import argparse
import math
import os
import signal
import statistics
import sys
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from rich.console import Console

from benchmarks.locomo import SYNTHETIC, Dialogue, load_dialogues
from benchmarks.memory import resident_by_process
from benchmarks.profile import ProfileError, Profiler
from benchmarks.replay import Replayed, ReplayError, replay
from benchmarks.replicas import more_workers
from benchmarks.report import show_memory, table
from lithify.events import Turn
from ops.local.errors import StackError
from ops.local.stack import PARTS, Stack
from pipelines.settings import Settings, load_settings

BESIDE = Path(__file__).parents[2] / "shared" / "data" / "locomo_open.json"
"""The real file, where it lies beside the checkout; it may not be part of it."""
TURNS = 2_000


@dataclass(frozen=True, slots=True)
class Measured:
    """All runs of one benchmark."""

    full: Sequence[Replayed]
    half: Replayed

    def median_rate(self) -> float:
        """Turns a second at full speed."""
        return statistics.median(run.rate for run in self.full)

    def median_lag(self, quantile: float) -> float:
        """A quantile of the lag at full speed, in seconds, median over the runs."""
        return statistics.median(run.lag(quantile) for run in self.full)


@dataclass(frozen=True, slots=True)
class Setup:
    """What is measured.

    Attributes:
        bootstrap: Of a real Kafka; None: the embedded broker.
        partitions: Of each topic.
        replicas: Of each worker.
        soak: Minutes of turns after the runs; 0: none.
        rate: Turns a second of the soak; None: half the speed of the runs.
    """

    bootstrap: str | None = None
    partitions: int = 4
    replicas: int = 1
    soak: int = 0
    rate: float | None = None

    def environment(self) -> dict[str, str]:
        """What the stack's processes inherit: no settings but these."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("LITHIFY_")}
        own["LITHIFY_PARTITIONS"] = str(self.partitions)
        if self.bootstrap is not None:
            own |= {"LITHIFY_KAFKA_BOOTSTRAP": self.bootstrap, "LITHIFY_INSTANCE_ID": "slot-1"}
            own["LITHIFY_TOPIC_PREFIX"] = f"bench-{uuid.uuid4().hex[:8]}"
        return own

    def parts(self) -> list[str]:
        """Which parts of the stack run."""
        return [name for name in PARTS if not (name == "broker" and self.bootstrap is not None)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark.

    Returns:
        The exit code: 0; 1 if the stack failed, anything was lost, or the file cannot be read.
    """
    arguments = _parser().parse_args(argv)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        dialogues = load_dialogues(arguments.file or default_file())
        setup = Setup(arguments.bootstrap, arguments.partitions, arguments.replicas, arguments.soak, arguments.rate)
        measure(dialogues, arguments.runs, arguments.turns, arguments.profile, Console(highlight=False), setup)
    except (OSError, ValueError, StackError, ReplayError, ProfileError) as error:
        print(f"throughput: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("throughput: stopped", file=sys.stderr)
        return 130
    return 0


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Being told to end is as good as Ctrl-C: the stack must not stay behind."""
    raise KeyboardInterrupt


def default_file() -> Path:
    """The real file where it is there, else the synthetic one."""
    return BESIDE if BESIDE.exists() else SYNTHETIC


def measure(
    dialogues: Sequence[Dialogue],
    runs: int,
    least: int,
    profile: Path | None,
    console: Console,
    setup: Setup | None = None,
) -> Measured:
    """Start a stack, measure, print, and stop it.

    Args:
        dialogues: what is said.
        runs: at full speed, at least 1.
        least: turns of a run; the dialogues are repeated until there are so many.
        profile: folder for profiles of one more run, or None.
        console: where the tables go.
        setup: servers and replicas; by default the embedded stack as it is.

    Raises:
        StackError, ReplayError, ProfileError.
    """
    setup = setup or Setup()
    environment = setup.environment()
    with (
        tempfile.TemporaryDirectory(prefix="lithify-bench-", ignore_cleanup_errors=True) as folder,
        Stack(Path(folder), setup.parts(), environment=environment) as stack,
        more_workers(environment | stack.settings_env, setup.replicas) as more,
    ):
        settings = load_settings(stack.settings_env)
        pids = {name: stack.pid(name) for name in setup.parts()} | more
        replay(_turns(dialogues[:1], "-warm"), settings)
        full = [replay(run_turns(dialogues, f"-{run}", least), settings, pids=pids) for run in range(runs)]
        rate = statistics.median(run.rate for run in full)
        half = replay(run_turns(dialogues, "-half", least), settings, rate=rate / 2, pids=pids)
        measured = Measured(full, half)
        _show(measured, console)
        if setup.soak:
            _soak(dialogues, setup.soak, setup.rate or rate / 2, settings, pids, console)
        if profile is not None:
            _profile(run_turns(dialogues, "-profile", least), settings, Profiler(profile, pids), console)
    return measured


def run_turns(dialogues: Sequence[Dialogue], run: str, least: int) -> list[Turn]:
    """The turns of one run: every dialogue, as often as it takes to have `least` of them."""
    size = sum(len(dialogue.turns()) for dialogue in dialogues)
    return [turn for copy in range(math.ceil(least / size)) for turn in _turns(dialogues, f"{run}.{copy}")]


def _turns(dialogues: Sequence[Dialogue], run: str) -> list[Turn]:
    return [turn for dialogue in dialogues for turn in dialogue.turns(run)]


def _show(measured: Measured, console: Console) -> None:
    half = measured.half
    rows = [
        _row(f"full, median of {len(measured.full)}", *_figures(measured)),
        _row("half that rate", half.rate, half.lag(0.5), half.lag(0.99)),
    ]
    title = f"{half.turns} turns a run, {os.cpu_count()} processors"
    console.print(table(("speed", "turns/s", "lag p50, s", "lag p99, s"), rows, title))
    show_memory(half.memory, console)


def _soak(
    dialogues: Sequence[Dialogue],
    minutes: int,
    rate: float,
    settings: Settings,
    pids: Mapping[str, int],
    console: Console,
) -> None:
    """Turns in so many parts of a minute or, as no dialogue is cut, somewhat more; in the end the slopes of memory."""
    sizes: list[dict[str, int]] = []
    for minute in range(minutes):
        run = replay(run_turns(dialogues, f"-soak{minute}", max(1, int(rate * 60))), settings, rate=rate)
        sizes.append(resident_by_process(pids))
        memory = ", ".join(f"{name} {size / 1e6:.1f}" for name, size in sizes[-1].items())
        console.print(f"part {minute + 1}: {run.rate:.0f} turns/s, lag p99 {run.lag(0.99):.3f} s; MB: {memory}")
    later = sizes[len(sizes) // 3 :]
    if len(later) > 1:
        console.print("last two thirds, MB a part: " + ", ".join(f"{name} {_slope(later, name):+.2f}" for name in pids))


def _slope(sizes: Sequence[Mapping[str, int]], name: str) -> float:
    return statistics.linear_regression(range(len(sizes)), [size[name] / 1e6 for size in sizes]).slope


def _figures(measured: Measured) -> tuple[float, float, float]:
    return measured.median_rate(), measured.median_lag(0.5), measured.median_lag(0.99)


def _row(name: str, rate: float, p50: float, p99: float) -> tuple[str, str, str, str]:
    return name, f"{rate:.0f}", f"{p50:.3f}", f"{p99:.3f}"


def _profile(turns: Sequence[Turn], settings: Settings, profiler: Profiler, console: Console) -> None:
    with profiler:
        replay(turns, settings)
    for worker, shares in profiler.shares().items():
        rows = [(name, f"{share:.1%}") for name, share in shares]
        console.print(table(("function", "share"), rows, f"{worker}: time on the processor by function"))
    console.print(f"collapsed stacks, for speedscope or flamegraph.pl: {profiler.folder}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.throughput", description=__doc__.split("\n", 1)[0])
    parser.add_argument("file", type=Path, nargs="?", help="in LoCoMo's format; by default the real one, or ours")
    parser.add_argument("--runs", type=_positive, default=3, help="at full speed; default: %(default)s")
    parser.add_argument("--turns", type=_positive, default=TURNS, help="at least, in a run; default: %(default)s")
    parser.add_argument("--bootstrap", metavar="HOST:PORT", help="of a real Kafka, instead of the embedded broker")
    parser.add_argument("--partitions", type=_positive, default=4, help="of each topic; default: %(default)s")
    parser.add_argument("--replicas", type=_positive, default=1, help="of each worker; default: %(default)s")
    parser.add_argument("--soak", type=int, default=0, metavar="MINUTES", help="after the runs; dialogues are not cut")
    parser.add_argument(
        "--rate", type=float, metavar="TURNS", help="a second, of the soak; default: half the speed of the runs"
    )
    parser.add_argument("--profile", type=Path, metavar="DIR", help="profile the workers with py-spy into this folder")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


if __name__ == "__main__":
    raise SystemExit(main())
