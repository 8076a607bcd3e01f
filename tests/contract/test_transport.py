"""The fetch wait of the settings reaches Faust's consumer, which has no setting for it."""

import subprocess
import sys
from pathlib import Path

from tests.support.pipeline import KEYS

ROOT = Path(__file__).parents[2]
PROGRAM = """
import asyncio
from pipelines.runtime.app import make_app
from pipelines.settings import load_settings

async def nothing():
    return None

async def main():
    app = make_app(load_settings(), "probe", opening=nothing, closing=nothing)
    app.finalize()
    thread = app.consumer._new_consumer_thread()
    consumer = thread._create_worker_consumer(app.transport)
    print(consumer._fetch_max_wait_ms)

asyncio.run(main())
"""


def test_the_fetch_wait_is_that_of_the_settings() -> None:
    environment = {
        **KEYS,
        "LITHIFY_DATABASE_URL": "postgresql://nowhere/none",
        "LITHIFY_KAFKA_BOOTSTRAP": "127.0.0.1:1",
        "LITHIFY_FETCH_WAIT_SECONDS": "0.05",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout.strip() == "50", run.stderr
