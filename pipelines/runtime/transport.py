"""Faust's Kafka driver with five things that it fixes and we need otherwise.

How long a fetch may wait for data.
Faust asks the broker to hold an empty fetch for up to 1.5 s. Apache Kafka answers as soon as there is data; the
embedded broker looks for it ever more seldom while it holds one, which costs half a second at each of four stages.

What of transactions is read: what was committed. Faust reads what was taken back, too, unless it writes some itself.

Where a partition without a committed offset is read from: after a rebalance Faust goes back to committed offsets, and
its driver leaves a partition that has none where the last fetch ended, though what that fetched has been dropped. Here
such a partition is read from its start.

What a seek does that fails: it is tried again, unless another rebalance has come, which brings a seek of its own.

And a look at what must not end: the tasks of the client that look after the cluster, the group and the fetching.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from faust.transport.drivers import aiokafka as driver
from faust.types import TP, AppT

from pipelines.kafka import ISOLATION
from pipelines.runtime.recovery import RebalanceAgain
from pipelines.settings import Settings

_log = logging.getLogger(__name__)
_PAUSE_SECONDS = 0.5


def make_transport(settings: Settings, app: AppT, url: Any) -> driver.Transport:
    """The transport of `app` to the brokers of `url`, with the fetch wait of the settings."""

    class _Thread(driver.AIOKafkaConsumerThread):
        def _create_worker_consumer(self, transport: driver.Transport) -> Any:
            consumer = super()._create_worker_consumer(transport)
            consumer._fetch_max_wait_ms = int(settings.fetch_wait_seconds * 1000)
            consumer._isolation_level = ISOLATION
            return consumer

        async def seek_to_committed(self) -> Mapping[TP, int]:
            committed = await super().seek_to_committed()
            fresh = [place for place, offset in committed.items() if not offset]
            if fresh:
                await self.seek_to_beginning(*fresh)
            return committed

    class _Consumer(driver.Consumer):
        async def perform_seek(self) -> None:
            generation = app.consumer_generation_id
            while True:
                try:
                    await super().perform_seek()
                except (Exception, asyncio.CancelledError) as error:
                    if asyncio.current_task().cancelling():  # type: ignore[union-attr]  # it runs in a task
                        raise
                    if app.consumer_generation_id != generation:
                        raise RebalanceAgain from error
                    _log.warning("going back to the committed offsets failed, once more: %r", error)
                    await asyncio.sleep(_PAUSE_SECONDS)
                else:
                    return

        def _new_consumer_thread(self) -> driver.AIOKafkaConsumerThread:
            return _Thread(self, loop=self.loop, beacon=self.beacon)

    class Transport(driver.Transport):
        Consumer = _Consumer

    return Transport(url, app)


def ended(consumer: Any) -> str | None:
    """Which task of a consumer's Kafka client has ended though it must not; None: none, or there is no client yet."""
    client = getattr(consumer._thread, "_consumer", None)
    if client is None or client._closed:
        return None
    tasks = {
        "metadata": client._client._sync_task,
        "group": getattr(client._coordinator, "_coordination_task", None),
        "fetching": getattr(client._fetcher, "_fetch_task", None),
    }
    over = ((name, task) for name, task in tasks.items() if task is not None and task.done())
    return next((f"{name}: {_why(task)}" for name, task in over), None)


def _why(task: "asyncio.Task[Any]") -> str:
    return "cancelled" if task.cancelled() else repr(task.exception())
