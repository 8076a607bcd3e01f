"""What operators run: `python -m workers COMMAND`.

Exit states: 0 done, 1 something differs, is missing or failed midway, 2 wrong usage or settings, 3 database, broker or
a program cannot be reached, 4 refused by a safety check.
"""

from typing import Annotated

import typer

from workers.operate.console import ExitState, fail, settings_or_exit
from workers.operate.lazy import LazyGroup


class _Commands(LazyGroup):
    places = {  # noqa: RUF012 - a class variable of LazyGroup
        "migrate": "workers.operate.schema:migrate_command",
        "topics": "workers.operate.schema:topics_app",
        "doctor": "workers.operate.doctor.command:doctor_command",
        "lag": "workers.operate.lag:lag_command",
        "exporter": "workers.operate.exporting:exporter_command",
        "dlq": "workers.operate.dlq:app",
        "replay": "workers.operate.replaying:replay_command",
        "backup": "workers.operate.backup:backup_command",
        "restore": "workers.operate.restore:restore_command",
        "reflect": "workers.operate.nightly:reflect_command",
        "redecide": "workers.operate.redeciding:redecide_command",
        "reextract": "workers.operate.reextracting:reextract_command",
    }


app = typer.Typer(
    name="workers",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    help=__doc__,
    pretty_exceptions_enable=False,
)


@app.command()
def run(worker: Annotated[str, typer.Argument(help="importance, extraction, conflict or reflection")]) -> None:
    """Run one worker until it is told to stop."""
    settings = settings_or_exit()
    from pipelines.runtime.service import run_worker  # noqa: PLC0415 - Faust is loaded only where it runs
    from workers.assembly import WORKERS  # noqa: PLC0415

    make = WORKERS.get(worker)
    if make is None:
        fail(f"no worker {worker!r}; there are {', '.join(WORKERS)}", ExitState.USAGE)
    try:
        made = make(settings)
    except ValueError as error:  # a catalog, policy or embedder that cannot be used
        fail(f"bad settings:\n  {error}", ExitState.USAGE)
    run_worker(made, settings)


@app.command()
def gateway() -> None:
    """Run the gateway until it is told to stop."""
    settings = settings_or_exit()
    from workers.gateway.main import run as run_gateway  # noqa: PLC0415

    try:
        run_gateway(settings)
    except ValueError as error:  # a catalog, policy or embedder that cannot be used
        fail(f"bad settings:\n  {error}", ExitState.USAGE)


if __name__ == "__main__":
    app()
