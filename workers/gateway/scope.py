"""Who a request is about. Made in one place, checked in one place."""

from dataclasses import dataclass

from lithify.domain.text import valid_id
from pipelines.identity import subject_key
from pipelines.settings import Settings
from workers.gateway.faults import InvalidError

ID_LENGTH = 512
TENANT_LENGTH = 128


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
