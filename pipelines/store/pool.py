"""Connection pools."""

import asyncio

from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from pipelines.settings import Settings

Connection = AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Connection]


_ALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 20_000}
"""A server that vanished without closing the line is noticed after 20 to 25 s, instead of two hours."""


_ANSWER_SECONDS = 5.0
"""On a line that is dead but open a new connection would wait for ever, and the pool would never grow again."""


async def _configure(connection: Connection) -> None:
    async with asyncio.timeout(_ANSWER_SECONDS):
        await _set_up(connection)


async def _check(connection: Connection) -> None:
    async with asyncio.timeout(_ANSWER_SECONDS):
        await AsyncConnectionPool.check_connection(connection)


async def _set_up(connection: Connection) -> None:
    await connection.execute("set time zone 'UTC'")
    await connection.execute("set statement_timeout = '60s'")
    # A transaction whose client is gone without a word holds its subjects for so long.
    await connection.execute("set idle_in_transaction_session_timeout = '20s'")
    await connection.commit()


def make_pool(settings: Settings, name: str) -> Pool:
    """A pool, not opened yet. It reconnects by itself, for ever; a wait for a connection is bounded by a setting."""
    return AsyncConnectionPool(
        settings.database_url.get_secret_value(),
        connection_class=AsyncConnection[DictRow],
        kwargs={"row_factory": dict_row, "application_name": f"lithify-{name}", "connect_timeout": 5, **_ALIVE},
        min_size=1,
        max_size=settings.pool_size,
        timeout=settings.pool_timeout_seconds,
        reconnect_timeout=60.0,
        configure=_configure,
        check=_check,
        open=False,
        name=name,
    )
