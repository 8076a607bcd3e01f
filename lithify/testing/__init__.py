"""A memory in memory, for the tests of your agent: no server, no broker, no database.

    from lithify.testing import FakeLithify

    memory = FakeLithify()
    memory.teach("I am vegetarian.", attribute="diet", value="vegetarian")
    memory.add_turn("ada", "s1", "I am vegetarian.")
    assert "vegetarian" in memory.context("ada").block

It decides by the same rules as the workers (`lithify.domain.slots.replay`), at once, and composes the same block.
What it does not do is understand text: `teach` says what the turns of your test claim. Commands need an attribute and a
value; `constraint` takes words. `forget` forgets a slot, or without attribute and fact the whole user.
"""

from collections.abc import Callable
from datetime import datetime

from lithify.client.asynchronous import AsyncLithify
from lithify.client.steps import Pause, Publish, Reply, Request, Step
from lithify.client.synchronous import Lithify
from lithify.domain.catalog import Catalog
from lithify.domain.claims import Basis, Cue, Polarity
from lithify.testing.evidence import Lesson
from lithify.testing.server import FakeServer

__all__ = ["AsyncFakeLithify", "FakeLithify", "FakeServer"]


class _Teaches:
    """What a fake can do beyond the client."""

    server: FakeServer

    def teach(
        self,
        text: str,
        *,
        attribute: str,
        value: str,
        basis: Basis = Basis.STATEMENT,
        polarity: Polarity = Polarity.POSITIVE,
        cue: Cue = Cue.NONE,
        valid_to: datetime | None = None,
    ) -> None:
        """From now on a turn that is exactly `text` claims `value` for `attribute`. Lessons add up.

        Args:
            text: of the turn.
            attribute: a key of the catalog, or any name.
            value: as it would be normalised.
            basis: how strongly it is put.
            polarity: for the value or against it.
            cue: marked as passing or lasting.
            valid_to: aware; where the text states an end.
        """
        self.server.teach(text, Lesson(attribute, value, basis, polarity, cue, valid_to))


class FakeLithify(_Teaches, Lithify):
    """A `Lithify` without a server.

    Args:
        tenant: of every call.
        catalog: attributes that behave in their own way; any other is a single-valued preference.
        clock: what "now" is when something is read.
        server: shared with another fake.
    """

    def __init__(
        self,
        *,
        tenant: str = "default",
        catalog: Catalog | None = None,
        clock: Callable[[], datetime] | None = None,
        server: FakeServer | None = None,
    ) -> None:
        super().__init__("http://fake.invalid", tenant=tenant)
        self.server = server or FakeServer(catalog, clock)

    def _do(self, step: Step) -> Reply:
        return _done(self.server, step)


class AsyncFakeLithify(_Teaches, AsyncLithify):
    """An `AsyncLithify` without a server; arguments as `FakeLithify`."""

    def __init__(
        self,
        *,
        tenant: str = "default",
        catalog: Catalog | None = None,
        clock: Callable[[], datetime] | None = None,
        server: FakeServer | None = None,
    ) -> None:
        super().__init__("http://fake.invalid", tenant=tenant)
        self.server = server or FakeServer(catalog, clock)

    async def _do(self, step: Step) -> Reply:
        return _done(self.server, step)


def _done(server: FakeServer, step: Step) -> Reply:
    match step:
        case Request():
            return server.answer(step)
        case Publish(events):
            server.publish(events)
            return Reply()
        case Pause():
            return Reply()
