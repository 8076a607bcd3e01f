"""Log lines of all parts on one stream, each with the name of its part."""

import contextlib
import os
import threading
from typing import TextIO

_COLOURS = (36, 33, 32, 35, 34, 96, 93, 92, 95, 94)
_WIDTH = 12


class Console:
    """Writes whole lines, one at a time, in colour on a terminal and plain elsewhere.

    Args:
        stream: Where to write, or None to write nowhere.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._colours: dict[str, int] = {}
        self._colour = stream is not None and stream.isatty() and "NO_COLOR" not in os.environ

    def line(self, name: str, text: str) -> None:
        """Write one line of a part. A stream that is closed at the other end is ignored."""
        if self._stream is None:
            return
        with self._lock, contextlib.suppress(BrokenPipeError, ValueError):
            self._stream.write(f"{self._prefix(name)} {text}\n")
            self._stream.flush()

    def _prefix(self, name: str) -> str:
        label = f"{name:<{_WIDTH}}|"
        if not self._colour:
            return label
        colour = self._colours.setdefault(name, _COLOURS[len(self._colours) % len(_COLOURS)])
        return f"\x1b[{colour}m{label}\x1b[0m"
