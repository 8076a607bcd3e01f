"""How every operator's command speaks: exit states, and output for people and for scripts."""

import json
import logging
import sys
from enum import IntEnum
from typing import Annotated, NoReturn

import msgspec
import typer

from pipelines.settings import Settings, SettingsError, load_settings


class ExitState(IntEnum):
    """What a script may go by."""

    DONE = 0
    FINDINGS = 1
    """It ran, and something differs, is missing or needs attention; or it failed midway. The output says what."""
    USAGE = 2
    """Wrong arguments or settings. Nothing was done."""
    UNREACHABLE = 3
    """Database, broker or a program that is needed cannot be reached."""


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


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
