"""What workers need of PostgreSQL."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import DictRow, dict_row

from pipelines.identity import subject_key
from pipelines.settings import PREFIX, Settings
from pipelines.store.migrate import MigrationError
from pipelines.store.queries import query
from workers.operate.console import UnavailableError
from workers.operate.doctor.clock import MOST_SECONDS
from workers.operate.doctor.finding import Finding, Status, failed, judge, ok, warn
from workers.operate.pgtools import Tool
from workers.operate.schema import pending_migrations

_CONNECT_SECONDS = 5
_OLDEST_SERVER = 15
_OUTBOX_SECONDS = 60
Connection = psycopg.Connection[DictRow]


def check_database(settings: Settings) -> Iterator[Finding]:
    """All of it, with the connection of a worker. Raises psycopg.Error where it cannot be reached."""
    with _connect(settings.database_url.get_secret_value()) as connection:
        major = _rows(connection, "operate.server_version")[0]["version"] // 10_000
        remedy = f"PostgreSQL {_OLDEST_SERVER} or later is needed"
        yield judge("database version", major >= _OLDEST_SERVER, f"PostgreSQL {major}", remedy)
        yield _encoding(connection)
        yield _dump_program(settings, major)
        yield _extension(connection)
        yield _role(connection)
        yield _clock(connection)
        yield _connections(connection)
        tables = {row["name"] for row in _rows(connection, "operate.tables")}
        if "subjects" not in tables:
            yield failed("database schema", "there is none", "python -m workers migrate")
            return
        yield _row_security(connection)
        yield _pseudonym_key(settings, connection)
        yield from _outbox(connection)
        yield from _waiting(connection)


def check_owner(settings: Settings) -> Iterator[Finding]:
    """The owner's connection, where one is set: migrations, and that it is the same database."""
    if settings.owner_database_url is None:
        yield ok("database migrations", f"not checked: {PREFIX}OWNER_DATABASE_URL is not set here")
        return
    url = settings.owner_database_url.get_secret_value()
    yield _migrations(url)
    with _connect(url) as connection:
        owner = _rows(connection, "operate.identity")[0]
    with _connect(settings.database_url.get_secret_value()) as connection:
        same = _rows(connection, "operate.identity")[0] == owner
    detail = f"workers and owner use {'the same' if same else 'different databases or servers'}"
    yield judge("database of the owner", same, detail, f"point {PREFIX}OWNER_DATABASE_URL to the workers' database")


def _migrations(owner_url: str) -> Finding:
    try:
        left = pending_migrations(owner_url)
    except MigrationError as error:
        return failed("database migrations", str(error), "install the release that this database belongs to")
    detail = f"not applied: {', '.join(left)}" if left else "all are applied"
    return judge("database migrations", not left, detail, "python -m workers migrate")


@contextmanager
def _connect(url: str) -> Iterator[Connection]:
    with psycopg.connect(
        url, autocommit=True, row_factory=dict_row, connect_timeout=_CONNECT_SECONDS, client_encoding="UTF8"
    ) as connection:
        connection.execute("set datestyle = 'ISO'")
        yield connection


def _rows(connection: Connection, name: str, role: str | None = None, **params: object) -> list[dict[str, Any]]:
    with connection.transaction():
        if role is not None:
            connection.execute(sql.SQL("set local role {}").format(sql.Identifier(role)))
        return connection.execute(query(name).encode(), params).fetchall()


def _dump_program(settings: Settings, server: int) -> Finding:
    """Whether a backup could be made from here."""
    try:
        tool = Tool(settings, "pg_dump")
        tool.require(server, "the server")
    except UnavailableError as error:
        return warn("pg_dump", str(error), "until then, make backups elsewhere")
    return ok("pg_dump", f"version {tool.version}")


def _encoding(connection: Connection) -> Finding:
    name = str(connection.info.parameter_status("server_encoding"))
    remedy = "dump it, create one with encoding 'UTF8', and restore into that"
    return judge("database encoding", name == "UTF8", name, remedy)


