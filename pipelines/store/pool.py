"""Connection pools, and how they are used."""

import asyncio
from collections.abc import Callable, Iterator
from weakref import WeakSet

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from pipelines import metrics
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


_SESSION = (
    # As the queries and psycopg rely on, whatever the role, the database or a variable of libpq says.
    "set time zone 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1;"
    " set row_security = on; set session characteristics as transaction isolation level read committed;"
    " set statement_timeout = '60s';"
    # A transaction whose client is gone without a word holds its subjects for so long.
    " set idle_in_transaction_session_timeout = '20s'"
)


async def _set_up(connection: Connection) -> None:
    await connection.execute(_SESSION)
    await connection.commit()


def make_pool(settings: Settings, name: str) -> Pool:
    """A pool, not opened yet. It reconnects by itself, for ever; a wait for a connection is bounded by a setting."""
    pool: Pool = AsyncConnectionPool(
        settings.database_url.get_secret_value(),
        connection_class=AsyncConnection[DictRow],
        kwargs={
            "row_factory": dict_row,
            "application_name": f"lithify-{name}",
            "connect_timeout": 5,
            "client_encoding": "UTF8",
            **_ALIVE,
        },
        min_size=1,
        max_size=settings.pool_size,
        timeout=settings.pool_timeout_seconds,
        reconnect_timeout=60.0,
        configure=_configure,
        check=_check,
        open=False,
        name=name,
    )
    _pools.add(pool)
    return pool


class _PoolCollector(Collector):
    """How the pools of this process are used, read at each scrape."""

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        """One series a pool that is open."""
        families = {measured: measured.family() for measured in _USE}
        for pool in list(_pools):
            if not pool.closed:
                stats = pool.get_stats()
                for measured, use in _USE.items():
                    families[measured].add_metric([pool.name], use(stats))
        yield from families.values()


_USE: dict[metrics.Measured, Callable[[dict[str, int]], int]] = {
    metrics.POOL_LIMIT: lambda stats: stats["pool_max"],
    metrics.POOL_SIZE: lambda stats: stats["pool_size"],
    metrics.POOL_IN_USE: lambda stats: stats["pool_size"] - stats["pool_available"],
    metrics.POOL_WAITING: lambda stats: stats["requests_waiting"],
    metrics.POOL_TIMEOUTS: lambda stats: stats.get("requests_errors", 0),
}
_pools: "WeakSet[Pool]" = WeakSet()
metrics.REGISTRY.register(_PoolCollector())
