"""Looking into a running stack's database: evidence, what it was folded to, and what each worker has applied."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import DictRow, dict_row

from lithify.domain.claims import Claim, Evidence
from lithify.domain.policy import Policy
from lithify.domain.sessions import Session
from lithify.domain.slots import replay
from lithify.domain.slots.state import SlotState
from ops.local.postgres import SUPERUSER
from ops.local.stack import Stack
from pipelines.language.catalog import load_catalog
from pipelines.slots.evidence import decode_evidence, is_broad
from pipelines.slots.rows import SlotKey, table_rows

_SYSTEM = {"sys_from", "sys_to"}
Rows = dict[str, dict[str, dict[str, Any]]]
"""Table name to row id to fields, without system time."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A stored turn and how far it came."""

    turn_id: str
    subject_key: str
    outcome: str
    decided: bool
    reflected: bool


class MemoryProbe:
    """Reads everything, as a superuser, whom row-level security does not bind."""

    def __init__(self, url: str, snapshot: "psycopg.Connection[DictRow] | None" = None) -> None:
        self.url = url
        self._snapshot = snapshot

    @classmethod
    def of(cls, stack: Stack) -> "MemoryProbe":
        """The probe of a running stack."""
        return cls(stack.cluster.url(SUPERUSER))

    @contextmanager
    def at_once(self) -> Iterator["MemoryProbe"]:
        """A probe all of whose queries see one instant, while the workers go on."""
        with self._connection() as connection:
            connection.execute("begin isolation level repeatable read read only")
            yield MemoryProbe(self.url, connection)
            connection.execute("commit")

    def turns(self) -> list[Turn]:
        """All turns and commands."""
        rows = self.rows(
            "select turn_id, subject_key, outcome, decided is not null as decided,"
            " reflected_at is not null as reflected from turns order by turn_id"
        )
        return [Turn(**row) for row in rows]

    def inbox(self) -> dict[str, list[str]]:
        """Ids of events by the worker that applied them, session ends left out."""
        found: dict[str, list[str]] = defaultdict(list)
        query = "select worker, event_id from inbox where event_id in (select turn_id from turns) order by event_id"
        for row in self.rows(query):
            found[row["worker"]].append(row["event_id"])
        return found

    def folded(self) -> Rows:
        """What the workers believe: the current rows of facts, overrides and verdicts."""
        columns = {"facts": "fact_id", "overrides": "override_id", "verdicts": "verdict_id"}
        found: Rows = {}
        for table, column in columns.items():
            rows = self.rows(f"select * from {table} where sys_to is null")
            found[table] = {str(row[column]): _comparable(row) for row in rows}
        return found

    def refolded(self) -> Rows:
        """The same from the stored evidence alone, by the pure fold."""
        found: Rows = {"facts": {}, "overrides": {}, "verdicts": {}}
        for key, state in self.states().items():
            for table, rows in table_rows(key, state).items():
                found[table] |= {row_id: _comparable(row) for row_id, row in rows.items()}
        return found

    def states(self) -> dict[SlotKey, SlotState]:
        """Every slot, folded anew from its stored evidence."""
        catalog, policy, sessions = load_catalog(), Policy(), self._sessions()
        states = {}
        for key, items in self._evidence().items():
            hints = [item.cardinality for item in items if isinstance(item, Claim) and item.cardinality]
            attribute = catalog.get(key.attribute, hints[0] if hints else None)
            states[key] = replay(key.slot_id, attribute, items, sessions.get(key.subject_key, []), policy)
        return states

    def rows(self, query: str) -> list[DictRow]:
        """The rows of a query."""
        with self._connection() as connection:
            return connection.execute(query.encode()).fetchall()

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[DictRow]]:
        if self._snapshot is not None:
            yield self._snapshot
            return
        with psycopg.connect(self.url, row_factory=dict_row, autocommit=True) as connection:
            connection.execute("set time zone 'UTC'")
            yield connection

    def _evidence(self) -> dict[SlotKey, list[Evidence]]:
        slots: dict[SlotKey, list[Evidence]] = defaultdict(list)
        broad: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
        query = "select tenant, subject_key, subject, attribute, kind, body::text as body from claims where current"
        for row in self.rows(query + " order by occurred_at, claim_id"):
            item = decode_evidence(row["kind"], row["body"])
            if is_broad(item):
                broad[row["subject_key"], row["subject"]].append(item)
            else:
                slots[SlotKey(row["tenant"], row["subject_key"], row["subject"], row["attribute"])].append(item)
        return {key: [*items, *broad.get((key.subject_key, key.subject), ())] for key, items in slots.items()}

    def _sessions(self) -> dict[str, list[Session]]:
        found: dict[str, list[Session]] = defaultdict(list)
        for row in self.rows("select * from sessions"):
            session = Session(row["started_at"], row["last_at"], row["ended_at"], row["session_id"], row["explicit"])
            found[row["subject_key"]].append(session)
        return found


def _comparable(row: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as plain values; ids as text, enumerations as their values, no system time."""
    return {name: _plain(value) for name, value in row.items() if name not in _SYSTEM}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, int | float | bool | list | dict):
        return value
    return str(value)
