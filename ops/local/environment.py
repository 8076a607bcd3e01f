"""The settings of a stack as lines for a shell."""

import shlex
from collections.abc import Mapping


def render(settings: Mapping[str, str]) -> str:
    """One `export NAME=value` per setting, quoted, sorted by name."""
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in sorted(settings.items()))
