"""Schema migrations: numbered SQL files, each applied once, in one transaction, under one lock."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import psycopg

from pipelines.store.queries import SQL, query

_LOCK = 7_264_119_004


class MigrationError(RuntimeError):
    """An applied migration differs from its file, or the database is newer than this release."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of sql/migrations."""

    number: int
    name: str
    sql: str

    @property
    def digest(self) -> str:
        """SHA-256 of the file, hex."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def load_migrations(folder: Path = SQL / "migrations") -> list[Migration]:
    """All migrations in order. Raises MigrationError if the numbers have a gap or repeat."""
    found = [
        Migration(int(path.name.split("_")[0]), path.stem, path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.sql"))
    ]
    if [item.number for item in found] != list(range(1, len(found) + 1)):
        raise MigrationError(f"migrations are not numbered 1 to {len(found)}: {[item.name for item in found]}")
    return found


def migrate(owner_url: str) -> list[str]:
    """Bring the schema up to date.

    Args:
        owner_url: connection of the role that owns the schema.

    Returns:
        Names of the migrations applied now, in order.

    Raises:
        MigrationError: a migration changed after it was applied, or is unknown to this release, or the database cannot
            hold every text.
        psycopg.Error: the database refused; nothing of that migration is left behind.
    """
    applied_now = []
    with psycopg.connect(owner_url, autocommit=True, client_encoding="UTF8") as connection:
        _check_encoding(connection)
        connection.execute(query("migrations.lock").encode(), {"lock": _LOCK})
        connection.execute(query("migrations.create_table").encode())
        for migration in pending(connection):
            with connection.transaction():
                connection.execute(migration.sql.encode())
                noted = {"number": migration.number, "name": migration.name, "digest": migration.digest}
                connection.execute(query("migrations.note").encode(), noted)
            applied_now.append(migration.name)
    return applied_now


def _check_encoding(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise MigrationError(f"the database's encoding is {encoding}; create one with encoding 'UTF8'")


def pending(connection: psycopg.Connection[tuple[object, ...]]) -> list[Migration]:
    """Migrations that are not applied yet. Raises MigrationError as `migrate` does."""
    known = load_migrations()
    rows = connection.execute(query("migrations.applied").encode()).fetchall()
    if len(rows) > len(known):
        raise MigrationError(f"the database is at migration {rows[-1][1]}, newer than this release")
    for migration, (number, name, digest) in zip(known, rows, strict=False):
        if (migration.number, migration.digest) != (number, digest):
            raise MigrationError(f"migration {name} was changed after it was applied")
    return known[len(rows) :]
