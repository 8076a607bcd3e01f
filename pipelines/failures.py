"""Three ways to fail, as types, and the one place that sorts everything else into them."""

import asyncio
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

if TYPE_CHECKING:
    from pipelines.store.unit_of_work import Receipt


class Cause(StrEnum):
    """Why an event is in the dead letters."""

    NOT_JSON = "not_json"
    INVALID_EVENT = "invalid_event"
    """A field is missing or of the wrong type; the detail names it."""
    INVALID_ID = "invalid_id"
    ID_REUSED = "id_reused"
    """The same event id came before with other content."""
    VERSION_UNKNOWN = "version_unknown"
    """Written by a newer release; to be replayed after the upgrade."""
    NOT_SUPPORTED = "not_supported"
    """Valid, but this release cannot do it yet."""
    REJECTED_BY_STORE = "rejected_by_store"
    TOO_LARGE = "too_large"
    """What would become of it is larger than a topic takes."""
    UNEXPECTED = "unexpected"
    """A defect: this event makes the worker raise."""


class Poison(Exception):  # noqa: N818 - the word of the field
    """This event can never be processed: to the dead letters, now."""

    def __init__(self, cause: Cause, detail: str, receipt: "Receipt | None" = None) -> None:
        """`receipt` tells which event it was, where that could be read."""
        super().__init__(f"{cause}: {detail}")
        self.cause = cause
        self.detail = detail
        self.receipt = receipt


class Transient(Exception):  # noqa: N818
    """Nothing is wrong with the event: back off and try the same batch again; its partition waits."""


class Defer(Exception):  # noqa: N818
    """Not now: park the event until `due_at` and go on with the others."""

    def __init__(self, due_at: datetime, reason: str) -> None:
        super().__init__(reason)
        self.due_at = due_at
        self.reason = reason


_TOO_LARGE = (psycopg.errors.ProgramLimitExceeded, psycopg.errors.StatementTooComplex)
"""An event beyond what the database can hold, such as an index row: psycopg derives them from OperationalError."""
_TRANSIENT = (
    psycopg.errors.UndefinedTable,  # the schema is not at this release
    psycopg.errors.UndefinedColumn,
    psycopg.errors.UndefinedFunction,
    psycopg.errors.UndefinedObject,  # nor are the roles
    psycopg.errors.InvalidSchemaName,
    psycopg.errors.FeatureNotSupported,  # it has changed under a prepared statement
    psycopg.errors.InvalidSqlStatementName,  # something between us and the server mixes up sessions
    psycopg.errors.DuplicatePreparedStatement,
    psycopg.InternalError,  # the state of a session or of the server: ended while idle, read-only, a damaged file
    psycopg.errors.SnapshotTooOld,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    PoolTimeout,
    PoolClosed,
    TooManyRequests,
    ConnectionError,
    asyncio.TimeoutError,
    TimeoutError,
)


def classify(error: Exception) -> Poison | Transient | Defer:
    """Sort any exception into one of the three.

    Connection loss, time-outs, deadlocks and serialization failures (which psycopg derives from OperationalError)
    are Transient, and so is a database that takes no writes, lacks a migration or a right, or has ended the session: no
    event is at fault. A value the database refuses, or anything unforeseen, is Poison: whoever calls this must first
    have found the one event that causes it.
    """
    if isinstance(error, Poison | Transient | Defer):
        return error
    if isinstance(error, _TOO_LARGE):
        return Poison(Cause.REJECTED_BY_STORE, _first_line(error))
    if isinstance(error, _TRANSIENT) or _is_missing_right(error):
        return Transient(f"{type(error).__name__}: {error}")
    if isinstance(error, psycopg.DataError | psycopg.IntegrityError):
        return Poison(Cause.REJECTED_BY_STORE, _first_line(error))
    return Poison(Cause.UNEXPECTED, f"{type(error).__name__}: {_first_line(error)}")


def _is_missing_right(error: Exception) -> bool:
    """Whether the role lacks a right; a row that row-level security refuses is another matter under the same code."""
    return (
        isinstance(error, psycopg.errors.InsufficientPrivilege) and error.diag.source_function != "ExecWithCheckOptions"
    )


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0][:300] if lines else ""
