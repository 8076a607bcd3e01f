"""Fixtures that every suite may use; each lives in its own module of `tests/support`. And the order of the suites."""

import pytest
from hypothesis import settings

pytest_plugins = ["tests.support.brokers", "tests.support.servers"]

# A busy machine is not a fault of what is tested.
settings.register_profile("lithify", deadline=None)
settings.load_profile("lithify")

_LONGEST_FIRST = ("chaos", "acceptance", "contract", "integration")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long suites first, so that no process is left with one at the end. Within a suite the order stays random."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    suite = item.nodeid.split("/", 2)[1]
    return _LONGEST_FIRST.index(suite) if suite in _LONGEST_FIRST else len(_LONGEST_FIRST)
