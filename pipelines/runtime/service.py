"""One worker process: Faust app, processor, relay, recurring work and health, wired together."""

import asyncio
import logging
import os
import signal
from typing import Any, NoReturn

import faust
from faust.types import StreamT

from pipelines import metrics
from pipelines.envelope import Codec, PlainCodec
from pipelines.kafka import make_admin, topic_fault
from pipelines.logs import setup_logging
from pipelines.observe.lag import LagReader
from pipelines.runtime.app import add_agent, arm_exit_guard, make_app
from pipelines.runtime.body import StreamBody
from pipelines.runtime.gaps import listen_for_gaps
from pipelines.runtime.health import HealthServer
from pipelines.runtime.parked import parked_release
from pipelines.runtime.processor import Processor
from pipelines.runtime.relay import Relay
from pipelines.runtime.watch import StallWatch, watch_client, watch_loop
from pipelines.runtime.worker import Periodic, Progress, Worker
from pipelines.settings import Settings
from pipelines.store.pool import Pool, make_pool
from pipelines.topics import topic_name

_log = logging.getLogger(__name__)
_STOP_GUARD_SECONDS = 30.0
_PROBE_SECONDS = 2.0
EXIT_CAP = 4
"""Exit state of a worker that stopped itself: see the cap on dead letters."""
_LOOKS_PER_STALL = 6
_CHATTY = (
    *("faust", "mode", "aiokafka", "psycopg.pool", "asyncio", "kafka"),
    *("openai", "httpx2", "httpcore2"),  # they log whole requests, and with them what users said
    # Services of Faust's log under our modules' names.
    *("pipelines.runtime.app", "pipelines.runtime.recovery", "pipelines.runtime.transport"),
)


class Service:
    """Everything one worker process holds."""

    def __init__(self, worker: Worker[Any], settings: Settings, codec: Codec) -> None:
        self._worker = worker
        self._settings = settings
        self._tasks: list[asyncio.Task[None]] = []
        self._codec = codec
        self.app = make_app(settings, worker.name, opening=self.open, closing=self.close)
        add_agent(self.app, settings, worker.name, worker.source, self._consume)
        self._admin = make_admin(settings)
        self._progress = Progress()
        self._pool: Pool
        self._body: StreamBody

    @property
    def stopped_by(self) -> str | None:
        """Why it stops by itself; None: it does not."""
        return self._progress.stopped_by

    async def open(self) -> None:
        """Open the pool and start what runs beside the stream."""
        progress = self._progress
        self._pool = make_pool(self._settings, self._worker.name)
        await self._pool.open(wait=False)
        self._relay = Relay(self._worker.name, self._settings, self._pool, progress)
        processor = Processor(self._worker, self._settings, self._pool, self._codec)
        self._body = StreamBody(
            self._worker.name,
            self.app,
            processor.process,
            progress,
            self._relay.wake,
            stop_this_process,
            self._settings.attempt_seconds,
        )
        metrics.prepare(self._worker.name)
        self._health = HealthServer(self._worker.name, self._settings, progress, self._assigned, self._probe)
        await self._health.start()
        self._lag = LagReader(self._settings, {self._worker.name: self._worker.source})
        watch = StallWatch(
            self._worker.name,
            self._lag.read,
            progress,
            self._partitions,
            self._settings.stall_seconds / _LOOKS_PER_STALL,
        )
        release = parked_release(self._worker.name, self._settings)
        self._tasks = [
            asyncio.create_task(self._relay.run()),
            asyncio.create_task(watch.run()),
            asyncio.create_task(watch_loop(self._worker.name)),
            asyncio.create_task(watch_client(self.app.client_fault, self.app.crash)),
            *(asyncio.create_task(self._repeat(item)) for item in [*self._worker.periodics, release]),
        ]

    async def close(self) -> None:
        """Stop what `open` started. The relay finishes its page."""
        if not self._tasks:
            return
        self._relay.stop()
        relay, *periodics = self._tasks
        for task in periodics:
            task.cancel()
        await asyncio.wait([relay], timeout=5)
        await asyncio.gather(*periodics, return_exceptions=True)
        await self._health.stop()
        await asyncio.to_thread(self._lag.close)
        await self._pool.close(timeout=3)

    async def _consume(self, stream: StreamT[bytes]) -> None:
        await self._body.run(stream, self._settings.batch_size, self._settings.batch_within_seconds)

    async def _repeat(self, periodic: Periodic) -> None:
        """Run recurring work for ever. No exception leaves the task, for it would crash the worker."""
        failures = metrics.PERIODIC_FAILURES.labels(self._worker.name, periodic.name)
        while True:
            try:
                async with asyncio.timeout(periodic.at_most):
                    await periodic.run(self._pool)
                self._relay.wake()
            except Exception as error:  # noqa: BLE001 - recurring work is tried again at its next turn
                failures.inc()
                _log.warning("%s: %s: %s", periodic.name, type(error).__name__, error)
            await asyncio.sleep(periodic.seconds)

    def _assigned(self) -> int | None:
        """Partitions of this process; None until it has joined its group."""
        return len(self.app.consumer.assignment()) if self.app.joined else None

    def _partitions(self) -> frozenset[int] | None:
        """Which ones; None likewise."""
        return frozenset(place.partition for place in self.app.consumer.assignment()) if self.app.joined else None

    async def _probe(self) -> str | None:
        """What the worker depends on and cannot reach; None: all is there."""
        source = topic_name(self._settings, self._worker.source)
        return await self._database_fault() or await asyncio.to_thread(topic_fault, self._admin, source)

    async def _database_fault(self) -> str | None:
        asking = asyncio.create_task(self._ask_database())
        await asyncio.wait({asking}, timeout=_PROBE_SECONDS)
        if asking.done():
            return asking.result()
        asking.cancel()  # on a dead line that takes seconds, for which nobody waits
        return f"database: no answer within {_PROBE_SECONDS:.0f} s"

    async def _ask_database(self) -> str | None:
        try:
            async with self._pool.connection(timeout=1) as connection:
                await connection.execute("select 1")
        except Exception as error:  # noqa: BLE001 - whatever is wrong, the answer is the reason
            return f"database: {type(error).__name__}: {error}"
        return None


