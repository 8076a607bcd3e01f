"""`lag`: how far behind each worker is, as time."""

from dataclasses import asdict
from typing import Annotated

import typer

from pipelines.observe.lag import LagReader, PartitionLag, Reading
from pipelines.settings import Settings
from workers.operate.console import AsJson, ExitState, fail, quiet, say, say_json, settings_or_exit

_HEAD = ("worker", "partition", "behind", "committed", "oldest", "lost")
_SECONDS = 10.0


def lag_command(
    as_json: AsJson = False,
    over: Annotated[
        float | None, typer.Option(help="Exit state 1 if any partition is more seconds behind than this.")
    ] = None,
) -> None:
    """How far behind each worker is: the age of the oldest event it has not finished with, by partition."""
    settings = settings_or_exit()
    quiet()
    reading = read_lag(settings)
    if as_json:
        partitions = [{**asdict(lag), "lost": lag.lost} for lag in reading.partitions]
        say_json({"partitions": partitions, "unknown": reading.unknown})
    else:
        say(as_table(reading))
    if reading.unknown:
        why = "; ".join(f"{worker}: {reason}" for worker, reason in sorted(reading.unknown.items()))
        fail(f"lag: unknown of {why}", ExitState.FINDINGS if reading.partitions else ExitState.UNREACHABLE)
    if over is not None and any(lag.seconds is not None and lag.seconds > over for lag in reading.partitions):
        fail(f"lag: more than {over:g} s behind", ExitState.FINDINGS)


def read_lag(settings: Settings) -> Reading:
    """Look once at every worker's lag."""
    reader = LagReader(settings)
    try:
        return reader.read(_SECONDS)
    finally:
        reader.close()


def as_table(reading: Reading) -> str:
    """One line a partition."""
    rows = [_HEAD, *(_row(lag) for lag in reading.partitions)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _row(lag: PartitionLag) -> tuple[str, ...]:
    seconds = "unknown" if lag.seconds is None else f"{lag.seconds:.1f} s"
    committed = "none yet" if lag.committed is None else str(lag.committed)
    return (lag.worker, str(lag.partition), seconds, committed, str(lag.oldest), str(lag.lost))
