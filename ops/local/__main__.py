"""`python -m ops.local up` runs the embedded stack; `python -m ops.local env` prints how to use it."""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from ops.local.console import Console
from ops.local.environment import render
from ops.local.errors import StackError
from ops.local.stack import DEFAULT_DATA_DIR, PARTS, Stack


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: The arguments; those of the process by default.

    Returns:
        The exit code: 0, or 1 if the stack failed.
    """
    arguments = _parser().parse_args(argv)
    try:
        if arguments.command == "env":
            print(render(Stack(arguments.data_dir).running_settings()))
            return 0
        return _up(arguments.data_dir, [name for name in PARTS if name not in arguments.without])
    except StackError as error:
        print(f"lithify: {error}", file=sys.stderr)
        return 1


def _up(data_dir: Path, parts: Sequence[str]) -> int:
    """Run the stack until a signal or a failure. A second signal kills it."""
    console = Console(sys.stderr)
    _listen()
    stack = Stack(data_dir, parts, console=console)
    try:
        with stack:
            print(render(stack.settings_env), flush=True)
            console.line("supervisor", f"all parts are up: {', '.join(parts)}; Ctrl-C stops them")
            if "gateway" in parts:
                console.line("supervisor", f"gateway: {stack.settings_env['LITHIFY_GATEWAY_URL']}")
            stack.wait()
    except KeyboardInterrupt:
        stack.kill_all()
    console.line("supervisor", "stopped")
    return 0


def _listen() -> None:
    """Turn signals into an interrupt, also where a shell's `&` ignores SIGINT; `nohup` keeps its way."""
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _interrupt)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ops.local", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="run the stack in the foreground")
    up.add_argument("--without", type=_names, default=[], help="parts to leave out, separated by commas")
    env = commands.add_parser("env", help="print the settings of a running stack, to be sourced by a shell")
    for command in (up, env):
        command.add_argument("--data-dir", type=Path, default=DEFAULT_DATA_DIR, help="default: %(default)s")
    return parser


def _names(text: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in PARTS:
            raise argparse.ArgumentTypeError(f"unknown part {name!r}; there are {', '.join(PARTS)}")
    return names


if __name__ == "__main__":
    raise SystemExit(main())
