"""The worker of `tests.support.faust_worker`, whose Kafka client drops what it is asked as it does for a new rebalance.

While FOLDER holds a file `drop`, going back to the committed offsets is dropped, and the file taken away; with `refuse`
likewise it fails. With `end` what looks after the cluster ends, as it would by a fault of the client's.
"""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from aiokafka.client import AIOKafkaClient
from faust.transport.drivers import aiokafka as driver
from faust.types import TP

from pipelines.runtime.service import run_worker
from pipelines.settings import load_settings
from tests.support.faust_worker import Counting

SWITCHES: dict[str, type[BaseException]] = {"drop": asyncio.CancelledError, "refuse": OSError}


def falter(folder: Path) -> None:
    """Let the client obey the switches in `folder`."""
    seek = driver.AIOKafkaConsumerThread.seek_to_committed

    async def faltering(self: driver.AIOKafkaConsumerThread) -> Mapping[TP, int]:
        for name, fault in SWITCHES.items():
            if (folder / name).exists():
                (folder / name).unlink()
                raise fault(name)
        found: Mapping[TP, int] = await seek(self)
        return found

    look_after = AIOKafkaClient._md_synchronizer

    async def ending(self: AIOKafkaClient) -> None:
        if (folder / "end").exists():
            raise RuntimeError("told to end")
        await look_after(self)

    AIOKafkaClient._md_synchronizer = ending
    driver.AIOKafkaConsumerThread.seek_to_committed = faltering  # type: ignore[method-assign]


if __name__ == "__main__":
    falter(Path(sys.argv[1]))
    run_worker(Counting(Path(sys.argv[1])), load_settings())
