"""Publishing to `lithify-turns`: answered only once the broker has acknowledged."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

from confluent_kafka import KafkaException, Message, Producer
from confluent_kafka.cimpl import KafkaError

from lithify.events import Inbound, encode, user_key
from pipelines.kafka import producer_config
from pipelines.settings import Settings
from pipelines.topics import LARGEST_TURN_BYTES, Topic, topic_name
from workers.gateway.faults import TooLargeError, UnavailableError

GIVE_UP_MS = 5_000
"""A caller waits for its answer, so unlike a relay's, an event is given up; the caller repeats it with the same id."""
_TOO_LARGE = (KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_MSG_SIZE)


class Publisher(Protocol):
    """Takes events to the workers."""

    async def publish(self, events: Sequence[Inbound]) -> None:
        """Return once every event is acknowledged, in order within a user.

        Raises:
            TooLargeError: an event is larger than the topic takes.
            UnavailableError: the broker did not acknowledge; repeating the same events is safe.
        """
        ...

    def published(self, tenant: str, user_id: str, event_id: str) -> bool:
        """Whether this process published that event lately."""
        ...

    async def ready(self) -> str:
        """Tell "ok", or why the broker cannot be reached."""
        ...


class Recent:
    """The last ids published, bounded."""

    def __init__(self, size: int = 50_000) -> None:
        self._size = size
        self._ids: OrderedDict[tuple[str, str, str], None] = OrderedDict()

    def add(self, event: Inbound) -> None:
        """Remember an event that was acknowledged."""
        self._ids[event.tenant, event.user_id, event.id] = None
        if len(self._ids) > self._size:
            self._ids.popitem(last=False)

    def __contains__(self, key: tuple[str, str, str]) -> bool:
        return key in self._ids


class KafkaPublisher:
    """Publishes through librdkafka, idempotent, with the partitioner all clients share."""

    def __init__(self, settings: Settings, give_up_ms: int = GIVE_UP_MS) -> None:
        self._topic = topic_name(settings, Topic.TURNS)
        self._give_up_ms = give_up_ms
        self._producer = Producer(
            producer_config(settings) | {"message.timeout.ms": give_up_ms, "message.max.bytes": LARGEST_TURN_BYTES}
        )
        self._recent = Recent()
        self._stop = threading.Event()
        self._poller = threading.Thread(target=self._poll, name="kafka-delivery-reports", daemon=True)
        self._poller.start()

    async def publish(self, events: Sequence[Inbound]) -> None:
        """See `Publisher.publish`."""
        loop = asyncio.get_running_loop()
        await asyncio.gather(*[self._send(event, loop) for event in events])
        for event in events:
            self._recent.add(event)

    def published(self, tenant: str, user_id: str, event_id: str) -> bool:
        """See `Publisher.published`."""
        return (tenant, user_id, event_id) in self._recent

    async def ready(self) -> str:
        """See `Publisher.ready`."""
        return await asyncio.to_thread(self._look)

    def close(self) -> None:
        """Send what is queued, then stop."""
        self._producer.flush(self._give_up_ms / 1000)
        self._stop.set()
        self._poller.join()

    def _send(self, event: Inbound, loop: asyncio.AbstractEventLoop) -> "asyncio.Future[None]":
        done: asyncio.Future[None] = loop.create_future()

        def report(error: KafkaError | None, _: Message) -> None:
            loop.call_soon_threadsafe(_settle, done, _fault(error) if error else None)

        try:
            self._producer.produce(
                self._topic, encode(event), user_key(event.tenant, event.user_id), on_delivery=report
            )
        except KafkaException as error:
            done.set_exception(_fault(error.args[0]))
        except BufferError:
            done.set_exception(UnavailableError("too many events wait for the broker"))
        return done

    def _poll(self) -> None:
        while not self._stop.is_set():
            self._producer.poll(0.1)

    def _look(self) -> str:
        try:
            topics = self._producer.list_topics(timeout=2.0).topics
        except KafkaException as error:
            return f"unreachable ({error.args[0].name()})"
        return "ok" if self._topic in topics else f"no topic {self._topic}"


def _settle(done: "asyncio.Future[None]", fault: Exception | None) -> None:
    if done.done():
        return
    if fault is None:
        done.set_result(None)
    else:
        done.set_exception(fault)


def _fault(error: KafkaError) -> Exception:
    if error.code() in _TOO_LARGE:
        return TooLargeError("the event is larger than the topic takes")
    return UnavailableError(f"the broker did not acknowledge ({error.name()})")
