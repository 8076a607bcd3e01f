"""`exporter`: serves Prometheus what no worker knows of itself."""

import signal
import threading
from typing import Annotated

import typer

from workers.operate.console import fail, settings_or_exit


def exporter_command(
    port: Annotated[int | None, typer.Option(help="Instead of LITHIFY_HEALTH_PORT; 0 takes a free one.")] = None,
) -> None:
    """Serve lag, and what the database holds open, to Prometheus until told to stop. One is enough for a cluster."""
    settings = settings_or_exit()
    from pipelines.logs import setup_logging  # noqa: PLC0415
    from pipelines.observe.exporter import serve  # noqa: PLC0415

    setup_logging(settings.log_level)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        serve(settings, settings.health_port if port is None else port, stop)
    except OSError as error:
        fail(f"exporter: {error}")
