"""Every exception is sorted into one of three."""

import psycopg
import pytest
from psycopg_pool import PoolTimeout

from pipelines.failures import Cause, Poison, Transient, classify


@pytest.mark.parametrize(
    "error",
    [
        psycopg.OperationalError("server closed the connection"),
        psycopg.errors.DeadlockDetected(),
        psycopg.errors.SerializationFailure(),
        psycopg.errors.AdminShutdown(),
        psycopg.errors.ReadOnlySqlTransaction(),
        psycopg.errors.UndefinedTable(),
        psycopg.errors.InsufficientPrivilege("permission denied for table turns"),
        psycopg.errors.UndefinedObject('role "lithify_scheduler" does not exist'),
        psycopg.errors.IdleInTransactionSessionTimeout(),
        psycopg.errors.TransactionTimeout(),
        psycopg.errors.InFailedSqlTransaction(),
        psycopg.errors.IndexCorrupted(),
        psycopg.errors.FeatureNotSupported("cached plan must not change result type"),
        psycopg.errors.InvalidSqlStatementName('prepared statement "_pg3_0" does not exist'),
        psycopg.errors.DuplicatePreparedStatement('prepared statement "_pg3_0" already exists'),
        psycopg.InterfaceError("the connection is closed"),
        PoolTimeout(),
        ConnectionResetError(),
        TimeoutError(),
    ],
)
def test_what_may_pass(error: Exception) -> None:
    assert isinstance(classify(error), Transient)


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (psycopg.errors.UntranslatableCharacter("\\u0000 cannot be converted"), Cause.REJECTED_BY_STORE),
        (psycopg.errors.ProgramLimitExceeded("index row size 2976 exceeds maximum"), Cause.REJECTED_BY_STORE),
        (psycopg.errors.CheckViolation("check"), Cause.REJECTED_BY_STORE),
        (KeyError("span"), Cause.UNEXPECTED),
        (RecursionError(), Cause.UNEXPECTED),
    ],
)
def test_what_never_will(error: Exception, cause: Cause) -> None:
    failure = classify(error)
    assert isinstance(failure, Poison)
    assert failure.cause is cause


def test_what_is_sorted_stays() -> None:
    poison = Poison(Cause.NOT_JSON, "x")
    assert classify(poison) is poison
