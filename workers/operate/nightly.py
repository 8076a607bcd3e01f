"""`reflect`: the nightly run over all users."""

import asyncio
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.settings import Settings
from workers.operate.console import (
    AsJson,
    ExitState,
    UsageError,
    boundary,
    note,
    progress_bar,
    say,
    say_json,
    settings_or_exit,
)
from workers.operate.daily import every_day, time_of_day
from workers.operate.times import instant_or_now

if TYPE_CHECKING:
    from workers.reflection.nightly import Run


def reflect_command(
    as_of: Annotated[
        str | None, typer.Option(help="Instant up to which changes are due, ISO 8601 with offset; by default now.")
    ] = None,
    daily: Annotated[
        str | None, typer.Option(help="Stay, and run each day at this time of LITHIFY_TIMEZONE, such as 03:00.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The nightly run: publish what time has changed, over all users. Resumable."""
    settings = settings_or_exit()
    with boundary("reflect"):
        if daily is None:
            if _run(settings, instant_or_now(as_of, "--as-of"), as_json).mismatches:
                raise typer.Exit(ExitState.FINDINGS)
        elif as_of is not None:
            raise UsageError("--daily and --as-of exclude each other")
        else:
            every_day(time_of_day(daily), settings.timezone, lambda at: _again(settings, at, as_json))


def _again(settings: Settings, at: datetime, as_json: bool) -> None:
    """What the oracle finds is told, and alarmed on by its metric; tomorrow's run is due all the same."""
    _run(settings, at, as_json)


def _run(settings: Settings, at: datetime, as_json: bool) -> "Run":
    result = asyncio.run(_reflect(settings, at))
    if as_json:
        say_json(asdict(result) | {"as_of": at.isoformat()})
    else:
        resumed = " (taken up again)" if result.resumed else ""
        say(f"reflected up to {at.isoformat()}{resumed}: {result.slots} slots due, {result.changed} differed")
    if result.mismatches:
        note(f"oracle: {result.mismatches} of {result.checked} slots differ from a fold of their evidence")
    return result


async def _reflect(settings: Settings, as_of: datetime) -> "Run":
    from pipelines.store.pool import make_pool  # noqa: PLC0415
    from workers.assembly import reflector  # noqa: PLC0415
    from workers.reflection.nightly import reflect_nightly  # noqa: PLC0415

    pool = make_pool(settings, "reflect")
    await pool.open(wait=True, timeout=settings.pool_timeout_seconds)
    try:
        with progress_bar("reflecting") as bar:
            done = 0

            def advanced(slots: int) -> None:
                nonlocal done
                bar.advance(slots - done)
                done = slots

            return await reflect_nightly(settings, pool, reflector(settings), as_of, advanced)
    finally:
        await pool.close()
