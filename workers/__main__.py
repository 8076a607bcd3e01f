"""What operators run: `python -m workers COMMAND`.

Exit states: 0 done, 1 something differs, is missing or failed midway, 2 wrong usage or settings, 3 database, broker or
a program cannot be reached, 4 refused by a safety check.
"""

from typing import Annotated

import typer

from workers.operate import backup, dlq, exporting, lag, nightly, redeciding, reextracting, replaying, restore, schema
from workers.operate.console import ExitState, fail, settings_or_exit
from workers.operate.doctor import command as doctor

app = typer.Typer(
    name="workers", no_args_is_help=True, add_completion=False, help=__doc__, pretty_exceptions_enable=False
)
app.command("migrate")(schema.migrate_command)
app.add_typer(schema.topics_app, name="topics")
app.command("doctor")(doctor.doctor_command)
app.command("lag")(lag.lag_command)
app.command("exporter")(exporting.exporter_command)
app.add_typer(dlq.app, name="dlq")
app.command("replay")(replaying.replay_command)
app.command("backup")(backup.backup_command)
app.command("restore")(restore.restore_command)
app.command("reflect")(nightly.reflect_command)
app.command("redecide")(redeciding.redecide_command)
app.command("reextract")(reextracting.reextract_command)


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
