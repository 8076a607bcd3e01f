"""What a check finds."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

import psycopg
from confluent_kafka import KafkaException

from workers.operate.console import UnavailableError


class Status(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARN = "warn"
    """Works now; look at it."""
    FAIL = "fail"
    """Does not work, or is not safe."""
    UNREACHABLE = "unreachable"
    """A server does not answer; what depends on it was not checked."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's answer."""

    check: str
    status: Status
    detail: str
    remedy: str = ""
    """What to do; empty where all is well."""


Check = Callable[[], Iterable[Finding]]


def ok(check: str, detail: str) -> Finding:
    """All is well."""
    return Finding(check, Status.OK, detail)


def warn(check: str, detail: str, remedy: str) -> Finding:
    """Works now; look at it."""
    return Finding(check, Status.WARN, detail, remedy)


def failed(check: str, detail: str, remedy: str) -> Finding:
    """Does not work, or is not safe."""
    return Finding(check, Status.FAIL, detail, remedy)


def judge(check: str, good: bool, detail: str, remedy: str, otherwise: Status = Status.FAIL) -> Finding:
    """`ok` or, if not `good`, as bad as `otherwise`."""
    return Finding(check, Status.OK if good else otherwise, detail, "" if good else remedy)


@contextmanager
def _no_fault(check: str, found: list[Finding]) -> Iterator[None]:
    try:
        yield
    except psycopg.OperationalError as error:
        found.append(Finding(check, Status.UNREACHABLE, _line(error), "is PostgreSQL up, and its address right?"))
    except psycopg.Error as error:
        found.append(failed(check, _line(error), "see the server's log"))
    except KafkaException as error:
        found.append(Finding(check, Status.UNREACHABLE, error.args[0].str(), "is Kafka up, and its address right?"))
    except (UnavailableError, ValueError, OSError) as error:
        found.append(failed(check, _line(error), "see the detail"))


def _line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)


def run(name: str, check: Check) -> list[Finding]:
    """The findings of a check; a fault of the check itself is one of them."""
    found: list[Finding] = []
    with _no_fault(name, found):
        found.extend(check())
    return found