def setup_worker_logging(level: str) -> None:
    """As everywhere, the libraries only from WARNING on."""
    setup_logging(level)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("aiokafka").addFilter(_Throttle())
    for name in ("mode", "faust"):
        logging.getLogger(name).addFilter(_no_cancelled_actors)


class _Throttle(logging.Filter):
    """Without a broker aiokafka logs hundreds of lines a second: one of each a second is enough."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to let the record pass."""
        if record.created - self._last.get(record.msg, 0.0) < 1.0:
            return False
        self._last[record.msg] = record.created
        return True


def _no_cancelled_actors(record: logging.LogRecord) -> bool:
    """Each rebalance "crashes" the actors of revoked partitions; that is how Faust ends them."""
    return "CancelledError" not in record.getMessage()


def run_worker(worker: Worker[Any], settings: Settings, codec: Codec | None = None) -> NoReturn:
    """Run a worker until it is told to stop, or its dead letters pass the cap.

    Raises:
        SystemExit: 0 after a signal, 1 after a crash, `EXIT_CAP` past the cap.
    """
    setup_worker_logging(settings.log_level)
    listen_for_gaps(worker.name, settings)
    service = Service(worker, settings, codec or PlainCodec())
    process = _Process(service.app, override_logging=False, redirect_stdouts=False, quiet=True)
    process.spinner = None
    try:
        process.execute_from_commandline()
    except SystemExit as end:
        if service.stopped_by is not None:
            raise SystemExit(EXIT_CAP) from None
        raise end from None
    raise SystemExit(0)


def stop_this_process() -> None:
    """As if an operator had asked for it: finish or return what is at hand, and end."""
    os.kill(os.getpid(), signal.SIGTERM)


class _Process(faust.Worker):
    """The process around the app: a stop that hangs ends all the same, as a failure."""

    def _flag_as_shutdown_by_signal(self) -> None:
        arm_exit_guard(_STOP_GUARD_SECONDS, code=1)
        super()._flag_as_shutdown_by_signal()
