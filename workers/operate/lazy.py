"""Commands that are imported when they are called: a worker does not load what a backup needs."""

from collections import UserDict
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup
from typer.main import get_command


class LazyGroup(TyperGroup):
    """A group that knows some of its commands by the place they are in."""

    places: ClassVar[Mapping[str, str]] = {}
    """Command to "module:name" of a function, or of an app with commands of its own."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.commands = _Commands({**self.commands, **self.places})


class _Commands(UserDict[str, Any]):
    """Commands by name; one that is still a place is imported when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        if isinstance(self.data[name], str):
            self.data[name] = _imported(name, self.data[name])
        return self.data[name]


def _imported(command: str, place: str) -> Any:
    module, name = place.split(":")
    found = getattr(import_module(module), name)
    if isinstance(found, typer.Typer):
        group = get_command(found)
        group.name = command
        return group
    alone = typer.Typer(add_completion=False)
    alone.command(command)(found)
    return get_command(alone)
