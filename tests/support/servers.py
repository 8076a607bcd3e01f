"""A PostgreSQL for the whole test session, and a fresh database per test."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest
from psycopg import sql

from ops.local.postgres import SUPERUSER, Cluster, ensure_database
from ops.local.stack import Stack
from pipelines.store.migrate import migrate

TEMPLATE = "lithify_template"
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Database:
    """The addresses of one test's database.

    Attributes:
        name: Its name.
        owner_url: As the role that owns the schema.
        worker_url: As the role of the workers.
        gateway_url: As the role of the gateway.
        superuser_url: As a superuser, whom row-level security does not bind; for arranging and inspecting.
    """

    name: str
    owner_url: str
    worker_url: str
    gateway_url: str
    superuser_url: str


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """An embedded PostgreSQL that does not wait for the disk."""
    folder = tmp_path_factory.mktemp("postgres")
    with Stack(folder, ["postgres"], environment={}, fsync=False) as stack:
        yield stack.cluster


@pytest.fixture(scope="session")
def template(postgres: Cluster) -> str:
    """The database that every test's database is a copy of, migrated once."""
    return make_template(postgres)


@pytest.fixture
def database(postgres: Cluster, template: str) -> Iterator[Database]:
    """A database of this test alone, dropped afterwards even if connections are still open."""
    made = make_database(postgres, f"test_{next(_numbers)}", template)
    yield made
    with _administration(postgres) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(made.name)))


def make_template(cluster: Cluster) -> str:
    """Create and migrate the database that others are copies of; returns its name."""
    with _administration(cluster) as connection:
        ensure_database(connection, TEMPLATE)
    with psycopg.connect(cluster.url(SUPERUSER, TEMPLATE), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    migrate(cluster.url("lithify_owner", TEMPLATE))
    return TEMPLATE


def make_database(cluster: Cluster, name: str, template: str) -> Database:
    """A copy of the template."""
    with _administration(cluster) as connection:
        ensure_database(connection, name, template=template)
    return Database(
        name=name,
        owner_url=cluster.url("lithify_owner", name),
        worker_url=cluster.url("lithify_worker", name),
        gateway_url=cluster.url("lithify_gateway", name),
        superuser_url=cluster.url(SUPERUSER, name),
    )


def _administration(cluster: Cluster) -> psycopg.Connection:
    return psycopg.connect(cluster.url(SUPERUSER, "postgres"), autocommit=True)
