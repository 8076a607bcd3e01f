"""A worker process for contract tests of the runtime: takes events into its inbox, and gets stuck on demand.

Run as `python -m tests.support.faust_worker FOLDER`: while FOLDER holds a file named after a partition, the batches of
that partition fail as if the database were away.
"""

import sys
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
        for item in [*batch.fresh, *batch.repeated]:
            if (self._switches / str(item.record.partition)).exists():
                raise Transient("told to be stuck")
        return Effects()


if __name__ == "__main__":
    run_worker(Counting(Path(sys.argv[1])), load_settings())
