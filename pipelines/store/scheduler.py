"""Which subjects have work due: ids and times only, under a role that cannot see content."""

from typing import Any

from pipelines.store.pool import Pool
from pipelines.store.queries import query


async def due(pool: Pool, name: str, **params: object) -> list[dict[str, Any]]:
    """Run a query of sql/queries/scheduler.sql under the role lithify_scheduler."""
    async with pool.connection() as connection, connection.transaction():
        await connection.execute("set local role lithify_scheduler")
        cursor = await connection.execute(query(name).encode(), params)
        return await cursor.fetchall()
