"""What the database holds open, counted over all users: read once a cluster, by the exporter, not in each worker."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.rows import DictRow, dict_row

from pipelines import metrics
from pipelines.metrics import Measured
from pipelines.settings import Settings
from pipelines.store.queries import query
from pipelines.topics import WORKER_SOURCES

Value = tuple[Measured, tuple[str, ...], float]
"""A metric, its label values, and its value."""
_TIMEOUT_MS = 4000


class Census:
    """Counts under roles that see times and numbers, never content. One thread at a time."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.database_url.get_secret_value()
        self._connection: psycopg.Connection[DictRow] | None = None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def read(self) -> list[Value]:
        """Count everything, in one read-only transaction.

        Raises:
            psycopg.Error: the database cannot be reached or asked, or it took longer than four seconds.
        """
        try:
            with self._asked() as connection:
                return [*_delivery(connection), *_memory(connection), *_nightly(connection)]
        except psycopg.Error:
            self.close()
            raise

    @contextmanager
    def _asked(self) -> Iterator[psycopg.Connection[DictRow]]:
        if self._connection is None:
            self._connection = psycopg.connect(
                self._url,
                connect_timeout=3,
                application_name="lithify-exporter",
                client_encoding="UTF8",
                options=f"-c statement_timeout={_TIMEOUT_MS} -c default_transaction_read_only=on -c datestyle=ISO",
                row_factory=dict_row,
            )
        with self._connection.transaction():
            yield self._connection


def _rows(connection: psycopg.Connection[DictRow], name: str) -> Sequence[dict[str, Any]]:
    return connection.execute(query(f"census.{name}").encode()).fetchall()


def _delivery(connection: psycopg.Connection[DictRow]) -> list[Value]:
    connection.execute("set local role lithify_relay")
    waiting = {row["worker"]: row for row in _rows(connection, "outbox")}
    connection.execute("set local role lithify_scheduler")
    parked = {row["worker"]: row for row in _rows(connection, "parked")}
    values: list[Value] = [(metrics.OPEN_TURNS, (), _rows(connection, "open_turns")[0]["turns"])]
    none = {"events": 0, "age": 0.0, "overdue": 0.0}
    for worker in WORKER_SOURCES:
        outbox, deferred = waiting.get(worker, none), parked.get(worker, none)
        values += [
            (metrics.OUTBOX_EVENTS, (worker,), outbox["events"]),
            (metrics.OUTBOX_AGE_SECONDS, (worker,), outbox["age"]),
            (metrics.PARKED_EVENTS, (worker,), deferred["events"]),
            (metrics.PARKED_OVERDUE_SECONDS, (worker,), deferred["overdue"]),
        ]
    return values


def _memory(connection: psycopg.Connection[DictRow]) -> list[Value]:
    contenders = _rows(connection, "contenders")[0]
    return [
        (metrics.OVERRIDES_ALIVE, (), _rows(connection, "overrides")[0]["alive"]),
        (metrics.CONTENDERS_ALIVE, (), contenders["alive"]),
        (metrics.CONTENDERS_NEAR, (), contenders["near"]),
        (metrics.REFLECTION_DUE_SLOTS, (), _rows(connection, "due_slots")[0]["slots"]),
    ]


def _nightly(connection: psycopg.Connection[DictRow]) -> list[Value]:
    """What no run has told yet is left out."""
    row = _rows(connection, "reflection")[0]
    told = {
        metrics.REFLECTION_AGE_SECONDS: row["age"],
        metrics.REFLECTION_RUN_SECONDS: row["seconds"],
        metrics.REFLECTION_RUN_SLOTS: row["slots"],
        metrics.ORACLE_CHECKED: row["checked"],
        metrics.ORACLE_MISMATCHES: row["mismatches"],
    }
    return [(measured, (), value) for measured, value in told.items() if value is not None]
