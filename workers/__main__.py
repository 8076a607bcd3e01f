"""What operators run: `python -m workers COMMAND`.

Exit states: 0 done, 1 failed, 2 wrong usage or settings, 3 something is missing (topics check).
"""

import asyncio
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NoReturn

import psycopg
import typer
from confluent_kafka import KafkaException

from pipelines.kafka import apply_topics, missing_topics
from pipelines.policy import PolicyError, load_policy
from pipelines.settings import PREFIX, Settings, SettingsError, load_settings
from pipelines.store.migrate import MigrationError, migrate
from pipelines.topics import topic_name
from workers.operate import exporting
from workers.operate import lag as lagging

app = typer.Typer(
    name="workers", no_args_is_help=True, add_completion=False, help=__doc__, pretty_exceptions_enable=False
)
topics_app = typer.Typer(no_args_is_help=True, help="The topics on the broker.")
app.add_typer(topics_app, name="topics")
app.command("lag")(lagging.lag_command)
app.command("exporter")(exporting.exporter_command)


def _settings() -> Settings:
    try:
        return load_settings()
    except SettingsError as error:
        _fail(str(error), code=2)


def _fail(message: str, code: int = 1) -> NoReturn:
    sys.stderr.write(message + "\n")
    raise typer.Exit(code)


def _say(message: str) -> None:
    sys.stdout.write(message + "\n")


@app.command()
def run(worker: Annotated[str, typer.Argument(help="importance, extraction, conflict or reflection")]) -> None:
    """Run one worker until it is told to stop."""
    settings = _settings()
    from pipelines.runtime.service import run_worker  # noqa: PLC0415 - Faust is loaded only where it runs
    from workers.assembly import WORKERS  # noqa: PLC0415

    make = WORKERS.get(worker)
    if make is None:
        _fail(f"no worker {worker!r}; there are {', '.join(WORKERS)}", code=2)
    try:
        made = make(settings)
    except ValueError as error:  # a catalog, policy or embedder that cannot be used
        _fail(f"bad settings:\n  {error}", code=2)
    run_worker(made, settings)


@app.command()
def gateway() -> None:
    """Run the gateway until it is told to stop."""
    settings = _settings()
    from workers.gateway.main import run as run_gateway  # noqa: PLC0415

    run_gateway(settings)


@app.command("migrate")
def migrate_command() -> None:
    """Bring the database schema up to date."""
    settings = _settings()
    if settings.owner_database_url is None:
        _fail(f"bad settings:\n  {PREFIX}OWNER_DATABASE_URL = (not set): migrate needs the owner's connection", code=2)
    try:
        applied = migrate(settings.owner_database_url.get_secret_value())
    except (MigrationError, psycopg.Error) as error:
        _fail(f"migrate: {error}")
    _say(f"applied: {', '.join(applied)}" if applied else "the schema is up to date")


@topics_app.command("apply")
def topics_apply() -> None:
    """Create the topics that are missing."""
    settings = _settings()
    try:
        created = apply_topics(settings)
    except KafkaException as error:
        _fail(f"topics: {error.args[0].str()}")
    _say(f"created: {', '.join(created)}" if created else "all topics are there")


@topics_app.command("check")
def topics_check() -> None:
    """Name the topics that are missing; exit state 3 if any is."""
    settings = _settings()
    try:
        missing = missing_topics(settings)
    except KafkaException as error:
        _fail(f"topics: {error.args[0].str()}")
    if missing:
        _fail(f"missing: {', '.join(topic_name(settings, topic) for topic in missing)}", code=3)
    _say("all topics are there")


