"""The worker of `tests.support.faust_worker` in a group whose rebalances wait for a member for longer than any test."""

import sys
from pathlib import Path
from typing import Any

from pipelines.runtime import app as runtime
from pipelines.runtime.service import run_worker
from pipelines.settings import load_settings
from tests.support.faust_worker import Counting
from tests.support.processes import PATIENCE


class Waiting(runtime.WorkerApp):
    """The app with that time-out."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"broker_rebalance_timeout": PATIENCE * 3})


if __name__ == "__main__":
    runtime.WorkerApp = Waiting  # type: ignore[misc]
    run_worker(Counting(Path(sys.argv[1])), load_settings())
