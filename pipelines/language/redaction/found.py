"""What the recognisers give."""

from typing import NamedTuple


class Found(NamedTuple):
    """One value to be replaced."""

    start: int
    """Code points of the folded text, half-open."""
    end: int
    kind: str
    """A SecretType, or the name of a tenant's own pattern."""
    value: str
    """The value in the form in which two ways of writing it are equal."""
