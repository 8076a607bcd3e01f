"""The servers that other suites build on."""

import psycopg
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.support.processes import PATIENCE
from tests.support.servers import Database


def test_a_test_has_a_database_of_its_own(database: Database) -> None:
    with psycopg.connect(database.owner_url) as connection:
        connection.execute("CREATE TABLE t (v vector(3))")
        connection.execute("INSERT INTO t VALUES ('[1,2,3]')")
        assert connection.execute("SELECT current_database()").fetchone() == (database.name,)


def test_the_next_test_sees_nothing_of_it(database: Database) -> None:
    with psycopg.connect(database.owner_url) as connection:
        assert connection.execute("SELECT to_regclass('t')").fetchone() == (None,)


@pytest.mark.parametrize("role", ["owner", "worker", "gateway"])
def test_row_level_security_binds_every_role(database: Database, role: str) -> None:
    with psycopg.connect(getattr(database, f"{role}_url")) as connection:
        rights = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    assert rights == (False, False, False)


def test_a_wrong_password_is_refused(database: Database) -> None:
    host = database.worker_url.rsplit("@", 1)[1]
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(f"postgresql://lithify_worker:wrong@{host}")


def test_the_broker_takes_messages(broker: str) -> None:
    admin = AdminClient({"bootstrap.servers": broker})
    admin.create_topics([NewTopic("servers-test", 1, 1)])["servers-test"].result(PATIENCE)
    delivered: list[object] = []
    producer = Producer({"bootstrap.servers": broker, "partitioner": "murmur2_random"})
    producer.produce("servers-test", b"hello", on_delivery=lambda error, _message: delivered.append(error))
    assert producer.flush(PATIENCE) == 0
    assert delivered == [None]
