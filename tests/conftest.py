"""Fixtures that every suite may use; each lives in its own module of `tests/support`."""

pytest_plugins = ["tests.support.brokers", "tests.support.servers"]
