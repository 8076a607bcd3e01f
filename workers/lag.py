"""What `python -m workers lag` prints."""

from typing import Any

from pipelines.observe.lag import LagReader, PartitionLag, Reading
from pipelines.settings import Settings

_HEAD = ("worker", "partition", "behind", "committed", "oldest", "lost")


def read_lag(settings: Settings) -> Reading:
    """Look once at every worker's lag."""
    reader = LagReader(settings)
    try:
        return reader.read(timeout=10.0)
    finally:
        reader.close()


def as_table(reading: Reading) -> str:
    """One line a partition, then what is unknown and why."""
    rows = [_HEAD, *(_row(lag) for lag in reading.partitions)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, *(f"{worker}: unknown: {why}" for worker, why in sorted(reading.unknown.items()))])


def as_json(reading: Reading) -> dict[str, Any]:
    """The same for programs; seconds are null where they are unknown."""
    partitions = [
        {
            "worker": lag.worker,
            "topic": lag.topic,
            "partition": lag.partition,
            "seconds": lag.seconds,
            "committed": lag.committed,
            "oldest": lag.oldest,
            "lost": lag.lost,
        }
        for lag in reading.partitions
    ]
    return {"partitions": partitions, "unknown": dict(reading.unknown)}


def behind(reading: Reading, seconds: float) -> list[PartitionLag]:
    """Partitions whose lag is above a limit."""
    return [lag for lag in reading.partitions if lag.seconds is not None and lag.seconds > seconds]


def _row(lag: PartitionLag) -> tuple[str, ...]:
    seconds = "unknown" if lag.seconds is None else f"{lag.seconds:.1f} s"
    committed = "none yet" if lag.committed is None else str(lag.committed)
    return (lag.worker, str(lag.partition), seconds, committed, str(lag.oldest), str(lag.lost))
