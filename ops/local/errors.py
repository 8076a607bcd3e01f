"""The one error of the stack."""


class StackError(RuntimeError):
    """The stack cannot start or go on; the message says which part, why, and shows its last lines."""
