"""The buffer between the Kafka client and a partition's stream: bounded by bytes as well as by number."""

from collections import deque
from typing import Any

from mode.utils.queues import ThrowableQueue

LARGEST_BYTES = 64_000_000
"""Of the events that wait in one partition. By number alone (4096) a partition that waits for the database could hold
gigabytes: an event may have two million bytes."""


class BoundedQueue(ThrowableQueue[Any]):
    """Asks for no more of its partition when its events are many, or large.

    Faust asks by `qsize` whether a buffer is nearly full, and then leaves the partition out of what it fetches. Only by
    number is it ever full: then everything would wait for this partition.
    """

    _queue: deque[Any]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._bytes = 0

    def qsize(self) -> int:
        """How many events wait, or how many of usual size would be as much."""
        return max(len(self._queue), self._bytes * self.maxsize // LARGEST_BYTES)

    def full(self) -> bool:
        """By number."""
        return 0 < self.maxsize <= len(self._queue)

    def clear(self) -> None:
        """Drop everything."""
        super().clear()
        self._bytes = 0

    def _put(self, item: Any) -> None:
        self._bytes += _size(item)
        super()._put(item)

    def _get(self) -> Any:
        item = super()._get()
        self._bytes -= _size(item)
        return item


def _size(event: Any) -> int:
    message = getattr(event, "message", None)
    return len(getattr(message, "value", None) or b"")
