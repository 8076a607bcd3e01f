"""A worker process for contract tests of the runtime: takes events into its inbox, and gets stuck on demand.

Run as `python -m tests.support.faust_worker FOLDER`: while FOLDER holds a file named after a partition, the batches of
that partition fail as if the database were away; with `.hang` behind the number they do not end, with `.poison` each
event makes the worker raise. A file `blocked` stops the whole event loop for as long as it is there.
"""

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pipelines.effects import Effects
from pipelines.failures import Transient
from pipelines.runtime.service import run_worker
from pipelines.runtime.worker import Batch, Item, Periodic, Record
from pipelines.settings import load_settings
from pipelines.store.unit_of_work import NO_SUBJECT, Receipt, UnitOfWork
from pipelines.topics import Topic


class Counting:
    """Enters each event in the inbox under its partition and offset."""

    name = "counting"
    source = Topic.TURNS
    locks_subjects = False
    periodics: Sequence[Periodic] = ()

    def __init__(self, switches: Path) -> None:
        self._switches = switches

    def read(self, record: Record) -> Item[None]:
        """Any bytes will do."""
        place = f"{record.partition}/{record.offset}"
        return Item(record, Receipt("t", place, NO_SUBJECT, ""), None, epoch=None)

    async def handle(self, unit: UnitOfWork, batch: Batch[None]) -> Effects:  # noqa: ARG002
        """Nothing but the inbox is written."""
        for number in {item.record.partition for item in [*batch.fresh, *batch.repeated]}:
            if self._is_on(str(number)):
                raise Transient("told to be stuck")
            while self._is_on(f"{number}.hang"):
                await asyncio.sleep(0.05)
            if self._is_on(f"{number}.poison"):
                raise KeyError("told to be a defect")
        while self._is_on("blocked"):
            time.sleep(0.05)
        return Effects()

    def _is_on(self, switch: str) -> bool:
        return (self._switches / switch).exists()


if __name__ == "__main__":
    run_worker(Counting(Path(sys.argv[1])), load_settings())
