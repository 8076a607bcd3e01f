"""`migrate` and `topics apply|check`: what the workers need of database and broker."""

import psycopg
import typer

from pipelines.kafka import apply_topics, missing_topics
from pipelines.settings import PREFIX, Settings
from pipelines.store.migrate import load_migrations, migrate, pending
from pipelines.store.queries import query
from pipelines.topics import topic_name
from workers.operate.console import (
    AsJson,
    DryRun,
    ExitState,
    RefusedError,
    UsageError,
    boundary,
    say,
    say_json,
    settings_or_exit,
)

topics_app = typer.Typer(no_args_is_help=True, add_completion=False, help="The topics on the broker.")
_CONNECT_SECONDS = 10


def owner_url(settings: Settings, command: str) -> str:
    """The owner's connection. Raises UsageError where it is not set."""
    if settings.owner_database_url is None:
        raise UsageError(f"{PREFIX}OWNER_DATABASE_URL = (not set): {command} needs the owner's connection")
    return settings.owner_database_url.get_secret_value()


def migrate_command(dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Bring the database schema up to date."""
    settings = settings_or_exit()
    with boundary("migrate"):
        url = owner_url(settings, "migrate")
        names = pending_migrations(url)
        if names:
            _check_extension(url)
        if not dry_run:
            names = migrate(url)
    if as_json:
        say_json({"pending" if dry_run else "applied": names})
    elif names:
        say(f"{'would apply' if dry_run else 'applied'}: {', '.join(names)}")
    else:
        say("the schema is up to date")
    if dry_run and names:
        raise typer.Exit(ExitState.FINDINGS)


def pending_migrations(url: str) -> list[str]:
    """Migrations that are not applied yet; all of them, where the database is empty."""
    with psycopg.connect(url, autocommit=True, connect_timeout=_CONNECT_SECONDS, client_encoding="UTF8") as connection:
        noted = connection.execute(query("migrations.is_noted").encode()).fetchone() == (True,)
        found = pending(connection) if noted else load_migrations()
    return [migration.name for migration in found]


def _check_extension(url: str) -> None:
    """Raises RefusedError where the schema's type of vectors is missing."""
    with psycopg.connect(url, connect_timeout=_CONNECT_SECONDS, client_encoding="UTF8") as connection:
        row = connection.execute(query("operate.has_vector").encode()).fetchone()
    if row is None or not row[0]:
        raise RefusedError("the database lacks the extension vector; its administrator runs: create extension vector")


@topics_app.command("apply")
def topics_apply(dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Create the topics that are missing; those that are there stay as they are."""
    settings = settings_or_exit()
    with boundary("topics"):
        names = _missing(settings) if dry_run else apply_topics(settings)
    if as_json:
        say_json({"missing" if dry_run else "created": names})
    elif names:
        say(f"{'would create' if dry_run else 'created'}: {', '.join(names)}")
    else:
        say("all topics are there")
    if dry_run and names:
        raise typer.Exit(ExitState.FINDINGS)


@topics_app.command("check")
def topics_check(as_json: AsJson = False) -> None:
    """Name the topics that are missing; exit state 1 if any is."""
    settings = settings_or_exit()
    with boundary("topics"):
        names = _missing(settings)
    if as_json:
        say_json({"missing": names})
    else:
        say(f"missing: {', '.join(names)}" if names else "all topics are there")
    if names:
        raise typer.Exit(ExitState.FINDINGS)


def _missing(settings: Settings) -> list[str]:
    return [topic_name(settings, topic) for topic in missing_topics(settings)]
