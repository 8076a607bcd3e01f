"""Who a request is about. Made in one place, checked in one place."""

from dataclasses import dataclass
from datetime import UTC, datetime

from lithify.domain.text import valid_id
from pipelines.identity import subject_key
from pipelines.inbound import EARLIEST, moment_fault
from pipelines.settings import Settings
from workers.gateway.faults import InvalidError

ID_LENGTH = 512
TENANT_LENGTH = 128
LATEST = datetime(9000, 1, 1, tzinfo=UTC)
"""An instant asked about lies before this, so that every local date around it can be named."""


@dataclass(frozen=True, slots=True)
class Who:
    """One user of one tenant, with the key their rows carry."""

    tenant: str
    user_id: str
    subject_key: str


def who(settings: Settings, tenant: str, user_id: str) -> Who:
    """The user of a request.

    Raises:
        InvalidError: the tenant or user id cannot be an id.
    """
    check_id("tenant", tenant, tenant=True)
    check_id("user_id", user_id)
    return Who(tenant, user_id, subject_key(settings.pseudonym_key, tenant, user_id))


def check_id(field: str, text: str, *, tenant: bool = False) -> None:
    """Raise InvalidError unless `text` can be an id; workers would treat the event as poison."""
    fault = valid_id(text, tenant=tenant)
    if fault is not None:
        raise InvalidError(f"not usable as an id: {fault}", field)
    limit = TENANT_LENGTH if tenant else ID_LENGTH
    if len(text) > limit:
        raise InvalidError(f"longer than {limit} characters", field)


def check_time(field: str, at: datetime | None) -> None:
    """Raise InvalidError if an instant asked about is out of reach; None is now."""
    if at is not None and not EARLIEST <= at < LATEST:
        raise InvalidError(f"not between {EARLIEST.year} and {LATEST.year}", field)


def check_turn(place: str, occurred_at: datetime | None, timezone: str | None) -> None:
    """Raise InvalidError if the days of a turn cannot be told; workers would refuse it too."""
    wrong = moment_fault(occurred_at, timezone)
    if wrong is not None:
        raise InvalidError(wrong[1], f"{place}.{wrong[0]}")