def _extension(connection: Connection) -> Finding:
    there = bool(_rows(connection, "operate.has_vector")[0]["installed"])
    remedy = "as administrator, in this database: create extension vector"
    return judge("database extension", there, f"vector is {'' if there else 'not '}installed", remedy)


def _role(connection: Connection) -> Finding:
    role = _rows(connection, "operate.role")[0]
    if role["super"] or role["bypasses"]:
        detail = f"{role['name']} bypasses row-level security: one user's data may reach another"
        return failed("database role", detail, "connect as lithify_worker (sql/roles.sql)")
    detail = f"{role['name']}, bound by row-level security"
    if role["complete"]:
        return ok("database role", detail)
    return failed(
        "database role", f"{role['name']} may not act as lithify_scheduler or lithify_relay", "run sql/roles.sql"
    )


def _clock(connection: Connection) -> Finding:
    before = datetime.now(UTC)
    server = _rows(connection, "operate.server_clock")[0]["now"]
    after = datetime.now(UTC)
    skew = max((before - server).total_seconds(), (server - after).total_seconds(), 0.0)
    detail = f"the database's clock differs by {skew:.1f} s"
    return judge("database clock", skew <= MOST_SECONDS, detail, "run NTP on both machines", Status.WARN)


def _connections(connection: Connection) -> Finding:
    row = _rows(connection, "operate.connections")[0]
    few = row["used"] < 0.8 * row["allowed"]
    detail = f"{row['used']} of {row['allowed']} connections in use"
    return judge("database connections", few, detail, f"lower {PREFIX}POOL_SIZE or raise max_connections", Status.WARN)


def _row_security(connection: Connection) -> Finding:
    open_tables = [row["name"] for row in _rows(connection, "operate.unprotected_tables")]
    detail = f"off on {', '.join(open_tables)}" if open_tables else "on for every table with user data"
    return judge(
        "row-level security", not open_tables, detail, "alter table NAME force row level security, and enable it"
    )


def _pseudonym_key(settings: Settings, connection: Connection) -> Finding:
    """Whether the key of the settings is the one that the stored subjects were made with."""
    some = _rows(connection, "operate.any_subject", role="lithify_scheduler")
    if not some:
        return ok("pseudonym key", "no user is stored yet")
    key = some[0]["subject_key"]
    with connection.transaction():
        connection.execute(query("delivery.set_scope").encode(), {"subjects": key})
        user = connection.execute(query("operate.user_of_subject").encode(), {"subject_key": key}).fetchone()
    fits = user is not None and subject_key(settings.pseudonym_key, user["tenant"], user["user_id"]) == key
    detail = "fits the stored users" if fits else "is not the one that the stored users were written under"
    remedy = f"restore the {PREFIX}PSEUDONYM_KEY of this database; under another one nobody's memory is found"
    return judge("pseudonym key", fits, detail, remedy)


def _outbox(connection: Connection) -> Iterator[Finding]:
    lanes = _rows(connection, "operate.outbox_depth", role="lithify_relay")
    stuck = [row for row in lanes if row["age"] > _OUTBOX_SECONDS]
    for row in stuck:
        detail = f"{row['rows']} rows of {row['lane']}, the oldest for {row['age']} s"
        yield warn("outbox", detail, f"is {row['lane']} running, and does it reach the broker? See its /readyz")
    if not stuck:
        yield ok("outbox", f"{sum(row['rows'] for row in lanes)} rows under way")


def _waiting(connection: Connection) -> Iterator[Finding]:
    late = _rows(connection, "operate.overdue", role="lithify_scheduler")
    for row in late:
        detail = f"{row['rows']} of {row['worker']}, up to {row['late']} s late"
        yield warn("parked work", detail, f"is {row['worker']} running?")
    if not late:
        yield ok("parked work", "none is overdue")
    turns = int(_rows(connection, "operate.unfinished", role="lithify_scheduler")[0]["turns"])
    detail = f"{turns} turns of ten minutes ago or more have not reached the end"
    yield judge("unfinished turns", turns == 0, detail, "which group is behind or empty? See below", Status.WARN)
