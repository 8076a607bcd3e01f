"""`restore`: a backup put back, and the events since then consumed once more."""

from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import psycopg
import typer
from psycopg.rows import dict_row

from pipelines.settings import PREFIX, Settings
from pipelines.store.migrate import load_migrations, migrate
from pipelines.store.queries import query
from pipelines.topics import Topic, topic_name
from workers.operate.archive import DUMP, Manifest, key_check, read_manifest
from workers.operate.backup import count_rows
from workers.operate.console import (
    AsJson,
    Bar,
    DryRun,
    ExitState,
    RefusedError,
    boundary,
    progress_bar,
    say,
    say_json,
    settings_or_exit,
)
from workers.operate.log import Offsets, at_time, reader
from workers.operate.pgtools import Tool, write_private
from workers.operate.replay import Replay, Stretch, replay
from workers.operate.replaying import as_text, tell_lost
from workers.operate.schema import owner_url

_CONNECT_SECONDS = 10
_NOT_OURS = (" SCHEMA - public ", " COMMENT - SCHEMA public ", " ACL - SCHEMA public ", " EXTENSION - ")


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did, or would do."""

    made_at: str
    rows: int
    tables: int
    migrated: tuple[str, ...]
    dry_run: bool
    replayed: Replay | None


def restore_command(
    folder: Annotated[Path, typer.Argument(help="A folder that `backup` wrote.")],
    force: Annotated[bool, typer.Option("--force", help="Remove what is in the database first.")] = False,
    then_replay: Annotated[
        bool, typer.Option("--replay/--no-replay", help="Consume the events since the backup; needs the broker.")
    ] = True,
    margin_minutes: Annotated[int, typer.Option(min=0, help="How much further back to begin with that.")] = 60,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup back into the database, with the workers stopped, and consume what came since."""
    settings = settings_or_exit()
    with boundary("restore"), progress_bar("checking the backup") as bar:
        manifest = read_manifest(folder)
        migrated = restore(settings, folder, manifest, bar, force=force, dry_run=dry_run)
        bar.describe("replaying")
        margin = timedelta(minutes=margin_minutes)
        again = _catch_up(settings, manifest, margin, bar, dry_run) if then_replay else None
    rows = sum(manifest.rows.values())
    done = Restored(manifest.made_at.isoformat(), rows, len(manifest.rows), tuple(migrated), dry_run, again)
    say_json(asdict(done)) if as_json else _say(done)
    if again is not None:
        tell_lost(again)
        if again.lost:
            raise typer.Exit(ExitState.FINDINGS)


def restore(settings: Settings, folder: Path, manifest: Manifest, bar: Bar, *, force: bool, dry_run: bool) -> list[str]:
    """Put the rows of a backup into the database of the owner's connection.

    Returns:
        Names of the migrations applied after it, where the backup is of an earlier release.

    Raises:
        RefusedError: other keys, a newer schema, workers that run, a database that is not empty, missing roles.
        UnavailableError: pg_restore is missing or too old.
        ToolError, psycopg.Error: it failed midway; the database is incomplete: restore again with force.
    """
    url = owner_url(settings, "restore")
    tool = Tool(settings, "pg_restore")
    tool.require(manifest.dump_version, "the backup's pg_dump")
    _check_fit(settings, manifest)
    with psycopg.connect(
        url, autocommit=True, row_factory=dict_row, connect_timeout=_CONNECT_SECONDS, client_encoding="UTF8"
    ) as connection:
        _check_target(connection, force)
        if dry_run:
            return []
        keys = _keys(connection)
        if force:
            connection.execute(query("operate.drop_everything").encode())
        contents = folder / "contents"
        write_private(contents, _contents(tool, folder / DUMP))
        try:
            _load(tool, url, folder, contents, connection, manifest, bar)
        finally:
            contents.unlink()
        applied = migrate(url)
        for key in keys:
            connection.execute(query("operate.keep_dead_letter_key").encode(), key)
    return applied


def _keys(connection: psycopg.Connection[dict[str, object]]) -> list[dict[str, object]]:
    """Keys of dead letters that are still on their topic: no backup has them, so they outlive a restore here."""
    try:
        return connection.execute(query("operate.dead_letter_keys").encode()).fetchall()
    except psycopg.errors.UndefinedTable:
        return []


