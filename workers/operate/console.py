"""How every operator's command speaks: exit states, output for people and for scripts, progress on a terminal."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import msgspec
import psycopg
import typer
from confluent_kafka import KafkaException

from pipelines.deadlettercap import TooManyDeadLetters
from pipelines.policy import PolicyError
from pipelines.settings import Settings, SettingsError, load_settings
from pipelines.store.migrate import MigrationError

if TYPE_CHECKING:
    from rich.progress import Progress


class ExitState(IntEnum):
    """What a script may go by."""

    DONE = 0
    FINDINGS = 1
    """It ran, and something differs, is missing or needs attention; or it failed midway. The output says what."""
    USAGE = 2
    """Wrong arguments or settings. Nothing was done."""
    UNREACHABLE = 3
    """Database, broker or a program that is needed cannot be reached."""
    REFUSED = 4
    """A safety check said no. Nothing was done."""


class RefusedError(RuntimeError):
    """A safety check said no; the message says why, and how to go on."""


class UnavailableError(RuntimeError):
    """A program or a server that the command needs is not there."""


class UsageError(ValueError):
    """An argument that cannot be used."""


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]


def say(message: str) -> None:
    """A line on standard output."""
    sys.stdout.write(message + "\n")


def note(message: str) -> None:
    """A line on standard error: beside the result."""
    sys.stderr.write(message + "\n")


def say_json(value: object) -> None:
    """A value as one line of JSON."""
    say(json.dumps(msgspec.to_builtins(value, enc_hook=str), ensure_ascii=False))


def fail(message: str, state: ExitState = ExitState.FINDINGS) -> NoReturn:
    """End the command with a reason."""
    note(message)
    raise typer.Exit(state)


def settings_or_exit() -> Settings:
    """The settings of the environment; ends the command with every fault there is in them."""
    try:
        return load_settings()
    except SettingsError as error:
        fail(str(error), ExitState.USAGE)


def quiet() -> None:
    """Let the libraries not log what the command will say itself."""
    for name in ("pipelines.kafka", "psycopg.pool"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


@contextmanager
def boundary(command: str) -> Iterator[None]:
    """Turn what a command may raise into a reason and an exit state."""
    quiet()
    try:
        yield
    except (UsageError, PolicyError) as error:
        fail(f"{command}: {error}", ExitState.USAGE)
    except (RefusedError, MigrationError) as error:
        fail(f"{command}: {error}", ExitState.REFUSED)
    except UnavailableError as error:
        fail(f"{command}: {error}", ExitState.UNREACHABLE)
    except KafkaException as error:
        fail(f"{command}: broker: {error.args[0].str()}", ExitState.UNREACHABLE)
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn) as error:
        reason = f"{_first_line(error)}; bring the schema up to date: python -m workers migrate"
        fail(f"{command}: database: {reason}", ExitState.REFUSED)
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        fail(f"{command}: database: {_first_line(error)}", ExitState.UNREACHABLE)
    except TooManyDeadLetters as error:
        fail(f"{command}: stopped: {error}")
    except psycopg.Error as error:
        fail(f"{command}: the database refused: {_first_line(error)}")
    except OSError as error:
        fail(f"{command}: {error}")


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


class Bar:
    """One line of progress."""

    def __init__(self, progress: "Progress", task: Any) -> None:
        self._progress = progress
        self._task = task

    def advance(self, by: int = 1) -> None:
        """So much more is done."""
        self._progress.advance(self._task, by)

    def describe(self, text: str) -> None:
        """What is being done now."""
        self._progress.update(self._task, description=text)

    def expect(self, total: int) -> None:
        """How much there is to do."""
        self._progress.update(self._task, total=total)


@contextmanager
def progress_bar(what: str, total: int | None = None) -> Iterator[Bar]:
    """Progress on standard error, where that is a terminal; nothing otherwise."""
    from rich.console import Console  # noqa: PLC0415 - no worker shows progress
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield Bar(progress, progress.add_task(what, total=total))
