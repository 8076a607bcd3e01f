"""pg_dump and pg_restore: found, checked for their version, and run without a password in sight."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from pipelines.settings import PREFIX, Settings
from workers.operate.console import UnavailableError

_VARIABLES = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD", "dbname": "PGDATABASE"}
_VARIABLES |= {"sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY"}
_VARIABLES |= {"options": "PGOPTIONS", "connect_timeout": "PGCONNECT_TIMEOUT", "hostaddr": "PGHOSTADDR"}
_LAST_LINES = 5


class ToolError(OSError):
    """The program ended with an error; the message has its last lines."""


class Tool:
    """One of PostgreSQL's programs."""

    def __init__(self, settings: Settings, name: str) -> None:
        """Raises UnavailableError if it is not installed."""
        path = shutil.which(name, path=settings.postgres_bin)
        if path is None:
            where = settings.postgres_bin or "the PATH"
            hint = f"install PostgreSQL's client programs, or set {PREFIX}POSTGRES_BIN to their folder"
            raise UnavailableError(f"{name} is not in {where}; {hint}")
        self.name = name
        self._path = path
        self.version = self._version()

    def _version(self) -> int:
        """Its major version."""
        shown = subprocess.run(
            [self._path, "--version"], capture_output=True, text=True, check=False, timeout=30
        ).stdout
        found = re.search(r"(\d+)(?:\.\d+|\w*)", shown.partition(")")[2])
        if found is None:
            raise UnavailableError(f"{self._path} --version says {shown.strip()!r}")
        return int(found[1])

    def require(self, version: int, what: str) -> None:
        """Raises UnavailableError if it is older than major version `version`."""
        if self.version < version:
            hint = f"set {PREFIX}POSTGRES_BIN to the folder of one of version {version} or later"
            raise UnavailableError(f"{self._path} is of version {self.version}, {what} of {version}: {hint}")

    def run(self, url: str, arguments: Sequence[str], line: Callable[[str], None] = lambda _: None) -> None:
        """Run it on a database.

        Args:
            url: connection, as for libpq; it travels in the environment, where `ps` does not show it.
            arguments: of the program.
            line: called with each line of standard error.

        Raises:
            ToolError: it failed.
        """
        self._finish(
            subprocess.Popen(
                [self._path, *arguments],
                env=_environment(url),
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
            ),
            line,
        )

    def _finish(self, process: "subprocess.Popen[str]", line: Callable[[str], None]) -> None:
        last: list[str] = []
        with process:
            try:
                for text in process.stderr or ():
                    last = [*last, text.rstrip()][-_LAST_LINES:]
                    line(text.rstrip())
            except BaseException:
                process.terminate()
                raise
        if process.returncode != 0:
            raise ToolError(f"{self.name} failed (exit state {process.returncode}): {' | '.join(last)}")

    def output(self, arguments: Sequence[str]) -> str:
        """Its standard output, where it needs no database. Raises ToolError."""
        done = subprocess.run([self._path, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ToolError(f"{self.name}: {done.stderr.strip()}")
        return done.stdout


def _environment(url: str) -> Mapping[str, str]:
    """This process's environment, with the connection in place of what it may say of one, and none of our secrets."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PG", PREFIX))}
    given = conninfo_to_dict(url)
    return kept | {_VARIABLES[name]: str(value) for name, value in given.items() if name in _VARIABLES}


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
        stream.write(text)
