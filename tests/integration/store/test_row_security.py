"""Row-level security: a transaction sees the subjects of its batch and no others, whatever it asks."""

import psycopg
import pytest
from psycopg import sql

from tests.support.servers import Database

TABLES = {
    "subjects": "(tenant, subject_key, user_id) values ('t', %(k)s, 'u' || %(k)s)",
    "session_ends": "(tenant, subject_key, session_id, ended_at) values ('t', %(k)s, 's', now())",
    "inbox": "(worker, tenant, event_id, subject_key, digest) values ('w', 't', %(k)s, %(k)s, '')",
    "outbox": "(lane, topic, key, value, subject_key) values ('w', 'x', 'k', '{}', %(k)s)",
}
"""Tables that are filled with few words; that all tables are protected is a test of its own."""


def scope(connection: psycopg.Connection, *subjects: str) -> None:
    connection.execute("select set_config('lithify.subjects', %s, true)", (",".join(subjects),))


def fill(database: Database, *subjects: str) -> None:
    with psycopg.connect(database.worker_url) as connection:
        scope(connection, *subjects)
        for table, rest in TABLES.items():
            for subject in subjects:
                connection.execute(f"insert into {table} {rest}".encode(), {"k": subject})


def count(connection: psycopg.Connection, table: str) -> int:
    row = connection.execute(sql.SQL("select count(*) from {}").format(sql.Identifier(table))).fetchone()
    return int(row[0]) if row else -1


def test_every_table_with_a_subject_is_protected_even_from_its_owner(database: Database) -> None:
    with psycopg.connect(database.superuser_url) as connection:
        rows = connection.execute(
            "select c.relname, c.relrowsecurity and c.relforcerowsecurity from pg_class c"
            " join pg_attribute a on a.attrelid = c.oid and a.attname = 'subject_key'"
            " where c.relkind = 'r' order by 1"
        ).fetchall()
    assert len(rows) >= 15
    assert [name for name, protected in rows if not protected] == []


@pytest.mark.parametrize("table", TABLES)
def test_only_the_batch_is_seen(database: Database, table: str) -> None:
    fill(database, "a", "b", "c")
    with psycopg.connect(database.worker_url) as connection:
        assert count(connection, table) == 0, "without a scope nothing is seen"
        scope(connection, "a", "c")
        assert count(connection, table) == 2
        scope(connection, "a' or true --")
        assert count(connection, table) == 0


@pytest.mark.parametrize("table", TABLES)
def test_nothing_is_written_for_others(database: Database, table: str) -> None:
    with psycopg.connect(database.worker_url) as connection:
        scope(connection, "a")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            connection.execute(f"insert into {table} {TABLES[table]}".encode(), {"k": "b"})


@pytest.mark.parametrize("verb", ["delete from inbox", "update inbox set digest = 'x'"])
def test_nothing_of_others_is_changed(database: Database, verb: str) -> None:
    fill(database, "a", "b")
    with psycopg.connect(database.worker_url) as connection:
        scope(connection, "a")
        assert connection.execute(verb.encode()).rowcount == 1


def test_the_scope_ends_with_its_transaction(database: Database) -> None:
    fill(database, "a")
    with psycopg.connect(database.worker_url, autocommit=True) as connection:
        with connection.transaction():
            scope(connection, "a")
            assert count(connection, "subjects") == 1
        assert count(connection, "subjects") == 0


def test_the_gateway_reads_and_never_writes(database: Database) -> None:
    fill(database, "a", "b")
    with psycopg.connect(database.gateway_url) as connection:
        scope(connection, "a")
        assert count(connection, "subjects") == 1
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("update subjects set epoch = 9")
    with psycopg.connect(database.gateway_url) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("select * from outbox")


def test_the_scheduler_sees_who_has_work_due_and_no_content(database: Database) -> None:
    fill(database, "a", "b")
    with psycopg.connect(database.worker_url) as connection:
        connection.execute("set local role lithify_scheduler")
        assert connection.execute("select count(subject_key) from subjects").fetchone() == (2,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("select user_id from subjects")
    for statement in ("select content from turns", "select value from facts", "select body from claims"):
        with psycopg.connect(database.worker_url) as connection:
            connection.execute("set local role lithify_scheduler")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.encode())


def test_a_worker_has_the_wide_roles_only_when_it_takes_them_on(database: Database) -> None:
    fill(database, "a")
    with psycopg.connect(database.worker_url) as connection:
        assert count(connection, "outbox") == 0
        connection.execute("set local role lithify_relay")
        assert count(connection, "outbox") == 1
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("select * from turns")


def test_no_role_is_above_the_rules(database: Database) -> None:
    with psycopg.connect(database.superuser_url) as connection:
        rows = connection.execute(
            "select rolname from pg_roles where rolname like 'lithify%' and (rolsuper or rolbypassrls)"
        ).fetchall()
        writes = connection.execute(
            "select table_name from information_schema.table_privileges"
            " where grantee = 'lithify_backup' and privilege_type <> 'SELECT'"
        ).fetchall()
    assert rows == [("lithify_backup",)], "it reads every row, which row-level security would not let it"
    assert writes == []
