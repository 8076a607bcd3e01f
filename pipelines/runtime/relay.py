"""The outbox relay: publishes what transactions left behind, in order, and deletes what the broker has.

One relay a lane across all processes, by an advisory lock. It always starts from the lowest row there is and keeps no
high-water mark: ids are drawn before commit, so a lower one may appear after a higher one.
"""

import asyncio
import logging
import threading
from typing import Any

from confluent_kafka import KafkaError, Message

from pipelines import metrics
from pipelines.failures import Transient
from pipelines.kafka import make_producer
from pipelines.runtime.worker import Progress
from pipelines.settings import Settings
from pipelines.store.pool import Connection, Pool
from pipelines.store.queries import query
from pipelines.store.unit_of_work import json_text

PAGE = 500
PAGE_BYTES = 8_000_000
"""Of a page, as the database stores it. Large events are fewer to a page: it is held in memory, twice."""
_IDLE_SECONDS = 0.25
"""How soon rows committed by another process are seen; this process's own commits wake the relay at once."""
_SLOW_SECONDS = 5.0
"""A page that the broker has not answered for so long makes the worker unready."""
_STALLED_SECONDS = 30.0
"""Without any answer for so long a client is given up: librdkafka can stand still for good after a broker's restart."""
_STOP_SECONDS = 2.0
_STATEMENT_SECONDS = 10.0
"""A statement that is not answered for so long: the line is dead. None of the relay's is slow."""
_log = logging.getLogger(__name__)


class Relay:
    """Publishes one lane."""

    def __init__(self, lane: str, settings: Settings, pool: Pool, progress: Progress) -> None:
        self._lane = lane
        self._settings = settings
        self._pool = pool
        self._progress = progress
        self._wake = asyncio.Event()
        self._stop = False
        # Connects from now on, before the first row: else the first turn after a start waits for it at each stage.
        self._producer = make_producer(settings)
        self._loop = asyncio.get_running_loop()

    def wake(self) -> None:
        """Rows were committed in this process."""
        self._wake.set()

    def stop(self) -> None:
        """Finish the page at hand and return from `run`."""
        self._stop = True
        self._wake.set()

    async def run(self) -> None:
        """Publish until stopped. Never raises."""
        pause = _IDLE_SECONDS
        while not self._stop:
            try:
                await self._hold_lane()
                pause = _IDLE_SECONDS
            except Exception as error:  # noqa: BLE001 - a relay that ends is a pipeline that stands still
                metrics.OUTBOX_FAILURES.labels(self._lane).inc()
                _log.warning("relay of %s: %s: %s", self._lane, type(error).__name__, error)
                self._progress.relay_failing_since = self._progress.relay_failing_since or self._loop.time()
                pause = min(pause * 2, 5.0)
            await self._idle(pause)

    async def _hold_lane(self) -> None:
        async with self._pool.connection() as connection:
            await connection.set_autocommit(True)
            try:
                async with asyncio.timeout(_STATEMENT_SECONDS):
                    # Were the line dead but open, the session and its lock would live on and hold the lane.
                    await connection.execute("set idle_session_timeout = '20s'")
                    await connection.execute("set role lithify_relay")
                    held = await self._locked(connection)
                if held:
                    await self._publish_lane(connection)
            finally:
                await _give_back(connection)

    async def _locked(self, connection: Connection) -> bool:
        cursor = await connection.execute(query("delivery.lock_lane").encode(), {"lane": self._lane})
        row = await cursor.fetchone()
        return row is not None and bool(row["held"])

    async def _publish_lane(self, connection: Connection) -> None:
        while not self._stop:
            self._wake.clear()
            rows = await self._page(connection)
            self._progress.relay_failing_since = None
            if not rows:
                await self._idle(_IDLE_SECONDS)
                continue
            await self._produced(connection, rows)
            ids = json_text([row["id"] for row in rows])
            async with asyncio.timeout(_STATEMENT_SECONDS):
                await connection.execute(query("delivery.clear_outbox").encode(), {"ids": ids})
            metrics.EVENTS_OUT.labels(self._lane).inc(len(rows))

    async def _produced(self, connection: Connection, rows: list[dict[str, Any]]) -> None:
        """Produce a page, and keep the session alive meanwhile. Whatever happens, the page is answered first."""
        page = asyncio.create_task(asyncio.to_thread(self._produce, rows))
        try:
            while not (await asyncio.wait({page}, timeout=_SLOW_SECONDS))[0]:
                async with asyncio.timeout(_STATEMENT_SECONDS):
                    await connection.execute("select 1")
        finally:
            await page

    async def _page(self, connection: Connection) -> list[dict[str, Any]]:
        async with asyncio.timeout(_STATEMENT_SECONDS):
            return await self._read_page(connection)

    async def _read_page(self, connection: Connection) -> list[dict[str, Any]]:
        cursor = await connection.execute(
            query("delivery.read_outbox").encode(), {"lane": self._lane, "page": PAGE, "bytes": PAGE_BYTES}
        )
        return await cursor.fetchall()

    def _produce(self, rows: list[dict[str, Any]]) -> None:
        """Produce a page and wait until every row of it is answered. Runs in a thread."""
        page = _Page(len(rows))
        for row in rows:
            self._producer.produce(
                row["topic"], key=row["key"].encode(), value=row["value"].encode(), on_delivery=page.answered
            )
        self._await_answers(page)
        if page.refused:
            raise Transient(f"{page.refused} of {len(rows)} messages refused: {page.reason}")

    def _await_answers(self, page: "_Page") -> None:
        """Wait while answers come, but not into a stop: what is then unanswered stays in the outbox."""
        now = self._loop.time
        start, give_up = now(), None
        left, latest = page.left, start
        while not page.done.is_set():
            self._producer.poll(0.05)
            if page.left != left:
                left, latest = page.left, now()
            if now() - latest > _STALLED_SECONDS:
                self._renew_producer()
                raise Transient(f"the broker answered nothing for {_STALLED_SECONDS:.0f} s")
            if now() - start > _SLOW_SECONDS:
                self._progress.relay_failing_since = self._progress.relay_failing_since or start
            if self._stop:
                give_up = give_up or now() + _STOP_SECONDS
                if now() > give_up:
                    raise Transient("stopped before the broker answered")

    def _renew_producer(self) -> None:
        """Go on with a new client. The old one forgets what it holds, so that it cannot send it after newer rows.

        What it had sent may be on the topic already, and comes again: a repeat, which stages know by its id.
        """
        stalled, self._producer = self._producer, make_producer(self._settings)
        stalled.purge(in_queue=True, in_flight=True)
        stalled.poll(0)

    async def _idle(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return


class _Page:
    """Counts the broker's answers to one page."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.refused = 0
        self.reason = ""
        self.done = threading.Event()

    def answered(self, error: KafkaError | None, _message: Message) -> None:
        """Delivery callback."""
        if error is not None:
            self.refused += 1
            self.reason = error.str()
        self.left -= 1
        if self.left == 0:
            self.done.set()


async def _give_back(connection: Connection) -> None:
    """Return a clean connection to the pool: no role, no lock."""
    if connection.closed:
        return
    async with asyncio.timeout(_STATEMENT_SECONDS):
        await connection.execute("select pg_advisory_unlock_all()")
        await connection.execute("reset role")
        await connection.execute("reset idle_session_timeout")
        await connection.set_autocommit(False)
