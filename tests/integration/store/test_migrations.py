"""Migrations apply once, never change, and make what the readable snapshot shows."""

from pathlib import Path

import psycopg
import pytest

from pipelines.store import migrate as module
from pipelines.store.migrate import MigrationError, load_migrations, migrate
from pipelines.store.queries import SQL
from tests.support.servers import Database
from tests.support.snapshot import snapshot


def test_applying_again_changes_nothing(database: Database) -> None:
    before = snapshot(database)
    assert migrate(database.owner_url) == []
    assert snapshot(database) == before


def test_the_snapshot_is_what_migrations_make(database: Database) -> None:
    assert snapshot(database) == (SQL / "schema.sql").read_text(encoding="utf-8"), (
        "sql/schema.sql is out of date: python -m tests.support.snapshot"
    )


def test_a_changed_migration_is_refused(database: Database) -> None:
    with psycopg.connect(database.owner_url, autocommit=True) as connection:
        connection.execute("update schema_migrations set digest = 'another'")
    with pytest.raises(MigrationError, match="was changed after it was applied"):
        migrate(database.owner_url)


def test_a_newer_database_is_refused(database: Database) -> None:
    with psycopg.connect(database.owner_url, autocommit=True) as connection:
        connection.execute("insert into schema_migrations (number, name, digest) values (999, '0999_later', '')")
    with pytest.raises(MigrationError, match="newer than this release"):
        migrate(database.owner_url)


def test_numbers_have_no_gap(tmp_path: Path) -> None:
    for name in ("0001_a.sql", "0003_b.sql"):
        (tmp_path / name).write_text("select 1", encoding="utf-8")
    with pytest.raises(MigrationError, match="not numbered 1 to 2"):
        load_migrations(tmp_path)


def test_a_failing_migration_leaves_nothing_behind(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    good = load_migrations()
    bad = module.Migration(len(good) + 1, "9999_bad", "create table half (x integer); select no_such_function()")
    monkeypatch.setattr(module, "load_migrations", lambda: [*good, bad])
    with pytest.raises(psycopg.Error):
        migrate(database.owner_url)
    with psycopg.connect(database.owner_url) as connection:
        assert connection.execute("select to_regclass('half')").fetchone() == (None,)
