"""The data folder: the only place the stack writes to, used by one stack at a time.

lock            held while a stack runs, and names its process
secrets.json    generated passwords and keys, readable by the owner alone
ports.json      the ports chosen once
settings.json   what a process needs to use the stack, while it runs
postgres/data   the database
tmp/            temporary files of the parts, emptied at start and stop
"""

import base64
import fcntl
import json
import os
import secrets
import shutil
from pathlib import Path
from typing import Self

from ops.local.errors import StackError
from ops.local.ports import choose

_PASSWORDS = ("superuser_password", "owner_password", "worker_password", "gateway_password")
_LATER_PASSWORDS = ("backup_password",)
"""Roles that folders of earlier releases know nothing of."""
_KEYS = ("pseudonym_key", "dead_letter_key")
_KEY_BYTES = 32


class DataFolder:
    """Where one stack keeps what must survive a restart.

    Args:
        path: The folder; created when the stack starts.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.postgres = self.path / "postgres"
        self.temporary = self.path / "tmp"
        self._lock = -1

    def acquire(self) -> Self:
        """Create the folder if needed and take it.

        Raises:
            StackError: If another stack uses it, or it cannot be written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StackError(f"the data folder {self.path} cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(self._lock, 32).decode() or "another process"
            os.close(self._lock)
            self._lock = -1
            raise StackError(f"the data folder {self.path} is in use by process {holder.strip()}") from error
        (self.path / "settings.json").unlink(missing_ok=True)
        os.ftruncate(self._lock, 0)
        os.write(self._lock, f"{os.getpid()}\n".encode())
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir(mode=0o700)
        return self

    def release(self) -> None:
        """Give the folder back, if it was taken."""
        if self._lock < 0:
            return
        (self.path / "settings.json").unlink(missing_ok=True)
        shutil.rmtree(self.temporary, ignore_errors=True)
        os.close(self._lock)
        self._lock = -1

    def secrets(self) -> dict[str, str]:
        """The passwords and keys of this folder, generated at the first call.

        Returns:
            Passwords (`superuser_password`, `owner_password`, ...) and keys of 32 bytes in URL-safe base64.

        Raises:
            StackError: If the file is damaged: new keys would make the stored data unreadable.
        """
        path = self.path / "secrets.json"
        if path.exists():
            return self._with_later_passwords(path)
        values = {name: secrets.token_urlsafe(24) for name in (*_PASSWORDS, *_LATER_PASSWORDS)}
        values |= {name: base64.urlsafe_b64encode(secrets.token_bytes(_KEY_BYTES)).decode() for name in _KEYS}
        _store(path, values)
        return values

    def _with_later_passwords(self, path: Path) -> dict[str, str]:
        values = _load(path, (*_PASSWORDS, *_KEYS), _LATER_PASSWORDS)
        missing = {name: secrets.token_urlsafe(24) for name in _LATER_PASSWORDS if name not in values}
        if missing:
            _store(path, values | missing)
        return values | missing

    def publish(self, settings: dict[str, str]) -> None:
        """Write down how to use the running stack."""
        _store(self.path / "settings.json", settings)

    def published(self) -> dict[str, str]:
        """How to use the stack that runs on this folder.

        Raises:
            StackError: If none runs, or it is not up yet.
        """
        path = self.path / "settings.json"
        if not path.exists() or not self._is_held():
            raise StackError(f"no stack is up with the data folder {self.path}")
        values: dict[str, str] = json.loads(path.read_text())
        return values

    def _is_held(self) -> bool:
        descriptor = os.open(self.path / "lock", os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def port(self, name: str) -> int:
        """The port of a part: the one chosen earlier if it is still free, else a new one."""
        path = self.path / "ports.json"
        ports: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
        chosen = choose(ports.get(name), taken=[port for other, port in ports.items() if other != name])
        if ports.get(name) != chosen:
            _store(path, ports | {name: chosen})
        return chosen


def _load(path: Path, names: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, str]:
    try:
        values = json.loads(path.read_text())
        return {name: str(values[name]) for name in (*names, *(name for name in optional if name in values))}
    except (ValueError, KeyError, TypeError) as error:
        raise StackError(f"{path} is damaged ({error}); restore it, or start with a new data folder") from error


def _store(path: Path, values: dict[str, str] | dict[str, int]) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        json.dump(values, stream, indent=2)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)
