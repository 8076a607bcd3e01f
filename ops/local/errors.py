"""The one error of the stack."""

from collections.abc import Iterable

_SHOWN_LINES = 20


class StackError(RuntimeError):
    """The stack cannot start or go on; the message says which part, why, and shows its last lines."""


def failure(name: str, reason: str, lines: Iterable[str]) -> StackError:
    """The error for a part or step that failed.

    Args:
        name: The part or step.
        reason: What happened, after the name.
        lines: What it wrote, oldest first.
    """
    shown = "\n".join(f"    {line}" for line in list(lines)[-_SHOWN_LINES:])
    return StackError(f"{name} {reason}" + (f"; its last lines:\n{shown}" if shown else ""))
