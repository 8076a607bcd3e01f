"""The worker of `faust_worker`, with its waits cut short, that writes down how much it holds as it goes.

Run as `python -m tests.support.growing_worker FOLDER`. What recurs while nothing happens (a poll that finds nothing, a
fetch, a commit of offsets) recurs `SPEED` times as often, in the proportions of production, so that the polls of an
hour pass in a minute or less. A line of `growth.jsonl` in FOLDER follows every `EVERY` polls. While FOLDER holds a file
`leaking`, each poll leaves one object behind: that must be noticed.
"""

import gc
import json
import os
import sys
import tracemalloc
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pipelines.runtime import app as runtime
from pipelines.runtime.service import run_worker
from pipelines.settings import load_settings
from tests.support.faust_worker import Counting

SPEED = 200
EVERY = 250
GROWTH = "growth.jsonl"
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Sample:
    """What the process held, when so many polls and events were behind it."""

    polls: int
    events: int
    objects: int
    """Blocks of memory that the interpreter has given out."""
    traced: int
    """Bytes of Python's."""
    resident: int
    """Bytes of the process, libraries in C and all."""


class Probe:
    """Counts polls, and takes the samples."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._polls = 0
        self._leaked: list[object] = []
        self.events = 0

    def polled(self) -> None:
        """A poll begins."""
        self._polls += 1
        if (self._folder / "leaking").exists():
            self._leaked.append(object())
        if self._polls % EVERY == 0:
            with (self._folder / GROWTH).open("a") as file:
                file.write(json.dumps(asdict(self._sample())) + "\n")

    def _sample(self) -> Sample:
        gc.collect()
        objects, traced = sys.getallocatedblocks(), tracemalloc.get_traced_memory()[0]
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
        return Sample(self._polls, self.events, objects, traced, resident)


def read_samples(folder: Path) -> list[Sample]:
    """What a worker has written so far."""
    path = folder / GROWTH
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [Sample(**json.loads(line)) for line in lines]


def quickened(probe: Probe) -> type[runtime.WorkerApp]:
    """The app with its waits cut short."""

    class Quick(runtime.WorkerApp):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs | {"broker_commit_interval": kwargs["broker_commit_interval"] / SPEED})

        def _new_transport(self) -> Any:
            transport = super()._new_transport()

            class Consumer(transport.Consumer):  # type: ignore[name-defined,misc]
                async def _getmany(self, active_partitions: Any, timeout: float) -> Any:
                    probe.polled()
                    records = await super()._getmany(active_partitions, timeout / SPEED)
                    probe.events += sum(map(len, records.values()))
                    return records

            transport.Consumer = Consumer  # type: ignore[misc]
            return transport

    return Quick


def main() -> None:
    """Run until told to stop."""
    folder = Path(sys.argv[1])
    settings = load_settings()
    runtime.WorkerApp = quickened(Probe(folder))  # type: ignore[misc]
    tracemalloc.start()
    run_worker(
        Counting(folder), settings.model_copy(update={"fetch_wait_seconds": settings.fetch_wait_seconds / SPEED})
    )


if __name__ == "__main__":
    main()
