"""Fixtures that every suite may use; each lives in its own module of `tests/support`."""

from hypothesis import settings

pytest_plugins = ["tests.support.brokers", "tests.support.servers"]

# A busy machine is not a fault of what is tested.
settings.register_profile("lithify", deadline=None)
settings.load_profile("lithify")
