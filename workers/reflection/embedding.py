"""Vectors of facts and episodes, made beside the stream: an embedder is slow, and holds no transaction open."""

import asyncio
import os
import sys
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

from pgvector import Vector

from pipelines.language.embedding import Embedder
from pipelines.runtime.worker import Periodic
from pipelines.settings import Settings
from pipelines.store.pool import Pool
from pipelines.store.scheduler import due
from pipelines.store.unit_of_work import unit_of_work

WORKER = "reflection"
_SECONDS = 1.0
_NICE = 15


def _give_way() -> None:
    """Vectors are never urgent, turns are: on Linux a thread can have a lower priority than its process."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)


_threads = ThreadPoolExecutor(1, thread_name_prefix="embed", initializer=_give_way)


def embed_new(settings: Settings, embedder: Embedder) -> Periodic:
    """The recurring embedding of what has no vector of the current model yet."""

    async def run(pool: Pool) -> None:
        while rows := await due(pool, "scheduler.missing_vectors", model=embedder.name):
            subjects: dict[str, list[str]] = defaultdict(list)
            for row in rows:
                subjects[row["subject_key"]].append(str(row["item_id"]))
            for subject in subjects:
                await _embed_subject(settings, pool, embedder, subject)

    return Periodic("embed facts and episodes", _SECONDS, run)


async def _embed_subject(settings: Settings, pool: Pool, embedder: Embedder, subject: str) -> None:
    async with unit_of_work(pool, settings, WORKER, {subject}) as unit:
        items = await unit.fetch("reflection.texts_without_vector", subject_key=subject, model=embedder.name)
    if not items:
        return
    vectors = await asyncio.get_running_loop().run_in_executor(
        _threads, embedder.embed_passages, [item["text"] for item in items]
    )
    rows = [
        {
            "tenant": item["tenant"],
            "subject_key": subject,
            "item_kind": item["item_kind"],
            "item_id": str(item["item_id"]),
            "model": embedder.name,
            "dimension": embedder.dimension,
            "embedding": Vector(vector).to_text(),
        }
        for item, vector in zip(items, vectors, strict=True)
    ]
    async with unit_of_work(pool, settings, WORKER, {subject}) as unit:
        await unit.fetch("reflection.insert_vectors", rows=rows)
