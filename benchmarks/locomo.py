"""Replays a file in LoCoMo's format through Kafka and the workers, and reports what came of it.

    python -m benchmarks.locomo FILE --data-dir .lithify

The format (Maharana et al., 2024): a list of dialogues, each with `sample_id` and a `conversation` of `session_N` lists
of turns (`speaker`, `dia_id`, `text`) and `session_N_date_time` ("1:56 pm on 8 May, 2023", taken as UTC). A dialogue
becomes one user; both speakers are people, so every turn has the role user and names its speaker. Ids follow from the
place in the file: a second replay is the same events.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.replay import ReplayError, replay
from benchmarks.report import show_replay
from lithify.events import Role, Turn
from ops.local.errors import StackError
from ops.local.stack import DEFAULT_DATA_DIR, Stack
from pipelines.settings import Settings, SettingsError, load_settings

SYNTHETIC = Path(__file__).parent / "data" / "dialogues.json"
"""Two small dialogues of our own in the same format, for where the real file is absent."""
TURN_SECONDS = 20
"""Between two turns of a session."""
_TIME = "%I:%M %p on %d %B, %Y"


class _Line(msgspec.Struct, frozen=True):
    """One turn in the file."""

    speaker: str
    dia_id: str
    text: str


class Dialogue(msgspec.Struct, frozen=True):
    """One dialogue of the file."""

    sample_id: str
    conversation: dict[str, Any]

    def turns(self, run: str = "") -> list[Turn]:
        """Its turns in order.

        Args:
            run: makes other users and ids of the same words, so that a run can be repeated.
        """
        user = f"{self.sample_id}{run}"
        return [turn for number in self._sessions() for turn in self._session(user, number)]

    def _sessions(self) -> list[int]:
        names = (name for name, value in self.conversation.items() if isinstance(value, list))
        return sorted(int(name.removeprefix("session_")) for name in names)

    def _session(self, user: str, number: int) -> Iterable[Turn]:
        start = session_time(self.conversation[f"session_{number}_date_time"])
        lines = msgspec.convert(self.conversation[f"session_{number}"], list[_Line])
        for index, line in enumerate(lines):
            yield Turn(
                id=f"{user}/{line.dia_id}",
                user_id=user,
                session_id=f"{user}/session-{number}",
                occurred_at=start + timedelta(seconds=TURN_SECONDS * index),
                role=Role.USER,
                content=line.text,
                speaker=line.speaker,
                timezone="UTC",
                index=index,
            )


def session_time(text: str) -> datetime:
    """The instant (UTC) that a `session_N_date_time` names. Raises ValueError."""
    return datetime.strptime(text, _TIME).replace(tzinfo=UTC)


def load_dialogues(path: Path) -> list[Dialogue]:
    """Read a file. Raises msgspec.ValidationError naming the field, OSError."""
    return msgspec.json.decode(path.read_bytes(), type=list[Dialogue])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        The exit code: 0; 1 if anything was lost or the file cannot be read; 2 for wrong settings.
    """
    arguments = _parser().parse_args(argv)
    try:
        settings = _settings(arguments)
        turns = [turn for dialogue in load_dialogues(arguments.file) for turn in dialogue.turns(arguments.run)]
        done = replay(turns, settings, rate=arguments.rate)
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    except (OSError, ValueError, StackError, ReplayError) as error:
        print(f"locomo: {error}", file=sys.stderr)
        return 1
    show_replay(done)
    return 0


def _settings(arguments: argparse.Namespace) -> Settings:
    """Of the stack that runs on the data folder, or of the environment where none is named."""
    if arguments.data_dir is None:
        settings = load_settings()
    else:
        settings = load_settings(Stack(arguments.data_dir).running_settings())
    changed = {"kafka_bootstrap": arguments.bootstrap} if arguments.bootstrap else {}
    return settings.model_copy(update=changed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.locomo", description="Replay a file in LoCoMo's format."
    )
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--data-dir",
        type=Path,
        help=f"data folder of a running embedded stack, such as {DEFAULT_DATA_DIR}; by default LITHIFY_* settings hold",
    )
    parser.add_argument("--bootstrap", help="Kafka bootstrap servers, instead of those of the settings")
    parser.add_argument("--rate", type=float, help="turns a second; as fast as possible by default")
    parser.add_argument("--run", default="", help="added to user ids: another run of the same words")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
