"""Named queries from sql/queries/*.sql.

A query starts with `-- name: NAME`, then one line that says what it does, then the statement.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

SQL = Path(__file__).resolve().parents[2] / "sql"
_HEAD = re.compile(r"^-- name: ([a-z_]+)\n-- (.+)\n", re.MULTILINE)


@cache
def load_queries(file: str) -> Mapping[str, str]:
    """The statements of sql/queries/FILE.sql by name.

    Raises:
        ValueError: a name occurs twice, or a statement is empty.
    """
    text = (SQL / "queries" / f"{file}.sql").read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    queries: dict[str, str] = {}
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        name = head.group(1)
        statement = text[head.end() : following.start() if following else None].strip().rstrip(";")
        if name in queries or not statement:
            raise ValueError(f"{file}.sql: query {name!r} is empty or there twice")
        queries[name] = statement
    return MappingProxyType(queries)


def query(name: str) -> str:
    """The statement named FILE.NAME. Raises KeyError."""
    file, _, short = name.partition(".")
    return load_queries(file)[short]
