"""PostgreSQL's programs: what they are told, and what is said when they are missing, old, or fail."""

from pathlib import Path

import pytest

from tests.unit.operate.settings import SETTINGS
from workers.operate.console import UnavailableError
from workers.operate.pgtools import Tool, ToolError


def program(folder: Path, body: str, version: str = "pg_dump (PostgreSQL) 17.5 (Debian 17.5-1)") -> Tool:
    """A stand-in for pg_dump that runs some shell."""
    path = folder / "pg_dump"
    path.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "{version}"; exit 0; fi\n{body}\n')
    path.chmod(0o755)
    return Tool(SETTINGS.model_copy(update={"postgres_bin": str(folder)}), "pg_dump")


def test_a_missing_program_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"pg_dump is not in .*set LITHIFY_POSTGRES_BIN"):
        Tool(SETTINGS.model_copy(update={"postgres_bin": str(tmp_path)}), "pg_dump")


@pytest.mark.parametrize(
    ("version", "major"), [("pg_dump (PostgreSQL) 15.18 (Debian 1)", 15), ("pg_dump (PostgreSQL) 18beta1", 18)]
)
def test_the_version_is_read_and_must_reach_the_servers(tmp_path: Path, version: str, major: int) -> None:
    tool = program(tmp_path, "exit 0", version)
    assert tool.version == major
    tool.require(major, "the server")
    with pytest.raises(UnavailableError, match=f"is of version {major}, the server of {major + 1}"):
        tool.require(major + 1, "the server")


def test_the_password_travels_where_ps_does_not_show_it(tmp_path: Path) -> None:
    tool = program(tmp_path, 'echo "$PGPASSWORD@$PGHOST:$PGPORT/$PGDATABASE as $PGUSER; $*" >&2')
    lines: list[str] = []
    tool.run("postgresql://ana:secret@db:5433/memory", ["--verbose"], lines.append)
    assert lines == ["secret@db:5433/memory as ana; --verbose"]


def test_our_own_secrets_do_not_reach_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITHIFY_PSEUDONYM_KEY", "never tell")
    lines: list[str] = []
    program(tmp_path, "env >&2").run("postgresql://ana@db/memory", [], lines.append)
    assert lines
    assert not [line for line in lines if "never tell" in line]


def test_a_failure_has_its_last_lines(tmp_path: Path) -> None:
    tool = program(tmp_path, "echo first >&2; echo 'disk full' >&2; exit 3")
    with pytest.raises(ToolError, match=r"exit state 3\): first \| disk full"):
        tool.run("postgresql://ana@db/memory", [])
