"""A process loads what it runs, and nothing of what other commands need."""

import subprocess
import sys
from pathlib import Path

import typer
from typer.main import get_command

from workers.__main__ import app

ROOT = Path(__file__).parents[3]
LARGE = ("openai", "rich.progress", "workers.operate.backup", "workers.operate.dlq")


def test_a_worker_without_a_model_loads_no_client_and_no_operators_commands() -> None:
    program = "import sys, workers.__main__, workers.assembly, pipelines.runtime.service; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(LARGE) & set(done.stdout.split())
    assert "workers.extraction.asking" in done.stdout.split()


def test_every_command_is_where_it_is_said_to_be() -> None:
    group = get_command(app)
    context = typer.Context(group)
    names = group.list_commands(context)  # type: ignore[attr-defined]  # it is a group
    assert {"run", "gateway", "migrate", "topics", "dlq", "restore"} < set(names)
    for name in names:
        assert group.get_command(context, name).name == name  # type: ignore[attr-defined]
    assert group.get_command(context, "nosuch") is None  # type: ignore[attr-defined]
