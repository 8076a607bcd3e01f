"""The four workers on a real database with the log in memory: the whole pipeline, step by step."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec
import psycopg
from psycopg.rows import dict_row

from lithify.events import BODIES, Envelope, Inbound, encode, user_key
from pipelines.deadletters import Refused
from pipelines.envelope import Codec, PlainCodec
from pipelines.failures import Defer, Poison
from pipelines.runtime.processor import Processor
from pipelines.runtime.worker import Item, Record, Worker
from pipelines.settings import Settings, load_settings
from pipelines.store.pool import Pool, make_pool
from pipelines.topics import Topic, topic_name
from tests.support.processes import PATIENCE, PATIENT
from tests.support.servers import Database

KEYS = {
    "LITHIFY_KAFKA_BOOTSTRAP": "127.0.0.1:1",
    "LITHIFY_PSEUDONYM_KEY": "a pseudonym key for tests",
    "LITHIFY_DEAD_LETTER_KEY": "c2l4dGVlbiBieXRlcyBhbmQgc2l4dGVlbiBtb3JlISE=",
}


def settings_for(database: Database, **changes: str) -> Settings:
    """Settings of a worker on a test's database."""
    return load_settings(
        {**KEYS, **PATIENT, "LITHIFY_DATABASE_URL": database.worker_url, "LITHIFY_EMBEDDER": "none"}
        | {f"LITHIFY_{name.upper()}": value for name, value in changes.items()}
    )


@dataclass(slots=True)
class Pipeline:
    """Drives workers by hand. What a relay would publish is taken from the outbox."""

    settings: Settings
    pool: Pool
    superuser_url: str
    workers: Sequence[Worker[Any]]
    codec: Codec = field(default_factory=PlainCodec)
    log: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))
    read: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def publish(self, *events: Inbound | bytes) -> None:
        """Append to the first topic."""
        for event in events:
            if isinstance(event, bytes):
                self._append(topic_name(self.settings, Topic.TURNS), b"default/u", event)
            else:
                key = user_key(event.tenant, event.user_id)
                self._append(topic_name(self.settings, Topic.TURNS), key, encode(event))

    def _append(self, topic: str, key: bytes, value: bytes) -> None:
        self.log[topic].append(Record(topic, 0, len(self.log[topic]), key, value))

    async def run(self, batch: int = 100, *, without: str | None = None) -> None:
        """Let every worker work until nothing is left; all but one, where that one is to fall behind."""
        while await self._step(batch, without):
            pass

    async def _step(self, batch: int, without: str | None) -> bool:
        worked = False
        for worker in self.workers:
            if worker.name == without:
                continue
            source = topic_name(self.settings, worker.source)
            start = self.read[worker.name]
            records = self.log[source][start : start + batch]
            if records:
                await self.processor(worker).process(records)
                self.read[worker.name] += len(records)
                worked = True
            worked = self.relay() or worked
        return worked

    def processor(self, worker: Worker[Any]) -> Processor[Any]:
        """The worker's processor."""
        return _Strict(worker, self.settings, self.pool, self.codec)

    def relay(self) -> bool:
        """Move the outbox to the log; whether there was anything in it."""
        rows = self.rows("delete from outbox returning id, topic, key, value::text as value")
        for row in sorted(rows, key=lambda row: row["id"]):
            self._append(row["topic"], row["key"].encode(), row["value"].encode())
        return bool(rows)

    def rows(self, statement: str) -> list[dict[str, Any]]:
        """Any statement, as superuser."""
        plain: dict[str, Any] = {"client_encoding": "UTF8", "options": "-c datestyle=ISO"}
        with psycopg.connect(self.superuser_url, autocommit=True, row_factory=dict_row, **plain) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def bodies(self, topic: Topic, kind: str) -> list[Any]:
        """Bodies of one type on an internal topic, in order."""
        decoder = msgspec.json.Decoder(Envelope)
        envelopes = [decoder.decode(record.value or b"") for record in self.log[topic_name(self.settings, topic)]]
        return [msgspec.json.decode(item.body, type=BODIES[kind]) for item in envelopes if item.type == kind]


class _Strict(Processor[Any]):
    """Does not pass over it in silence when a batch fails of which every event alone goes through."""

    _blamed = 0

    async def _one_by_one(self, items: Sequence[Item[Any]], refused: Sequence[Refused]) -> None:
        self._blamed = 0
        await super()._one_by_one(items, refused)
        assert self._blamed, f"a batch of {self._worker.name} failed, and none of its events did"

    async def _guarded(self, items: Sequence[Item[Any]], refused: list[Refused]) -> None:
        try:
            await super()._guarded(items, refused)
        except (Poison, Defer):
            self._blamed += 1
            raise


def facts_of(pipeline: Pipeline) -> list[dict[str, Any]]:
    """Everything believed now, without system times, in a stable order."""
    tables: Iterable[tuple[str, str]] = (("facts", "fact_id"), ("overrides", "override_id"), ("verdicts", "verdict_id"))
    return [
        {name: value for name, value in row.items() if name not in {"sys_from", "sys_to"}}
        for table, row_id in tables
        for row in pipeline.rows(f"select * from {table} where sys_to is null order by {row_id}")
    ]


def at(text: str) -> datetime:
    """An instant in UTC from "2026-03-04 10:00"."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


async def open_pool(settings: Settings) -> Pool:
    """A pool for a test."""
    pool = make_pool(settings, "test")
    await pool.open(wait=True, timeout=PATIENCE)
    return pool
