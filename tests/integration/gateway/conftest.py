"""A migrated template database, and a gateway over each test's copy of it."""

from collections.abc import AsyncIterator

import psycopg
import pytest

from ops.local.postgres import SUPERUSER, Cluster, ensure_database
from pipelines.store.migrate import migrate
from pipelines.store.queries import SQL
from tests.support.gateway import World, gateway_over
from tests.support.servers import Database

TEMPLATE = "gateway_template"


@pytest.fixture(scope="session")
def template(postgres: Cluster) -> str:
    """A database with extension and schema."""
    with psycopg.connect(postgres.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        connection.execute((SQL / "roles.sql").read_bytes())
        ensure_database(connection, TEMPLATE)
    with psycopg.connect(postgres.url(SUPERUSER, TEMPLATE), autocommit=True) as connection:
        connection.execute("create extension if not exists vector")
    migrate(postgres.url("lithify_owner", TEMPLATE))
    return TEMPLATE


@pytest.fixture
async def world(database: Database) -> AsyncIterator[World]:
    """A gateway with nobody known yet."""
    async with gateway_over(database) as made:
        yield made
