"""Playing the script: publish through the SDK, wait until everything is consolidated."""

import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from lithify.client import KafkaPublisher, Lithify, TurnOutcome
from lithify.events import Inbound, Turn
from ops.demo.script import Script, session_end, session_turns

WAIT_SECONDS = 120.0
_ROOT = Path(__file__).parents[2]


class DemoError(RuntimeError):
    """The demo did not do what it says it does."""


class Nightly(msgspec.Struct, frozen=True):
    """What the nightly run reports."""

    as_of: str
    slots: int
    changed: int


@dataclass(frozen=True, slots=True)
class Played:
    """What was published, and what became of it."""

    turns: tuple[Turn, ...]
    outcomes: Mapping[str, TurnOutcome]
    """By turn id."""
    seconds: float
    """From the first turn published to the last one decided."""


def play(script: Script, publisher: KafkaPublisher, memory: Lithify) -> Played:
    """Publish all sessions in order and wait until every turn is decided.

    Raises:
        StillAccepted: the workers did not decide in time.
        Unavailable: broker or gateway cannot be reached.
    """
    began = time.monotonic()
    events: list[Inbound] = []
    turns: list[Turn] = []
    for session in script.sessions:
        said = session_turns(script, session)
        turns += said
        events += [*said, session_end(script, session)]
    publisher.publish(events)
    outcomes = {turn.id: memory.wait_for(script.user, turn.id, timeout=WAIT_SECONDS) for turn in reversed(turns)}
    return Played(tuple(turns), outcomes, time.monotonic() - began)


def reflect(script: Script, settings: Mapping[str, str], environment: Mapping[str, str]) -> Nightly:
    """The nightly run, as operators run it, up to the end of the last day.

    Raises:
        DemoError: it failed; with what it said.
    """
    command = [sys.executable, "-m", "workers", "reflect", "--as-of", script.ends_at.isoformat(), "--json"]
    done = subprocess.run(
        command,
        env={**environment, **settings, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=False,
    )
    if done.returncode:
        raise DemoError(f"the nightly run failed: {done.stderr.strip()}")
    return msgspec.json.decode(done.stdout, type=Nightly)
