"""`backup`: the database as it is at one instant, with what a restore needs to go on from there."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import msgspec
import psycopg
import typer
from psycopg import sql
from psycopg.rows import DictRow, dict_row

from pipelines.settings import PREFIX, Settings
from pipelines.store.queries import query
from pipelines.topics import Topic, topic_name
from workers.operate.archive import DUMP, FORMAT, Manifest, digest, key_check, new_folder, write_manifest
from workers.operate.console import (
    AsJson,
    Bar,
    DryRun,
    RefusedError,
    UsageError,
    boundary,
    progress_bar,
    say,
    say_json,
    settings_or_exit,
)
from workers.operate.pgtools import Tool
from workers.operate.position import Position, position

_CONNECT_SECONDS = 10
NOT_KEPT = "dead_letter_keys"
"""A backup would keep readable what was destroyed with its key."""
Connection = psycopg.Connection[DictRow]


def backup_command(
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    offsets: Annotated[
        bool, typer.Option("--offsets/--no-offsets", help="Note how far the topics had been read; needs the broker.")
    ] = True,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Write a backup of the database. The keys are not in it: keep them elsewhere."""
    settings = settings_or_exit()
    with boundary("backup"), progress_bar("backing up") as bar:
        manifest = backup(settings, folder, bar, offsets=offsets, dry_run=dry_run)
    if as_json:
        say_json(manifest)
    else:
        did = "would write" if dry_run else f"wrote {manifest.size} bytes,"
        say(f"{did} {sum(manifest.rows.values())} rows of {len(manifest.rows)} tables to {folder}")


def backup(settings: Settings, folder: Path, bar: Bar, *, offsets: bool = True, dry_run: bool = False) -> Manifest:
    """Write a backup.

    The position on the topics is read before the snapshot: a worker commits an offset after its transaction, so what
    lies before the position is in the snapshot.

    Raises:
        UsageError: the folder is in use, or the connection is not set.
        RefusedError: the connection's role cannot read every row.
        UnavailableError: pg_dump is missing or older than the server.
        KafkaException, psycopg.Error, ToolError: something cannot be reached, or failed; no backup is left behind.
    """
    if settings.backup_database_url is None:
        raise UsageError(
            f"{PREFIX}BACKUP_DATABASE_URL = (not set): backup needs a role that reads every row (sql/roles.sql)"
        )
    url = settings.backup_database_url.get_secret_value()
    tool = Tool(settings, "pg_dump")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already and not empty")
    began = datetime.now(UTC)
    at = position(settings, began) if offsets else Position(None, began)
    dump = folder / DUMP
    with psycopg.connect(
        url, row_factory=dict_row, connect_timeout=_CONNECT_SECONDS, client_encoding="UTF8"
    ) as connection:
        server = _snapshot(connection, tool)
        rows = _count(connection)
        manifest = Manifest(
            format=FORMAT,
            made_at=began,
            release=version("lithify"),
            server_version=server,
            dump_version=tool.version,
            migrations=tuple(row["name"] for row in connection.execute(query("migrations.applied").encode())),
            rows=rows,
            sha256="",
            size=0,
            key_check=key_check(settings),
            topic=topic_name(settings, Topic.TURNS),
            offsets=at.offsets,
            rewind_to=at.oldest,
        )
        if dry_run:
            return manifest
        new_folder(folder)
        _dump(tool, url, dump, _one(connection, "operate.export_snapshot")["snapshot"], len(rows), bar)
    manifest = msgspec.structs.replace(manifest, sha256=digest(dump), size=dump.stat().st_size)
    write_manifest(folder, manifest)
    return manifest


def _snapshot(connection: Connection, tool: Tool) -> int:
    """See one instant of every row from now on. Returns the server's version; raises RefusedError, UnavailableError."""
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    server: int = _one(connection, "operate.server_version")["version"]
    tool.require(server // 10_000, "the server")
    if not _one(connection, "operate.reads_everything")["reads_everything"]:
        raise RefusedError(
            f"the role of {PREFIX}BACKUP_DATABASE_URL is bound by row-level security; use lithify_backup"
        )
    return server


def _one(connection: Connection, name: str) -> DictRow:
    row = connection.execute(query(name).encode()).fetchone()
    assert row is not None, name
    return row


def _count(connection: Connection) -> dict[str, int]:
    """Rows by table. Raises RefusedError where there is no schema."""
    names = [row["name"] for row in connection.execute(query("operate.tables").encode()) if row["name"] != NOT_KEPT]
    if "schema_migrations" not in names:
        raise RefusedError("the database has no schema of Lithify: nothing to back up")
    return {name: count_rows(connection, name) for name in names}


def count_rows(connection: Connection, table: str) -> int:
    """How many rows a table has, as far as the role sees them."""
    statement = sql.SQL(query("operate.count_rows")).format(table=sql.Identifier(table))
    row = connection.execute(statement).fetchone()
    return 0 if row is None else int(row["n"])


def _dump(tool: Tool, url: str, path: Path, snapshot: str, tables: int, bar: Bar) -> None:
    """Dump the schema public. No half of a dump is left behind."""
    bar.expect(tables)
    arguments = ["--format=custom", "--schema=public", "--no-owner", "--no-password", "--verbose"]
    arguments.append(f"--exclude-table-data=public.{NOT_KEPT}")
    try:
        path.touch(mode=0o600)
        tool.run(url, [*arguments, f"--snapshot={snapshot}", f"--file={path}"], _advance(bar))
    except BaseException:
        with suppress(OSError):
            shutil.rmtree(path.parent)
        raise


def _advance(bar: Bar) -> Callable[[str], None]:
    def line(text: str) -> None:
        if "dumping contents of table" in text:
            bar.advance()

    return line
