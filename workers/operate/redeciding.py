"""`redecide`: every slot folded under another policy."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from pipelines.policy import load_policy
from pipelines.settings import Settings
from workers.operate.console import AsJson, DryRun, boundary, progress_bar, say, say_json, settings_or_exit


def redecide_command(
    policy: Annotated[Path, typer.Option(help="Policy file, in the form of schemas/policy/default.toml.")],
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Fold all slots of all users under a policy, print what changes, and write it."""
    settings = settings_or_exit()
    with boundary("redecide"):
        asyncio.run(_redecide(settings, policy, dry_run, as_json))


async def _redecide(settings: Settings, path: Path, dry_run: bool, as_json: bool) -> None:
    from pipelines.slots.folding import Folder  # noqa: PLC0415
    from pipelines.store.pool import make_pool  # noqa: PLC0415
    from workers.assembly import codec, vocabulary  # noqa: PLC0415
    from workers.redecide import Redecision, redecide  # noqa: PLC0415

    folder = Folder(vocabulary(settings).catalog, load_policy(path))
    pool = make_pool(settings, "redecide")
    await pool.open(wait=True, timeout=settings.pool_timeout_seconds)
    work = Redecision(settings, pool, folder, codec(), write=not dry_run)
    try:
        with progress_bar("deciding anew") as bar:
            async for change in redecide(work):
                bar.advance()
                say(change.as_json() if as_json else change.as_text())
    finally:
        await pool.close()
    if as_json:
        say_json({"subjects": work.subjects, "slots": work.slots, "changed": work.changed, "written": not dry_run})
    else:
        would = "would change" if dry_run else "changed"
        say(f"{work.slots} slots of {work.subjects} users, {work.changed} {would}")
