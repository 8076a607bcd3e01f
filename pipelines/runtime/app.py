"""The Faust app factory: one app per worker process, with every setting that losing nothing depends on."""

import logging
import os
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import mode.loop

try:
    mode.loop.use("uvloop")  # before faust is imported; 17 to 31 % more throughput
except ImportError:  # pragma: no cover - uvloop has no wheel for this platform
    logging.getLogger(__name__).info("uvloop is not available; using asyncio's own loop")

import faust
from faust.types import StreamT, TransportT
from mode.supervisors import OneForOneSupervisor

from pipelines.runtime import connection, records
from pipelines.runtime.queue import BoundedQueue
from pipelines.runtime.recovery import SteadyTables
from pipelines.runtime.transport import ended, make_transport
from pipelines.settings import Settings
from pipelines.topics import Topic, group_name, topic_name

connection.use()
records.use()
_EXIT_GUARD_SECONDS = 25.0
_RESTARTS_AT_ONCE = 1_000.0
Hook = Callable[[], Awaitable[None]]


class WorkerApp(faust.App):
    """A Faust app that opens and closes what the worker needs, and that always ends when it should."""

    def __init__(self, *args: Any, settings: Settings, opening: Hook, closing: Hook, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._settings = settings
        self._opening = opening
        self._closing = closing
        self._assigned_once = False
        self._assigned_in = 0

    def _new_transport(self) -> TransportT:
        return make_transport(self._settings, self, self.conf.broker_consumer)

    def FlowControlQueue(self, maxsize: int | None = None, *, clear_on_resume: bool = False) -> BoundedQueue:  # noqa: N802
        """A stream's buffer."""
        return BoundedQueue(maxsize or 0, flow_control=self.flow_control, clear_on_resume=clear_on_resume)

    @property
    def joined(self) -> bool:
        """Whether it is a member of its group, and no rebalance is under way."""
        return self._assigned_once and not self.rebalancing

    @property
    def letting_go(self) -> bool:
        """Whether a rebalance waits for the batches at hand.

        Faust calls it `rebalancing` until the streams run again, when batches of the new generation may be at hand
        already: to give those up would be to give their partition up until the next rebalance.
        """
        return bool(self.rebalancing) and self._assigned_in != self.rebalancing_count

    def _create_directories(self) -> None:
        """Without tables there is nothing to keep on disk."""

    async def _on_partitions_assigned(self, *args: Any, **kwargs: Any) -> None:
        self._assigned_in = self.rebalancing_count
        await super()._on_partitions_assigned(*args, **kwargs)
        self._assigned_once = True

    def client_fault(self) -> str | None:
        """What of the Kafka client has ended though it must not; None: nothing."""
        return None if self.should_stop else ended(self.consumer)

    async def on_start(self) -> None:
        """Open before any event arrives."""
        await self._opening()
        await super().on_start()

    async def on_stop(self) -> None:
        """Close once the streams have drained."""
        await super().on_stop()
        await self._closing()

    async def crash(self, reason: BaseException) -> None:
        """A crash ends the process, also where Faust's own shutdown would hang."""
        logging.getLogger(__name__).error("worker crashed: %r", reason)
        arm_exit_guard(_EXIT_GUARD_SECONDS, code=1)
        await super().crash(reason)


def arm_exit_guard(seconds: float, code: int) -> None:
    """End the process after `seconds`, whatever still hangs."""
    timer = threading.Timer(seconds, os._exit, args=(code,))
    timer.daemon = True
    timer.start()


def make_app(settings: Settings, worker: str, *, opening: Hook, closing: Hook) -> WorkerApp:
    """Build the app of one worker. It declares no topics, serves no web pages and keeps no tables."""
    return WorkerApp(
        group_name(settings, worker),
        settings=settings,
        opening=opening,
        closing=closing,
        version=1,
        broker=[f"kafka://{server.strip()}" for server in settings.kafka_bootstrap.split(",")],
        consumer_group_instance_id=f"{settings.instance_id}-{worker}" if settings.instance_id else None,
        value_serializer="raw",
        key_serializer="raw",
        # A stall longer than this makes the member leave the group for good, in silence.
        broker_max_poll_interval=86_400.0,
        # Without it one waiting partition blocks all others.
        broker_max_poll_records=500,
        broker_session_timeout=settings.session_timeout_seconds,
        broker_heartbeat_interval=max(1.0, settings.session_timeout_seconds / 5),
        # An answer that never comes (a line half closed) is given up after this. A join may rightly take as long as
        # the slowest member needs to let go, which is 3 s here, or a dead one to be noticed.
        broker_request_timeout=max(15.0, settings.session_timeout_seconds + 5),
        broker_rebalance_timeout=20.0,
        broker_commit_interval=1.0,
        consumer_auto_offset_reset="earliest",
        consumer_metadata_max_age_ms=5_000,
        # 1 would select the sticky assignor, which leaves a third worker idle.
        table_standby_replicas=0,
        TableManager=SteadyTables,
        topic_allow_declare=False,
        topic_disable_leader=True,
        stream_wait_empty=True,
        # These only log errors; a batch may rightly wait for a database that is down.
        stream_processing_timeout=3600.0,
        broker_commit_livelock_soft_timeout=3600.0,
        web_enabled=False,
        worker_redirect_stdouts=False,
    )


class StreamSupervisor(OneForOneSupervisor):
    """Restarts the streams of partitions that a rebalance took away.

    Faust counts each such restart as a crash and allows 100 a second, but not two within 10 ms (its bucket holds one
    token): a member that lost two partitions at once would end.
    """

    def __init__(self, *services: Any, **options: Any) -> None:
        super().__init__(*services, **options | {"over": _RESTARTS_AT_ONCE})


def add_agent(
    app: WorkerApp, settings: Settings, worker: str, source: Topic, body: Callable[[Any], Awaitable[None]]
) -> None:
    """Let `body` consume the source topic, one stream a partition."""
    topic = app.topic(topic_name(settings, source), key_type=bytes, value_type=bytes, internal=False)

    async def consume(stream: StreamT[bytes]) -> None:
        await body(stream)

    app.agent(topic, name=worker, isolated_partitions=True, supervisor_strategy=StreamSupervisor)(consume)
