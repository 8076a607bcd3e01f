"""The one way to a user's rows: a read-only transaction confined to one subject by row-level security."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from pipelines.store.pool import Connection, Pool
from pipelines.store.queries import load_queries
from workers.gateway.faults import UnavailableError
from workers.gateway.scope import Who

Row = dict[str, Any]
T = TypeVar("T")


class Reader:
    """Named queries about one subject, inside the transaction that is confined to it."""

    def __init__(self, connection: Connection, who: Who) -> None:
        self._connection = connection
        self._scope = {"tenant": who.tenant, "subject_key": who.subject_key}

    async def all(self, query: str, **parameters: object) -> list[Row]:
        """Rows of a named query; tenant and subject are bound by itself."""
        statement = load_queries("gateway")[query]
        cursor = await self._connection.execute(statement.encode(), parameters | self._scope)
        return await cursor.fetchall()

    async def one(self, query: str, **parameters: object) -> Row | None:
        """The first row of a named query, or None."""
        rows = await self.all(query, **parameters)
        return rows[0] if rows else None


class Database:
    """Reads user data. There is no other way to it in the gateway.

    Args:
        pool: its connections.
        seconds: after which an answer is no longer waited for: the line may be dead but open.
    """

    def __init__(self, pool: Pool, seconds: float) -> None:
        self._pool = pool
        self._seconds = seconds
        self._left_alone: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        """Start connecting; does not wait, so that the gateway also starts while the database is down."""
        await self._pool.open(wait=False)

    async def close(self) -> None:
        """Give all connections back."""
        await self._pool.close()

    async def read(self, who: Who, work: Callable[[Reader], Awaitable[T]]) -> T:
        """Run `work` in a transaction that sees the rows of `who` and no others.

        Raises:
            UnavailableError: the database cannot be reached, has no schema, or took too long.
        """
        try:
            return await self._within(self._read(who, work))
        except (psycopg.OperationalError, psycopg.errors.UndefinedTable, PoolClosed, PoolTimeout) as error:
            raise UnavailableError(f"the database cannot be read ({type(error).__name__})") from error

    async def ready(self) -> str:
        """Tell "ok", or why the database cannot be read."""
        try:
            return await self._within(self._ready())
        except psycopg.Error as error:
            return f"unreachable ({type(error).__name__})"
        except UnavailableError as error:
            return f"unreachable ({error})"

    async def _read(self, who: Who, work: Callable[[Reader], Awaitable[T]]) -> T:
        async with self._pool.connection() as connection, connection.transaction():
            reader = Reader(connection, who)
            await reader.all("enter_scope")
            return await work(reader)

    async def _ready(self) -> str:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(load_queries("gateway")["ready"].encode())
            row = await cursor.fetchone()
        return "ok" if row and row["ready"] else "no schema"

    async def _within(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for it, but not for its rollback: on a dead line psycopg takes 10 s to give up and close it."""
        task = asyncio.create_task(work)
        self._left_alone.add(task)
        task.add_done_callback(self._ended)
        try:
            await asyncio.wait({task}, timeout=self._seconds)
            if task.done():
                return task.result()
        finally:
            task.cancel()
        raise UnavailableError(f"the database did not answer within {self._seconds:g} s")

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._left_alone.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits is told by the result; of one left alone nobody needs to know
