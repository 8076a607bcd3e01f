"""The operators' commands, run as an operator runs them: as processes."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


def operate(
    settings: Mapping[str, str], *arguments: str, seconds: float = 120.0, text: bool = True
) -> "subprocess.CompletedProcess[str]":
    """Run `python -m workers` with these settings and no others.

    Args:
        settings: full names to values.
        arguments: of the command.
        seconds: how long it may take.
        text: whether its output is text.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("LITHIFY_")}
    return subprocess.run(
        [sys.executable, "-m", "workers", *arguments],
        cwd=ROOT,
        env=inherited | dict(settings),
        capture_output=True,
        text=text,
        timeout=seconds,
        check=False,
    )
