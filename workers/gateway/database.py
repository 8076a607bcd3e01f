"""The one way to a user's rows: a read-only transaction confined to one subject by row-level security."""

from collections.abc import Awaitable, Callable
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
    """Reads user data. There is no other way to it in the gateway."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

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
            async with self._pool.connection() as connection, connection.transaction():
                reader = Reader(connection, who)
                await reader.all("enter_scope")
                return await work(reader)
        except (psycopg.OperationalError, psycopg.errors.UndefinedTable, PoolClosed, PoolTimeout) as error:
            raise UnavailableError(f"the database cannot be read ({type(error).__name__})") from error

    async def ready(self) -> str:
        """Tell "ok", or why the database cannot be read."""
        try:
            async with self._pool.connection() as connection:
                cursor = await connection.execute(load_queries("gateway")["ready"].encode())
                row = await cursor.fetchone()
        except psycopg.Error as error:
            return f"unreachable ({type(error).__name__})"
        return "ok" if row and row["ready"] else "no schema"
