"""One batch, one transaction: scope, locks, inbox, state, outbox. Only the unit of work commits."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import msgspec

from pipelines.effects import Effects, Row
from pipelines.failures import Cause, Poison
from pipelines.settings import Settings
from pipelines.store.pool import Connection, Pool
from pipelines.store.queries import query
from pipelines.topics import LARGEST_EVENT_BYTES, topic_name

_encoder = msgspec.json.Encoder()
NO_SUBJECT = "-"
"""Subject key of rows about no known subject, such as what could not be decoded."""


def json_text(value: object) -> str:
    """A value as JSON text: one parameter, however many rows (array parameters are dumped one by one in Python)."""
    return _encoder.encode(value).decode()


def json_value(value: object) -> object:
    """A record of the domain as plain JSON values."""
    return msgspec.to_builtins(value)


@dataclass(frozen=True, slots=True)
class Subject:
    """A locked subject."""

    tenant: str
    subject_key: str
    version: int
    epoch: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """An event as the inbox knows it."""

    tenant: str
    event_id: str
    subject_key: str
    digest: str
    """Of the content, so that an id used twice for different content is noticed."""

    @property
    def key(self) -> tuple[str, str]:
        """Ids are unique per tenant."""
        return (self.tenant, self.event_id)


@dataclass(frozen=True, slots=True)
class Source:
    """What an event of an internal topic goes back to: a turn (or command), or the end of a session that was told."""

    tenant: str
    subject_key: str
    turn_id: str | None = None
    session_id: str | None = None
    ended_at: datetime | None = None


class Arrival(Enum):
    """How an event arrived at a worker."""

    FRESH = "fresh"
    REPEATED = "repeated"
    """Applied before: change nothing, but publish its output again, for it may have been lost."""
    REUSED = "reused"
    """Its id came before with other content, or for somebody else."""


def _arrival(
    item: Receipt,
    fresh: set[tuple[str, str]],
    first: Mapping[tuple[str, str], Receipt],
    recorded: Mapping[tuple[str, str], str],
) -> Arrival:
    if item.key in fresh and first[item.key] is item:
        return Arrival.FRESH
    # An id recorded for a subject out of scope is invisible here: it belongs to somebody else.
    return Arrival.REPEATED if recorded.get(item.key) == item.digest else Arrival.REUSED


class UnitOfWork:
    """An open transaction that sees exactly the subjects of its batch."""

    def __init__(self, connection: Connection, settings: Settings, worker: str) -> None:
        self._connection = connection
        self._settings = settings
        self._worker = worker

    async def fetch(self, name: str, **params: object) -> list[dict[str, Any]]:
        """Run a named query and return its rows. Lists and dicts among the parameters travel as JSON."""
        packed = {key: json_text(value) if isinstance(value, list | dict) else value for key, value in params.items()}
        cursor = await self._connection.execute(query(name).encode(), packed)
        return await cursor.fetchall() if cursor.description else []

    async def lock(self, users: Mapping[tuple[str, str], str]) -> dict[str, Subject]:
        """Register and lock subjects.

        Args:
            users: (tenant, subject key) to user id.
        """
        rows = [{"tenant": t, "subject_key": k, "user_id": user} for (t, k), user in users.items()]
        await self.fetch("delivery.register_subjects", rows=rows)
        return await self.lock_known(key for _, key in users)

    async def lock_known(self, keys: Iterable[str], *, update: bool = True) -> dict[str, Subject]:
        """Lock subjects that exist, in sorted order; with `update` false, only read them."""
        name = "delivery.lock_subjects" if update else "delivery.read_subjects"
        rows = await self.fetch(name, subjects=sorted(set(keys)))
        return {row["subject_key"]: Subject(**row) for row in rows}

    async def enter(self, receipts: Sequence[Receipt]) -> list[Arrival]:
        """Record events in the inbox.

        Returns:
            For each receipt, in order, how it arrived. Of equal ids in one batch the first counts.
        """
        if not receipts:
            return []
        first = {receipt.key: receipt for receipt in reversed(receipts)}
        rows = [msgspec.to_builtins(receipt) for receipt in first.values()]
        entered = await self.fetch("delivery.enter_inbox", worker=self._worker, rows=rows)
        fresh = {(row["tenant"], row["event_id"]) for row in entered}
        recorded = {key: first[key].digest for key in fresh}
        if unknown := [{"tenant": key[0], "event_id": key[1]} for key in first if key not in fresh]:
            rows = await self.fetch("delivery.read_inbox", worker=self._worker, rows=unknown)
            recorded |= {(row["tenant"], row["event_id"]): row["digest"] for row in rows}
        return [_arrival(item, fresh, first, recorded) for item in receipts]

    async def known(self, sources: Iterable[Source]) -> set[Source]:
        """Those that the first stage has stored."""
        asked = list(dict.fromkeys(sources))
        rows = [{"number": number, **msgspec.to_builtins(source)} for number, source in enumerate(asked)]
        found = await self.fetch("delivery.known_sources", rows=rows) if rows else []
        return {asked[row["number"]] for row in found}

    async def now(self) -> datetime:
        """System time for what is written; call it after locking."""
        rows = await self.fetch("delivery.clock")
        at: datetime = rows[0]["now"]
        return at

    async def apply(self, effects: Effects) -> None:
        """Write everything and fill the outbox.

        Raises:
            Poison: an event is larger than its topic takes. In the outbox it would hold up everything behind it.
        """
        for message in effects.messages:
            if len(message.value) > LARGEST_EVENT_BYTES:
                raise Poison(Cause.TOO_LARGE, f"{len(message.value)} bytes for {message.topic}")
        for name, rows in effects.writes.items():
            if rows:
                await self.fetch(name, rows=rows)
        if effects.messages:
            await self.fetch(
                "delivery.fill_outbox", lane=self._worker, rows=[self._outbox_row(m) for m in effects.messages]
            )
        if effects.changed_subjects:
            await self.fetch("delivery.raise_versions", subjects=sorted(effects.changed_subjects))

    def _outbox_row(self, message: Any) -> Row:
        return {
            "topic": topic_name(self._settings, message.topic),
            "key": message.key,
            "value": msgspec.Raw(message.value),
            "subject_key": message.subject_key,
        }


@asynccontextmanager
async def unit_of_work(
    pool: Pool, settings: Settings, worker: str, subjects: Iterable[str]
) -> AsyncIterator[UnitOfWork]:
    """Open a transaction that may see `subjects`; commit on a clean exit, roll back on any exception."""
    scope = ",".join(sorted({*subjects, NO_SUBJECT}))
    async with pool.connection() as connection, connection.transaction():
        await connection.execute(query("delivery.set_scope").encode(), {"subjects": scope})
        yield UnitOfWork(connection, settings, worker)
