"""A gateway on a real port, with the four workers behind it: what is published is decided before it is acknowledged."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import uvicorn

from lithify.events import Inbound
from ops.local.ports import choose
from pipelines.redaction import load_redactor
from pipelines.store.pool import make_pool
from tests.support.pipeline import Pipeline, open_pool, settings_for
from tests.support.processes import PATIENCE
from tests.support.servers import Database as Addresses
from workers.assembly import conflict, extraction, importance, reflection
from workers.gateway.app import create_app
from workers.gateway.database import Database
from workers.gateway.deps import Deps
from workers.gateway.parts import load_catalog, load_understanding
from workers.gateway.publisher import Recent


@dataclass
class DecidingPublisher:
    """Runs the workers over what is published."""

    pipeline: Pipeline
    recent: Recent = field(default_factory=Recent)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def publish(self, events: Sequence[Inbound]) -> None:
        """Publish, and let every worker work until nothing is left."""
        async with self.lock:
            self.pipeline.publish(*events)
            await self.pipeline.run()
        for event in events:
            self.recent.add(event)

    def published(self, tenant: str, user_id: str, event_id: str) -> bool:
        """Whether the event was published."""
        return (tenant, user_id, event_id) in self.recent

    async def ready(self) -> str:
        """Always there."""
        return "ok"


@asynccontextmanager
async def whole(database: Addresses) -> AsyncIterator[Deps]:
    """Gateway and workers on one database."""
    settings = settings_for(database)
    pool = await open_pool(settings)
    workers = (importance(settings), extraction(settings), conflict(settings), reflection(settings))
    reader = Database(make_pool(settings_for(database, database_url=database.gateway_url), "gateway"), PATIENCE)
    await reader.open()
    publisher = DecidingPublisher(Pipeline(settings, pool, database.superuser_url, workers))
    try:
        catalog, redactor = load_catalog(settings), load_redactor(settings)
        yield Deps(settings, reader, publisher, catalog, understand=load_understanding(), redactor=redactor)
    finally:
        await reader.close()
        await pool.close()


@contextmanager
def served(database: Addresses) -> Iterator[str]:
    """The address of a gateway over `database`."""
    port = choose()
    ready, stop = threading.Event(), threading.Event()
    failure: list[BaseException] = []

    async def serve() -> None:
        async with whole(database) as deps:
            server = uvicorn.Server(uvicorn.Config(create_app(deps), port=port, log_level="warning", lifespan="off"))
            task = asyncio.create_task(server.serve())
            while not server.started and not task.done():
                await asyncio.sleep(0.01)
            ready.set()
            while not stop.is_set() and not task.done():
                await asyncio.sleep(0.02)
            server.should_exit = True
            await task

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:  # noqa: BLE001 - shown by the test that asked for the gateway
            failure.append(error)
            ready.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        if failure:
            raise failure[0]
        yield f"http://127.0.0.1:{port}"
    finally:
        stop.set()
        thread.join(PATIENCE)
