"""A backup on disk: a folder with a dump of the database and a manifest that is written last."""

import hashlib
import hmac
import os
from datetime import datetime
from pathlib import Path

import msgspec

from pipelines.settings import Settings
from workers.operate.console import RefusedError, UsageError
from workers.operate.log import Offsets

DUMP = "database.dump"
MANIFEST = "manifest.json"
FORMAT = 1
_CHUNK = 1 << 20


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup holds, and what a restore must know."""

    format: int
    made_at: datetime
    release: str
    """Of Lithify."""
    server_version: int
    """Of PostgreSQL, such as 170005."""
    dump_version: int
    """Major version of the pg_dump that wrote it."""
    migrations: tuple[str, ...]
    """Applied migrations, in order."""
    rows: dict[str, int]
    """Rows by table, in the same snapshot as the dump."""
    sha256: str
    """Of the dump, hex."""
    size: int
    """Of the dump, bytes."""
    key_check: str
    """Tells whether the pseudonym key is the one that the data was written under; not the key."""
    topic: str
    """The first topic."""
    offsets: Offsets | None
    """Up to where importance had committed it before the snapshot, by partition; None: not asked."""
    rewind_to: datetime
    """What came to the first topic later may still have been under way when the backup was made."""


def key_check(settings: Settings) -> str:
    """A keyed hash of a constant, 16 hex digits."""
    secret = settings.pseudonym_key.get_secret_value().encode()
    return hmac.new(secret, b"lithify backup", hashlib.sha256).hexdigest()[:16]


def digest(path: Path) -> str:
    """SHA-256 of a file, hex."""
    found = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


def new_folder(path: Path) -> None:
    """Make a folder that only its owner may enter. Raises UsageError if there is something in it."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{path} is there already and not empty")
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.chmod(0o700)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it whole: a folder without it is no backup."""
    draft = folder / f"{MANIFEST}.new"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(folder / MANIFEST)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup whose dump is whole.

    Raises:
        UsageError: no such folder.
        RefusedError: not a complete backup, or damaged, or of a newer release.
    """
    if not folder.is_dir():
        raise UsageError(f"no folder {folder}")
    path, dump = folder / MANIFEST, folder / DUMP
    if not path.exists() or not dump.exists():
        raise RefusedError(f"{folder} is not a complete backup: {MANIFEST} or {DUMP} is missing")
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except msgspec.MsgspecError as error:
        raise RefusedError(f"{path} cannot be read: {error}") from None
    if found.format > FORMAT:
        raise RefusedError(f"{folder} has format {found.format}, this release reads up to {FORMAT}")
    if dump.stat().st_size != found.size or digest(dump) != found.sha256:
        raise RefusedError(f"{dump} is damaged: it is not what {MANIFEST} describes")
    return found
