"""Records of the Kafka client under Faust that can be read whatever the names of their headers are.

The name of a header is text by the protocol, and any bytes in practice: a broker does not look. aiokafka raises where
it is no UTF-8, Faust ends the worker, and so does the next one, at the same record. No header is used here.
"""

from collections.abc import Iterator
from typing import Any

import aiokafka.consumer.fetcher
from aiokafka.record.default_records import _DefaultRecordBatchPy, _DefaultRecordPy
from aiokafka.record.memory_records import MemoryRecords
from aiokafka.record.util import decode_varint

_HEAD_BYTES = 12
"""Of a batch: its base offset, and how many bytes follow."""


class _Headless(_DefaultRecordBatchPy):  # type: ignore[misc]  # aiokafka has no types
    """A batch that is read without headers."""

    _pos: int

    def _read_msg(self) -> _DefaultRecordPy:
        length, start = decode_varint(self._buffer, self._pos)
        _, at = decode_varint(self._buffer, start)  # attributes, of which there are none yet
        elapsed, at = decode_varint(self._buffer, at)
        delta, at = decode_varint(self._buffer, at)
        key, at = self._bytes(at)
        value, at = self._bytes(at)
        self._pos = start + length
        appended = self.timestamp_type == self.LOG_APPEND_TIME
        timestamp = self.max_timestamp if appended else self.first_timestamp + elapsed
        return _DefaultRecordPy(self.base_offset + delta, timestamp, self.timestamp_type, key, value, [])

    def _bytes(self, at: int) -> tuple[bytes | None, int]:
        size, at = decode_varint(self._buffer, at)
        return (None, at) if size < 0 else (bytes(self._buffer[at : at + size]), at + size)


class _Batch:
    """A batch of the client's; where a header's name is no text, it is read once more without headers."""

    def __init__(self, batch: Any, raw: memoryview) -> None:
        self._batch = batch
        self._raw = raw

    def __getattr__(self, name: str) -> Any:
        return getattr(self._batch, name)

    def __next__(self) -> Any:
        return next(self._batch)

    def __iter__(self) -> Iterator[Any]:
        try:
            yield from self._batch
        except UnicodeDecodeError:
            # From its start: the reader passes over what it has had.
            yield from _Headless(bytearray(self._raw))


class Records:
    """What was fetched of one partition: batches, one behind the other."""

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self._at = 0
        self._records = MemoryRecords(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)

    def next_batch(self) -> _Batch | None:
        """The next batch, or None."""
        start = self._at
        self._at += _HEAD_BYTES + int.from_bytes(self._data[start + 8 : start + _HEAD_BYTES], "big")
        batch = self._records.next_batch()
        return None if batch is None else _Batch(batch, self._data[start : self._at])


def use() -> None:
    """Let the client read with these from now on."""
    aiokafka.consumer.fetcher.MemoryRecords = Records
