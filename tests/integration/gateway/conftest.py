"""A gateway over each test's own database."""

from collections.abc import AsyncIterator

import pytest

from tests.support.gateway import World, gateway_over
from tests.support.servers import Database


@pytest.fixture
async def world(database: Database) -> AsyncIterator[World]:
    """A gateway with nobody known yet."""
    async with gateway_over(database) as made:
        yield made
