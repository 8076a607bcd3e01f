"""The buffer of a partition's stream: bounded by bytes as well as by number."""

from dataclasses import dataclass

import pytest
from mode.utils.queues import FlowControlEvent

from pipelines.runtime.queue import LARGEST_BYTES, BoundedQueue

MOST = 4096


@dataclass(frozen=True)
class Message:
    value: bytes | None


@dataclass(frozen=True)
class Event:
    message: Message


def queue() -> BoundedQueue:
    return BoundedQueue(MOST, flow_control=FlowControlEvent(initially_suspended=False))


def fill(target: BoundedQueue, count: int, size: int) -> int:
    """How many of `count` events went in before the partition was left out."""
    value = bytes(size)
    for number in range(count):
        told: list[str] = []
        target.put_nowait_enhanced(
            Event(Message(value)), on_pressure_high=lambda told=told: told.append("high"), on_pressure_drop=told.clear
        )
        if told:
            return number
    return count


@pytest.mark.parametrize("size", [50_000, 300_000, 2_000_000])
def test_c104_large_events_are_fewer(size: int) -> None:
    target = queue()
    fitted = fill(target, MOST, size)
    assert 0.75 * LARGEST_BYTES < fitted * size < 0.85 * LARGEST_BYTES
    assert not target.full(), "else everything would wait for this partition"
    for _ in range(fitted + 1):
        target.get_nowait()
    assert target.empty()
    assert target.qsize() == 0


def test_small_events_are_counted() -> None:
    target = queue()
    assert fill(target, MOST, 2_000) == pytest.approx(0.8 * MOST, abs=1)
    target.clear()
    assert target.qsize() == 0
    assert fill(target, 10, 0) == 10


async def test_what_has_no_message_or_no_value_has_no_size() -> None:
    target = queue()
    await target.put(None)
    await target.put(Event(Message(None)))
    assert target.qsize() == 2
    assert [await target.get(), await target.get()] == [None, Event(Message(None))]