@app.command()
def reflect(
    as_of: Annotated[
        str | None, typer.Option(help="Instant up to which changes are due, ISO 8601 with offset; by default now.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """The nightly run: publish what time has changed, over all users. Resumable."""
    settings = _settings()
    instant = _instant(as_of)
    try:
        result = asyncio.run(_reflect(settings, instant))
    except (psycopg.Error, OSError) as error:
        _fail(f"reflect: {error}")
    if as_json:
        _say(json.dumps(result | {"as_of": instant.isoformat()}))
    else:
        resumed = " (taken up again)" if result["resumed"] else ""
        _say(
            f"reflected up to {instant.isoformat()}{resumed}: {result['slots']} slots due, {result['changed']} differed"
        )
    if result["mismatches"]:
        _fail(f"oracle: {result['mismatches']} of {result['checked']} slots differ from a fold of their evidence")


@app.command("redecide")
def redecide_command(
    policy: Annotated[Path, typer.Option(help="Policy file, in the form of schemas/policy/default.toml.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would change and write nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Fold all slots of all users under a policy, print what changes, and write it."""
    settings = _settings()
    try:
        asyncio.run(_redecide(settings, policy, dry_run, as_json))
    except PolicyError as error:
        _fail(str(error), code=2)
    except (psycopg.Error, OSError) as error:
        _fail(f"redecide: {error}")


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
        async for change in redecide(work):
            _say(change.as_json() if as_json else change.as_text())
    finally:
        await pool.close()
    summary = {"subjects": work.subjects, "slots": work.slots, "changed": work.changed, "written": not dry_run}
    would = "would change" if dry_run else "changed"
    _say(json.dumps(summary) if as_json else f"{work.slots} slots of {work.subjects} users, {work.changed} {would}")


@app.command()
def reextract(
    tenant: Annotated[str | None, typer.Option(help="Only this tenant's turns.")] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Also read every turn that matters since this instant again, ISO 8601 with offset."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count and change nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Let the model read turns again whose reading failed. The extraction worker asks; this only queues."""
    settings = _settings()
    if settings.reads_with == "rules":
        _fail(f"reextract: no model reads turns here; set {PREFIX}MODEL_URL and {PREFIX}MODEL_NAME", code=2)
    instant = None if since is None else _instant(since, "--since")
    try:
        result = asyncio.run(_reextract(settings, tenant, instant, write=not dry_run))
    except (psycopg.Error, OSError) as error:
        _fail(f"reextract: {error}")
    if as_json:
        _say(json.dumps(result | {"queued": not dry_run}))
    else:
        would = "would be" if dry_run else "are"
        _say(f"{result['failed']} turns whose reading failed and {result['again']} others {would} queued")


async def _reextract(settings: Settings, tenant: str | None, since: datetime | None, *, write: bool) -> dict[str, int]:
    from pipelines.store.pool import make_pool  # noqa: PLC0415
    from workers.reextract import requeue  # noqa: PLC0415

    pool = make_pool(settings, "reextract")
    await pool.open(wait=True, timeout=settings.pool_timeout_seconds)
    try:
        return await requeue(settings, pool, tenant, since, write=write)
    finally:
        await pool.close()


def _instant(text: str | None, option: str = "--as-of") -> datetime:
    if text is None:
        return datetime.now(UTC)
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        _fail(f"{option} {text!r}: expected ISO 8601, such as 2026-03-04T00:00:00+08:00", code=2)
    if instant.tzinfo is None:
        _fail(f"{option} {text!r}: expected an offset, such as +08:00 or Z", code=2)
    return instant


async def _reflect(settings: Settings, as_of: datetime) -> dict[str, int | bool]:
    from pipelines.store.pool import make_pool  # noqa: PLC0415
    from workers.assembly import reflector  # noqa: PLC0415
    from workers.reflection.nightly import reflect_nightly  # noqa: PLC0415

    pool = make_pool(settings, "reflect")
    await pool.open(wait=True, timeout=settings.pool_timeout_seconds)
    try:
        done = await reflect_nightly(settings, pool, reflector(settings), as_of)
    finally:
        await pool.close()
    return {
        "slots": done.slots,
        "changed": done.changed,
        "resumed": done.resumed,
        "pruned": done.pruned,
        "checked": done.checked,
        "mismatches": done.mismatches,
    }


if __name__ == "__main__":
    app()
