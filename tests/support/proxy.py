"""A TCP proxy on loopback that breaks lines as networks do: it cuts, refuses, delays, and leaves them half closed."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from ops.local.ports import HOST, choose
from tests.support.processes import PATIENCE

_CHUNK = 65_536


@dataclass(eq=False)
class _Line:
    """One connection: what the client sees, and what the server sees."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    mute: bool = False
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def abort(self) -> None:
        for task in self.tasks:
            task.cancel()
        for side in (self.client, self.server):
            side.transport.abort()


class Proxy:
    """Forwards to one server; runs in a thread of its own, and is told what to do from any other.

    Args:
        upstream: the server's port.
        port: where to listen; chosen by default.
    """

    def __init__(self, upstream: int, port: int | None = None) -> None:
        self.port = port or choose()
        self._upstream = upstream
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"proxy-{self.port}", daemon=True)
        self._lines: set[_Line] = set()
        self._delay = 0.0
        self._refusing = False
        self._mute = False

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(PATIENCE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    @property
    def lines(self) -> int:
        """Open connections."""
        return len(self._lines)

    def cut(self) -> None:
        """Cut all lines now; new ones are accepted."""
        self._call(self._abort_all)

    def refuse(self, on: bool) -> None:
        """Cut all lines, and every new one at once, until told otherwise."""
        self._refusing = on
        if on:
            self.cut()

    def delay(self, seconds: float) -> None:
        """Hold back everything, both ways, for so long; 0 ends it."""
        self._delay = seconds

    def half_close(self, on: bool) -> None:
        """Answers are lost and lines stay open for the client; the server loses every second one of them.

        Lines that were broken so stay broken when it ends; new ones are whole.
        """
        self._mute = on
        if on:
            self._call(self._half_close_all)

    def _call(self, action: Callable[[], None]) -> None:
        done = threading.Event()

        def act() -> None:
            action()
            done.set()

        self._loop.call_soon_threadsafe(act)
        done.wait(PATIENCE)

    def _abort_all(self) -> None:
        for line in list(self._lines):
            line.abort()
        self._lines.clear()

    def _half_close_all(self) -> None:
        for number, line in enumerate(self._lines):
            line.mute = True
            if number % 2:
                line.server.transport.abort()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, HOST, self.port)

    async def _close(self) -> None:
        self._server.close()
        self._abort_all()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        if self._refusing:
            client.transport.abort()
            return
        try:
            answers, server = await asyncio.open_connection(HOST, self._upstream)
        except OSError:
            client.transport.abort()
            return
        line = _Line(client, server, mute=self._mute)
        self._lines.add(line)
        line.tasks = [
            asyncio.create_task(self._forward(reader, server, line, answers=False)),
            asyncio.create_task(self._forward(answers, client, line, answers=True)),
        ]
        await asyncio.wait(line.tasks, return_when=asyncio.FIRST_COMPLETED)
        if not line.mute:
            line.abort()
            self._lines.discard(line)
            return
        await asyncio.wait(line.tasks[:1])  # the client may go on to wait for as long as it likes
        line.abort()
        self._lines.discard(line)

    async def _forward(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, line: _Line, *, answers: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(_CHUNK):
                if self._delay:
                    await asyncio.sleep(self._delay)
                if line.mute and (answers or sink.transport.is_closing()):
                    continue
                sink.write(data)
                await sink.drain()
