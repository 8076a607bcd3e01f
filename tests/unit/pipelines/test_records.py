"""Records whose headers have names that are no text."""

from collections.abc import Sequence

import pytest
from aiokafka.record.default_records import _DefaultRecordBatchBuilderPy

from pipelines.runtime.records import Records

GZIP, LZ4 = 1, 3
Header = tuple[str, bytes]


class Unreadable(str):
    """A header's name that is no UTF-8."""

    __slots__ = ()

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:  # noqa: ARG002
        return b"caf\xe9"


def batch(first: int, headers: Sequence[Sequence[Header]], codec: int = 0) -> bytes:
    """A batch with a record for each list of headers."""
    builder = _DefaultRecordBatchBuilderPy(2, codec, 0, -1, -1, -1, 1_000_000)
    for number, one in enumerate(headers):
        value = None if number == 1 else f"value {first + number}".encode()
        builder.append(number, 1_000 + number, f"key {first + number}".encode(), value, list(one))
    built = builder.build()
    built[:8] = first.to_bytes(8, "big")
    return bytes(built)


@pytest.mark.parametrize("codec", [0, GZIP, LZ4])
@pytest.mark.parametrize("bad", [0, 1, 2])
def test_c66_a_record_whose_header_has_no_text_for_a_name_is_read(codec: int, bad: int) -> None:
    good: list[Header] = [("trace", b"\xff")]
    headers = [[(Unreadable("x"), b"\xfe")] if number == bad else good for number in range(3)]
    records = Records(batch(5, [good, good], codec) + batch(7, headers, codec) + batch(10, [good], codec))
    found: dict[int, tuple[bytes | None, bytes | None, int | None]] = {}
    while records.has_next():
        one = records.next_batch()
        assert one is not None
        found |= {record.offset: (record.key, record.value, record.timestamp) for record in one}
    assert sorted(found) == [5, 6, 7, 8, 9, 10]
    assert found[7] == (b"key 7", b"value 7", 1_000)
    assert found[8] == (b"key 8", None, 1_001)
    assert found[9] == (b"key 9", b"value 9", 1_002)


def test_the_rest_is_as_the_client_reads_it() -> None:
    data = batch(5, [[("trace", b"1")], []])
    records = Records(data)
    assert records.size_in_bytes() == len(data)
    one = records.next_batch()
    assert one is not None
    assert (one.base_offset, one.next_offset, one.is_control_batch, one.validate_crc()) == (5, 7, False, True)
    assert [(record.offset, record.headers) for record in one] == [(5, [("trace", b"1")]), (6, [])]
    assert records.next_batch() is None
