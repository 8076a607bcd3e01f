"""Printing results as tables."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.replay import Replayed

MEGABYTE = 1_000_000


def show_replay(done: Replayed, console: Console | None = None) -> None:
    """Print what came of one replay."""
    console = console or Console(highlight=False)
    rows = [
        ("turns", f"{done.turns}"),
        ("known before", f"{done.turns - len(done.lags)}"),
        ("claims", f"{done.claims}"),
        ("facts", f"{done.facts}"),
        ("overrides", f"{done.overrides}"),
        ("dead letters", f"{done.dead_letters}"),
        *((f"applied by {worker}", f"{count}") for worker, count in done.inbox.items()),
        ("turns/s, end to end", f"{done.rate:.0f}"),
        ("turn-to-fact lag p50, s", f"{done.lag(0.5):.3f}"),
        ("turn-to-fact lag p99, s", f"{done.lag(0.99):.3f}"),
    ]
    console.print(table(("", "value"), rows))
    if done.memory:
        show_memory(done.memory, console)


def show_memory(memory: Mapping[str, int], console: Console) -> None:
    """Print the memory of each process."""
    console.print(table(("process", "peak MB"), [(name, f"{size / MEGABYTE:.0f}") for name, size in memory.items()]))


def table(head: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> Table:
    """A table; every column but the first is of numbers."""
    made = Table(title=title, title_justify="left")
    for index, name in enumerate(head):
        made.add_column(name, justify="left" if index == 0 else "right")
    for row in rows:
        made.add_row(*row)
    return made
