"""What Faust's driver is made to do here that it has no setting for."""

import subprocess
import sys
from pathlib import Path

from tests.support.pipeline import KEYS
from tests.support.processes import PATIENCE

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
    {body}

import uvloop

uvloop.run(main())
"""
FETCH_WAIT = """
    thread = app.consumer._new_consumer_thread()
    print(thread._create_worker_consumer(app.transport)._fetch_max_wait_ms)
"""
SLOW_SEEK = """
    async def seek():
        await asyncio.sleep(0.5)
        print("done")
    await app.tables.recovery._wait(seek(), timeout=0.05)
"""

CLOSED_LINE = """
    from aiokafka.conn import AIOKafkaConnection
    from aiokafka.errors import KafkaConnectionError
    from aiokafka.protocol.metadata import MetadataRequest

    async with await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0) as server:
        connection = AIOKafkaConnection(*server.sockets[0].getsockname())
        _, connection._writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        connection._versions = {3: (0, 1)}
        connection._writer.transport.abort()
        await asyncio.sleep(0.1)
        try:
            connection.send(MetadataRequest([]))
        except KafkaConnectionError:
            print("broken")
"""


def printed(body: str) -> str:
    """What a program with an app prints."""
    environment = {
        **KEYS,
        "LITHIFY_DATABASE_URL": "postgresql://nowhere/none",
        "LITHIFY_KAFKA_BOOTSTRAP": "127.0.0.1:1",
        "LITHIFY_FETCH_WAIT_SECONDS": "0.05",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM.format(body=body)]
    run = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_c90_what_was_taken_back_is_not_read() -> None:
    assert printed(FETCH_WAIT.replace("_fetch_max_wait_ms", "_isolation_level")) == "read_committed"


def test_the_fetch_wait_is_that_of_the_settings() -> None:
    assert printed(FETCH_WAIT) == "50"


def test_a_slow_seek_is_not_taken_for_done() -> None:
    assert printed(SLOW_SEEK) == "done"


def test_a_closed_line_is_a_broken_connection_also_on_uvloop() -> None:
    assert printed(CLOSED_LINE) == "broken"
