"""sql/roles.sql and sql/database.sql, run by psql as a deployment runs them."""

import os
import subprocess
import uuid

import psycopg
import pytest

from ops.local.postgres import SUPERUSER, Cluster
from ops.local.unprivileged import program_folder
from pipelines.store.migrate import migrate
from pipelines.store.queries import SQL

ROLES = ("owner", "worker", "gateway", "backup")


@pytest.fixture
def name(postgres: Cluster) -> str:
    """A database such as the image of PostgreSQL makes it: owned by the administrator."""
    name = f"fresh_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(postgres.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        connection.execute(f"create database {name} template template0".encode())
    return name


def run(postgres: Cluster, name: str) -> None:
    # The passwords of the cluster's roles stay what they are: other tests use them.
    passwords = {f"LITHIFY_{role.upper()}_PASSWORD": postgres.passwords[f"{role}_password"] for role in ROLES}
    for file in ("roles.sql", "database.sql"):
        done = subprocess.run(
            [
                program_folder() / "bin" / "psql",
                "-X",
                "-v",
                "ON_ERROR_STOP=1",
                postgres.url(SUPERUSER, name),
                "-f",
                SQL / file,
            ],
            env={**os.environ, **passwords},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_they_make_a_database_that_can_be_migrated_and_run_twice(postgres: Cluster, name: str) -> None:
    run(postgres, name)
    run(postgres, name)
    assert migrate(postgres.url("lithify_owner", name))
    for role in ROLES:
        with psycopg.connect(postgres.url(f"lithify_{role}", name)) as connection:
            assert connection.execute("select current_database()").fetchone() == (name,)
    with psycopg.connect(postgres.url("lithify_backup", name)) as connection:
        assert connection.execute("select count(*) from turns").fetchone() == (0,)
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            connection.execute("insert into turns (tenant) values ('t')")
        connection.rollback()
        connection.execute("set transaction read write")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("insert into turns (tenant) values ('t')")