def _check_fit(settings: Settings, manifest: Manifest) -> None:
    if manifest.key_check != key_check(settings):
        raise RefusedError(
            f"the backup was written under another {PREFIX}PSEUDONYM_KEY: its users would not be found again"
        )
    known = [migration.name for migration in load_migrations()]
    if list(manifest.migrations) != known[: len(manifest.migrations)]:
        raise RefusedError(f"the backup is at migration {manifest.migrations[-1]}, which this release does not know")


def _check_target(connection: psycopg.Connection[dict[str, object]], force: bool) -> None:
    def rows(name: str) -> list[dict[str, object]]:
        return connection.execute(query(name).encode()).fetchall()

    if missing := [str(row["name"]) for row in rows("operate.missing_roles")]:
        raise RefusedError(f"the cluster lacks the roles {', '.join(missing)}: its administrator runs sql/roles.sql")
    if not rows("operate.has_vector")[0]["installed"]:
        raise RefusedError("the database lacks the extension vector: its administrator runs `create extension vector`")
    if sessions := rows("operate.sessions_of_workers")[0]["sessions"]:
        raise RefusedError(f"workers or gateways hold {sessions} connections to the database: stop them first")
    tables = rows("operate.tables")
    if tables and not force:
        raise RefusedError(f"the database has {len(tables)} tables already: restore into an empty one, or say --force")


def _contents(tool: Tool, dump: Path) -> str:
    """What of the dump to restore: all but what an owner that is no administrator may not make."""
    lines = tool.output(["--list", str(dump)]).splitlines()
    return "\n".join(line for line in lines if not any(mark in f"{line} " for mark in _NOT_OURS)) + "\n"


def _load(
    tool: Tool,
    url: str,
    folder: Path,
    contents: Path,
    connection: psycopg.Connection[dict[str, object]],
    manifest: Manifest,
    bar: Bar,
) -> None:
    """In three sections: row-level security binds the owner too once the last one has switched it on."""
    arguments = ["--no-owner", "--no-password", "--exit-on-error", "--dbname=", f"--use-list={contents}"]
    sections = ("pre-data", "data", "post-data")
    bar.expect(len(sections))
    for section in sections:
        bar.describe(f"restoring {section}")
        tool.run(url, [*arguments, f"--section={section}", str(folder / DUMP)])
        if section == "data":
            _check_rows(connection, manifest)
            for name in ("operate.raise_slot_versions", "operate.raise_subject_versions"):
                connection.execute(query(name).encode())
        bar.advance()


def _check_rows(connection: psycopg.Connection[dict[str, object]], manifest: Manifest) -> None:
    for table, expected in manifest.rows.items():
        found = count_rows(connection, table)
        if found != expected:
            raise OSError(f"table {table} has {found} rows after the restore, the backup says {expected}")


def _catch_up(settings: Settings, manifest: Manifest, margin: timedelta, bar: Bar, dry_run: bool) -> Replay:
    """Consume the first topic again from where the backup was, or where something was still under way.

    Importance publishes everything anew, so the stages behind it are driven in their own order. What it had stored
    and they had not finished with is published again by its recurring work.
    """
    topic = topic_name(settings, Topic.TURNS)
    since = manifest.rewind_to - margin
    if manifest.offsets is None or manifest.topic != topic:
        return replay(settings, Stretch(Topic.TURNS, since), bar, dry_run=dry_run)
    with reader(settings) as consumer:
        earlier = at_time(consumer, topic, since)
    return replay(settings, Stretch(Topic.TURNS, _earliest(manifest.offsets, earlier)), bar, dry_run=dry_run)


def _earliest(committed: Offsets, earlier: Offsets) -> Offsets:
    return {n: min(offset, earlier[n]) if earlier.get(n, -1) >= 0 else offset for n, offset in committed.items()}


def _say(done: Restored) -> None:
    did = "would restore" if done.dry_run else "restored"
    say(f"{did} {done.rows} rows of {done.tables} tables, as of {done.made_at}")
    if done.migrated:
        say(f"applied: {', '.join(done.migrated)}")
    if done.replayed is not None:
        say(as_text(done.replayed))
    if not done.dry_run:
        say("start the workers now")
