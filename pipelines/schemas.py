"""The wire as data: JSON Schema of every event, generated from the models that decode them.

`python -m pipelines.schemas write` brings `schemas/topics` up to date and refuses a change that is incompatible with
what is there; `check` fails on any difference, and with `--against REF` compares with the files of a git revision.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from lithify.events import (
    CommandAccepted,
    DeadLetter,
    DeadLetterClosed,
    Envelope,
    SessionClosed,
    SlotChanged,
    TurnDecided,
    TurnExtracted,
    TurnScored,
)
from lithify.events.envelope import VERSION
from lithify.events.inbound import Command, SessionEnded, Turn
from pipelines.compatibility import Schema, problems
from pipelines.topics import REGISTRY, Topic

ROOT = Path(__file__).resolve().parents[1] / "schemas" / "topics"
DIALECT = "https://json-schema.org/draft/2020-12/schema"

EVENTS: dict[Topic, dict[str, type[msgspec.Struct]]] = {
    Topic.TURNS: {"turn": Turn, "session_ended": SessionEnded, "command": Command},
    Topic.SCORED: {"turn_scored": TurnScored, "session_ended": SessionClosed, "command_accepted": CommandAccepted},
    Topic.CLAIMS: {"turn_extracted": TurnExtracted, "session_ended": SessionClosed},
    Topic.CONFLICTS: {"turn_decided": TurnDecided, "session_ended": SessionClosed},
    Topic.FACTS: {"slot_changed": SlotChanged},
    Topic.DEAD_LETTERS: {"dead_letter": DeadLetter, "dead_letter_closed": DeadLetterClosed},
}
"""Which events are on which topic, and the model that decodes each."""


@dataclass(frozen=True, slots=True)
class File:
    """One generated file."""

    path: Path
    """Under `ROOT`."""
    content: dict[str, Any]

    def text(self) -> str:
        """As it is written."""
        return json.dumps(self.content, indent=2, ensure_ascii=False) + "\n"


def generated() -> Iterator[File]:
    """Every file of `schemas/topics` that is made, not written."""
    for topic, events in EVENTS.items():
        yield File(Path(topic) / "topic.json", _topic(topic))
        for name, model in events.items():
            yield File(Path(topic) / f"v{VERSION}" / f"{name}.schema.json", schema(topic, name, model))


def schema(topic: Topic, name: str, model: type[msgspec.Struct]) -> Schema:
    """The schema of one event: flat on the first topic, inside the envelope on every other."""
    found = msgspec.json.schema(model) if topic is Topic.TURNS else _enveloped(name, model)
    return {"$schema": DIALECT, "title": f"{topic}: {name} v{VERSION}"} | found


def _enveloped(name: str, model: type[msgspec.Struct]) -> Schema:
    (envelope, body), components = msgspec.json.schema_components([Envelope, model], ref_template="#/$defs/{name}")
    properties = components["Envelope"]["properties"]
    properties["type"] = {"const": name}
    properties["body"] = body
    return envelope | {"$defs": components}


def _topic(topic: Topic) -> dict[str, Any]:
    spec = REGISTRY[topic]
    return {
        "topic": topic.value,
        "key": spec.key,
        "writers": list(spec.writers),
        "readers": list(spec.readers),
        "retention_hours": None if spec.retention is None else int(spec.retention.total_seconds() // 3600),
        "events": sorted(EVENTS[topic]),
    }


def check(root: Path = ROOT) -> list[str]:
    """What differs between the models and the files under `root`."""
    found = []
    for file in generated():
        path = root / file.path
        if not path.exists():
            found.append(f"{file.path}: missing")
        elif path.read_text(encoding="utf-8") != file.text():
            found.append(f"{file.path}: differs from the model")
    return found + [f"{path}: nothing makes it" for path in sorted(_orphans(root))]


def incompatible(previous: Callable[[Path], str | None]) -> list[str]:
    """What the models break of the schemas that `previous` gives by path; None: there was none."""
    found = []
    for file in generated():
        text = previous(file.path) if file.path.name.endswith(".schema.json") else None
        if text is not None:
            found += [f"{file.path}: {problem}" for problem in problems(json.loads(text), file.content)]
    return found


def write(root: Path = ROOT) -> list[str]:
    """Write every file that differs; returns their paths.

    Raises:
        ValueError: a change is incompatible; nothing is written then.
    """
    broken = incompatible(lambda path: _read(root / path))
    if broken:
        raise ValueError("incompatible, give the event a new version:\n" + "\n".join(broken))
    written = []
    for file in generated():
        path = root / file.path
        if _read(path) != file.text():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text(), encoding="utf-8")
            written.append(str(file.path))
    return written


def _orphans(root: Path) -> set[Path]:
    made = {file.path for file in generated()}
    there = {path.relative_to(root) for path in root.rglob("*.json") if path.parent.name != "examples"}
    return there - made


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _at_revision(revision: str) -> Callable[[Path], str | None]:
    def read(path: Path) -> str | None:
        shown = subprocess.run(
            ["git", "show", f"{revision}:schemas/topics/{path.as_posix()}"],
            cwd=ROOT.parents[1],
            capture_output=True,
            check=False,
        )
        return shown.stdout.decode() if shown.returncode == 0 else None

    return read


app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__, pretty_exceptions_enable=False)


@app.command("write")
def write_command() -> None:
    """Bring the files up to date. Exit state 1 for an incompatible change."""
    try:
        written = write()
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        raise typer.Exit(1) from None
    sys.stdout.writelines(f"{path}\n" for path in written)


@app.command("check")
def check_command(
    against: Annotated[str | None, typer.Option(help="A git revision whose schemas must still hold.")] = None,
) -> None:
    """Compare the files with the models. Exit state 1 for any difference."""
    found = check() + (incompatible(_at_revision(against)) if against else [])
    sys.stderr.writelines(f"{line}\n" for line in found)
    if found:
        raise typer.Exit(1)


if __name__ == "__main__":
    app()
