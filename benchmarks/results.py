"""What the workers have stored of some turns, read under the same row-level security as theirs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg.rows import DictRow, class_row, dict_row

from lithify.events import Turn
from pipelines.identity import subject_key
from pipelines.settings import Settings

WORKERS = ("importance", "extraction", "conflict", "reflection")


@dataclass(frozen=True, slots=True)
class Done:
    """When a turn came in, and when it was decided."""

    turn_id: str
    received_at: datetime
    decided_at: datetime


class Results:
    """Reads the rows of the users of some turns, and of these turns alone where the row has one."""

    def __init__(self, settings: Settings, turns: Sequence[Turn]) -> None:
        users = {(turn.tenant, turn.user_id) for turn in turns}
        subjects = sorted(subject_key(settings.pseudonym_key, tenant, user) for tenant, user in users)
        self._ids = [turn.id for turn in turns]
        self._connection = psycopg.connect(
            settings.database_url.get_secret_value(), row_factory=dict_row, autocommit=True
        )
        self._connection.execute("select set_config('lithify.subjects', %s, false)", [",".join(subjects)])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def finished(self) -> int:
        """How many of the turns have reached the end of the pipeline."""
        return self._count("select count(*) as n from turns where turn_id = any(%s) and reflected_at is not null")

    def done(self) -> list[Done]:
        """The turns that are decided."""
        with self._connection.cursor(row_factory=class_row(Done)) as cursor:
            query = (
                "select turn_id, received_at, decided_at from turns where turn_id = any(%s) and decided_at is not null"
            )
            return cursor.execute(query, [self._ids]).fetchall()

    def claims(self) -> int:
        """Claims read from the turns."""
        return self._count("select count(*) as n from claims where turn_id = any(%s)")

    def facts(self) -> int:
        """Facts about the users, closed ones included."""
        return self._number("select count(*) as n from facts where sys_to is null")

    def overrides(self) -> int:
        """Overrides of the users, past ones included."""
        return self._number("select count(*) as n from overrides where sys_to is null")

    def inbox(self) -> dict[str, int]:
        """How many of the turns each worker has applied."""
        query = "select count(*) as n from inbox where event_id = any(%s) and worker = %s"
        return {worker: self._count(query, worker) for worker in WORKERS}

    def _count(self, query: str, *parameters: str) -> int:
        return self._number(query, self._ids, *parameters)

    def _number(self, query: str, *parameters: object) -> int:
        row: DictRow | None = self._connection.execute(query.encode(), parameters).fetchone()
        assert row is not None
        return int(row["n"])
