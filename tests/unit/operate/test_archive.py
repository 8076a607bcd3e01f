"""A backup's folder: complete or refused."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from tests.unit.operate.settings import SETTINGS
from workers.operate.archive import (
    DUMP,
    FORMAT,
    MANIFEST,
    Manifest,
    digest,
    key_check,
    new_folder,
    read_manifest,
    write_manifest,
)
from workers.operate.console import RefusedError, UsageError
from workers.operate.letters import Place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A complete backup of nothing."""
    path = tmp_path / "backup"
    new_folder(path)
    (path / DUMP).write_bytes(b"dump")
    write_manifest(path, _manifest(path))
    return path


def _manifest(path: Path) -> Manifest:
    now = datetime(2026, 3, 4, tzinfo=UTC)
    return Manifest(
        format=FORMAT,
        made_at=now,
        release="0.1.0",
        server_version=170005,
        dump_version=17,
        migrations=("0001_initial",),
        rows={"turns": 0},
        sha256=digest(path / DUMP),
        size=4,
        key_check=key_check(SETTINGS),
        topic="lithify-turns",
        offsets={0: 7},
        rewind_to=now,
    )


def test_what_was_written_is_read(folder: Path) -> None:
    assert read_manifest(folder) == _manifest(folder)
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / MANIFEST).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("missing", [DUMP, MANIFEST])
def test_an_incomplete_backup_is_refused(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(RefusedError, match="not a complete backup"):
        read_manifest(folder)


@pytest.mark.parametrize("dump", [b"dumq", b"dump!", b""])
def test_a_damaged_dump_is_refused(folder: Path, dump: bytes) -> None:
    (folder / DUMP).write_bytes(dump)
    with pytest.raises(RefusedError, match="damaged"):
        read_manifest(folder)


def test_a_damaged_manifest_and_a_newer_format_are_refused(folder: Path) -> None:
    newer = msgspec.structs.replace(_manifest(folder), format=FORMAT + 1)
    (folder / MANIFEST).write_bytes(msgspec.json.encode(newer))
    with pytest.raises(RefusedError, match="this release reads up to"):
        read_manifest(folder)
    (folder / MANIFEST).write_text("{")
    with pytest.raises(RefusedError, match="cannot be read"):
        read_manifest(folder)


def test_a_folder_in_use_is_left_alone(folder: Path) -> None:
    with pytest.raises(UsageError, match="not empty"):
        new_folder(folder)


def test_the_key_is_not_in_the_manifest(folder: Path) -> None:
    assert SETTINGS.pseudonym_key.get_secret_value() not in (folder / MANIFEST).read_text()


def test_a_place_may_hold_slashes_in_no_part_but_is_read_from_the_right() -> None:
    assert str(Place.parse("lithify-turns/3/17")) == "lithify-turns/3/17"
    assert Place.parse("lithify-turns/3/17") == Place("lithify-turns", 3, 17)
