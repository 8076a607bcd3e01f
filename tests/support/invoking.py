"""The operators' commands in this process, for tests that need many of them."""

import os
from collections.abc import Mapping
from unittest import mock

from typer.testing import CliRunner, Result

from workers.__main__ import app


def invoke(settings: Mapping[str, str], *arguments: str) -> Result:
    """Run a command with these settings (full names) and no others."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("LITHIFY_")}
    with mock.patch.dict(os.environ, inherited | dict(settings), clear=True):
        return CliRunner().invoke(app, list(arguments), catch_exceptions=False)
