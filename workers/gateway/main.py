"""Runs the gateway: concrete parts, one process, graceful end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from pipelines.logs import setup_logging
from pipelines.redaction import load_redactor
from pipelines.settings import Settings
from pipelines.store.pool import make_pool
from workers.gateway.app import create_app
from workers.gateway.database import Database
from workers.gateway.deps import Deps
from workers.gateway.parts import load_catalog, load_embedder, load_understanding
from workers.gateway.publisher import KafkaPublisher
from workers.gateway.similarity import Similarity

GRACE_SECONDS = 10


@asynccontextmanager
async def assembled(settings: Settings) -> AsyncIterator[Deps]:
    """The gateway's parts, open; closed in the end."""
    database = Database(make_pool(settings, "gateway"), settings.gateway_answer_seconds)
    publisher = KafkaPublisher(settings)
    similarity = Similarity(load_embedder(settings))
    await database.open()
    try:
        yield Deps(
            settings=settings,
            database=database,
            publisher=publisher,
            catalog=load_catalog(settings),
            similarity=similarity,
            understand=load_understanding(settings.catalog_path),
            redactor=load_redactor(settings),
        )
    finally:
        similarity.close()
        await asyncio.to_thread(publisher.close)
        await database.close()


async def serve(settings: Settings) -> None:
    """Serve until told to stop (SIGTERM, SIGINT); requests under way are finished."""
    setup_logging(settings.log_level)
    async with assembled(settings) as deps:
        config = uvicorn.Config(
            create_app(deps),
            host=settings.gateway_host,
            port=settings.gateway_port,
            log_config=None,
            log_level=settings.log_level.lower(),
            access_log=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            server_header=False,
            proxy_headers=False,
        )
        await uvicorn.Server(config).serve()


def run(settings: Settings) -> None:
    """Serve the gateway; returns once it has stopped."""
    asyncio.run(serve(settings))
