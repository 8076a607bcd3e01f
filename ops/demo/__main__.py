"""`python -m ops.demo` replays 45 days of one user on an embedded stack and shows what was remembered, and why."""

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from rich.console import Console

from lithify.client import LithifyError
from ops.demo.check import check
from ops.demo.perform import perform
from ops.demo.play import DemoError
from ops.demo.render import show
from ops.demo.script import load
from ops.local.errors import StackError
from ops.local.stack import Stack

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo.

    Returns:
        The exit code: 0; 1 if the stack or a promise failed; 130 after Ctrl-C.
    """
    arguments = _parser().parse_args(argv)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        with _folder(arguments.data_dir) as folder:
            _run(folder, throw_away=arguments.data_dir is None)
    except (DemoError, StackError, LithifyError) as error:
        print(f"lithify demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lithify demo: stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _close_stdout()
        return 1
    return 0


def _run(folder: Path, *, throw_away: bool) -> None:
    console = Console(highlight=False, emoji=False)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LITHIFY_")}
    script = load()
    console.print(f"Starting PostgreSQL, a Kafka broker, four workers and the gateway in {folder} ...")
    with Stack(folder, environment=environment, fsync=not throw_away) as stack:
        console.print(f"Replaying {script.days} days of {script.user}, on event time ...")
        done = perform(script, stack.settings_env, environment)
    show(console, done)
    console.print(f"{check(done.diary)} promises checked, all kept.", style="bold green")


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    """The data folder: the one that was asked for, which stays, or a temporary one, which does not."""
    if given is not None:
        yield given
        return
    folder = Path(tempfile.mkdtemp(prefix="lithify-demo-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _close_stdout() -> None:
    """The reader went away: nothing more can be shown, and the interpreter must not try at its end."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ops.demo", description=__doc__)
    parser.add_argument(
        "--data-dir",
        "--keep",
        type=Path,
        metavar="DIR",
        help="keep the data in this folder; by default it is temporary",
    )
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
