"""One stack a module: starting it takes ten seconds."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.local.stack import Stack
from tests.support.brokers import stack_environment
from tests.support.memory import MemoryProbe
from tests.support.processes import PATIENT


@pytest.fixture(scope="module")
def environment(request: pytest.FixtureRequest) -> dict[str, str]:
    """What processes inherit: no setting of Lithify's, whatever this shell has, but the broker to use if not ours."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("LITHIFY_")}
    return stack_environment(request, own | PATIENT)


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stack's data folder."""
    return tmp_path_factory.mktemp("stack")


@pytest.fixture(scope="module")
def stack(data_dir: Path, environment: dict[str, str]) -> Iterator[Stack]:
    """The whole embedded stack, up."""
    with Stack(data_dir, environment=environment, fsync=False) as running:
        yield running


@pytest.fixture(scope="module")
def probe(stack: Stack) -> MemoryProbe:
    """A look into the stack's database."""
    return MemoryProbe.of(stack)
