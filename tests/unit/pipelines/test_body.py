"""The loop around a stream: batches whole or not at all, and nothing after one that was given up."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from pipelines.deadlettercap import TooManyDeadLetters
from pipelines.failures import Transient
from pipelines.runtime.body import StreamBody
from pipelines.runtime.worker import Progress, Record


@dataclass(eq=False)
class FakeMessage:
    offset: int
    generation_id: int = 1
    topic: str = "t"
    partition: int = 0
    key: bytes | None = None
    value: bytes | None = b""


@dataclass(eq=False)
class FakeEvent:
    message: FakeMessage


@dataclass
class FakeConsumer:
    _unacked_messages: set[FakeMessage] = field(default_factory=set)
    commits: int = 0

    async def commit(self) -> None:
        self.commits += 1


@dataclass
class FakeApp:
    """What the body asks of a Faust app."""

    consumer: FakeConsumer = field(default_factory=FakeConsumer)
    consumer_generation_id: int = 1
    letting_go: bool = False
    should_stop: bool = False


class FakeStream:
    """Yields batches; remembers what was acknowledged."""

    def __init__(self, app: FakeApp, *batches: list[FakeEvent]) -> None:
        self._app = app
        self._batches = batches
        self.acked: list[int] = []

    async def noack_take(self, _size: int, within: float) -> AsyncIterator[list[FakeEvent]]:  # noqa: ARG002
        for batch in self._batches:
            self._app.consumer._unacked_messages.update(event.message for event in batch)
            yield batch

    async def ack(self, event: FakeEvent) -> None:
        self._app.consumer._unacked_messages.discard(event.message)
        self.acked.append(event.message.offset)


class Working:
    """Processes batches; fails as often as told."""

    def __init__(self, *errors: Exception | None) -> None:
        self._errors = list(errors)
        self.seen: list[list[int]] = []

    async def __call__(self, records: Sequence[Record]) -> None:
        self.seen.append([record.offset for record in records])
        error = self._errors.pop(0) if self._errors else None
        if error is not None:
            raise error


def events(*offsets: int, generation: int = 1) -> list[FakeEvent]:
    return [FakeEvent(FakeMessage(offset, generation)) for offset in offsets]


async def run(app: FakeApp, working: Any, *batches: list[FakeEvent]) -> tuple[FakeStream, Progress, list[None]]:
    stream = FakeStream(app, *batches)
    woken: list[None] = []
    progress = Progress()
    body = StreamBody("w", app, working, progress, lambda: woken.append(None), lambda: None, 60.0)
    await body.run(stream, 10, 0.01)
    return stream, progress, woken


async def test_each_batch_is_acknowledged_whole_and_committed() -> None:
    app, working = FakeApp(), Working()
    stream, progress, woken = await run(app, working, events(1, 2), events(3))
    assert stream.acked == [1, 2, 3]
    assert app.consumer.commits == 2
    assert len(woken) == 2
    assert progress.events == 3


@pytest.mark.parametrize("error", [Transient("x"), ConnectionError("x"), ValueError("a defect of the runtime itself")])
async def test_a_failing_batch_is_tried_again_and_never_raises(error: Exception) -> None:
    app, working = FakeApp(), Working(error, error)
    stream, progress, _ = await run(app, working, events(1, 2), events(3))
    assert working.seen == [[1, 2], [1, 2], [1, 2], [3]]
    assert stream.acked == [1, 2, 3]
    assert progress.failing_since == {}


@pytest.mark.parametrize("reason", ["letting_go", "should_stop"])
async def test_a_batch_is_given_up_and_nothing_after_it_is_acknowledged(reason: str) -> None:
    app = FakeApp()
    setattr(app, reason, True)
    working = Working(Transient("down"))
    stream, _, _ = await run(app, working, events(1, 2), events(3, 4))
    assert working.seen == [[1, 2]]
    assert stream.acked == []
    assert app.consumer._unacked_messages == set(), "a stop would wait for these for ever"


async def test_after_a_rebalance_it_goes_on() -> None:
    app = FakeApp(letting_go=True)
    working = Working(Transient("down"))
    stream = FakeStream(app, events(1, 2))
    body = StreamBody("w", app, working, Progress(), lambda: None, lambda: None, 60.0)
    await body.run(stream, 10, 0.01)
    app.letting_go, app.consumer_generation_id = False, 2
    stream = FakeStream(app, events(1, 2, generation=2))
    await body.run(stream, 10, 0.01)
    assert stream.acked == [1, 2]


async def test_events_of_an_old_generation_are_dropped_unacknowledged() -> None:
    app, working = FakeApp(consumer_generation_id=2), Working()
    stream, _, _ = await run(app, working, [*events(1, generation=1), *events(5, generation=2)])
    assert working.seen == [[5]]
    assert stream.acked == [5]


async def test_cancellation_passes() -> None:
    async def hang(_records: Sequence[Record]) -> None:
        await asyncio.sleep(60)

    app = FakeApp()
    task = asyncio.create_task(run(app, hang, events(1)))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


class Hanging:
    """A batch that never ends; notes that it was cancelled."""

    def __init__(self) -> None:
        self.cancelled = 0

    async def __call__(self, _records: Sequence[Record]) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


@pytest.mark.parametrize("reason", ["letting_go", "should_stop"])
async def test_c91_a_batch_that_runs_on_is_broken_off_when_others_wait(
    monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    monkeypatch.setattr("pipelines.runtime.body._GRACE", 0.15)
    app, hanging = FakeApp(), Hanging()
    setattr(app, reason, True)
    stream, progress, _ = await run(app, hanging, events(1, 2), events(3))
    assert hanging.cancelled == 1
    assert stream.acked == []
    assert app.consumer._unacked_messages == set()
    assert progress.last_error is not None
    assert progress.last_error.startswith("broken off after ")


async def test_a_batch_that_hangs_is_tried_again() -> None:
    class OnceHanging(Hanging):
        async def __call__(self, records: Sequence[Record]) -> None:
            if not self.cancelled:
                await super().__call__(records)

    app, hanging = FakeApp(), OnceHanging()
    stream = FakeStream(app, events(1, 2))
    await StreamBody("w", app, hanging, Progress(), lambda: None, lambda: None, 0.2).run(stream, 10, 0.01)
    assert hanging.cancelled == 1
    assert stream.acked == [1, 2]


async def test_past_the_cap_the_worker_is_stopped_once_and_nothing_is_acknowledged() -> None:
    app, stops, progress = FakeApp(), list[None](), Progress()
    working = Working(TooManyDeadLetters("11 of 11"), TooManyDeadLetters("11 of 11"))
    stream = FakeStream(app, events(1), events(2))
    await StreamBody("w", app, working, progress, lambda: None, lambda: stops.append(None), 60.0).run(stream, 10, 0.01)
    assert len(stops) == 1
    assert stream.acked == []
    assert progress.stopped_by == "11 of 11"


async def test_c85_after_a_crash_nothing_is_committed() -> None:
    class Crashing(Working):
        async def __call__(self, records: Sequence[Record]) -> None:
            await super().__call__(records)
            app.should_stop = True  # what Faust sets first of all when it crashes
            raise ValueError("a defect")

    app = FakeApp()
    stream, _, _ = await run(app, Crashing(), events(1, 2), events(3))
    assert stream.acked == []
    assert app.consumer.commits == 0
