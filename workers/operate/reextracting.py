"""`reextract`: turns for the model to read again."""

import asyncio
from datetime import datetime
from typing import Annotated

import typer

from pipelines.settings import PREFIX, Settings
from workers.operate.console import AsJson, DryRun, UsageError, boundary, say, say_json, settings_or_exit
from workers.operate.times import instant


def reextract_command(
    tenant: Annotated[str | None, typer.Option(help="Only this tenant's turns.")] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Also read every turn that matters since this instant again, ISO 8601 with offset."),
    ] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Let the model read turns again whose reading failed. The extraction worker asks; this only queues."""
    settings = settings_or_exit()
    with boundary("reextract"):
        if settings.reads_with == "rules":
            raise UsageError(f"no model reads turns here; set {PREFIX}MODEL_URL and {PREFIX}MODEL_NAME")
        start = None if since is None else instant(since, "--since")
        result = asyncio.run(_reextract(settings, tenant, start, write=not dry_run))
    if as_json:
        say_json(result | {"queued": not dry_run})
    else:
        would = "would be" if dry_run else "are"
        say(f"{result['failed']} turns whose reading failed and {result['again']} others {would} queued")


async def _reextract(settings: Settings, tenant: str | None, since: datetime | None, *, write: bool) -> dict[str, int]:
    from pipelines.store.pool import make_pool  # noqa: PLC0415
    from workers.reextract import requeue  # noqa: PLC0415

    pool = make_pool(settings, "reextract")
    await pool.open(wait=True, timeout=settings.pool_timeout_seconds)
    try:
        return await requeue(settings, pool, tenant, since, write=write)
    finally:
        await pool.close()
