"""Faust's Kafka driver with the one setting that it fixes and we need: how long a fetch may wait for data.

Faust asks the broker to hold an empty fetch for up to 1.5 s. Apache Kafka answers as soon as there is data; the
embedded broker looks for it ever more seldom while it holds one, which costs half a second at each of four stages.
"""

from typing import Any

from faust.transport.drivers import aiokafka as driver
from faust.types import AppT

from pipelines.settings import Settings


def make_transport(settings: Settings, app: AppT, url: Any) -> driver.Transport:
    """The transport of `app` to the brokers of `url`, with the fetch wait of the settings."""

    class _Thread(driver.AIOKafkaConsumerThread):
        def _create_worker_consumer(self, transport: driver.Transport) -> Any:
            consumer = super()._create_worker_consumer(transport)
            consumer._fetch_max_wait_ms = int(settings.fetch_wait_seconds * 1000)
            return consumer

    class _Consumer(driver.Consumer):
        def _new_consumer_thread(self) -> driver.AIOKafkaConsumerThread:
            return _Thread(self, loop=self.loop, beacon=self.beacon)

    class Transport(driver.Transport):
        Consumer = _Consumer

    return Transport(url, app)
