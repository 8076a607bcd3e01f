"""The second stage: from `lithify-scored` to `lithify-claims`. What a model is to read too is queued on the way."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lithify.events import CommandAccepted, SessionClosed, TurnExtracted, TurnScored
from lithify.events.bodies import Body
from pipelines.effects import Effects, Row
from pipelines.envelope import Codec, Event, derived_id, seal
from pipelines.internal import item_of, key_of, open_record
from pipelines.language.model import Extractor
from pipelines.runtime.worker import Batch, Item, Periodic, Record
from pipelines.store.unit_of_work import UnitOfWork
from pipelines.topics import Topic
from workers.extraction.asking import Asker
from workers.extraction.commands import read_command
from workers.extraction.turns import read_turn


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What one event becomes; the same however often it is read."""

    key: str
    value: bytes
    queued: Row | None = None
    """The row of the model's queue, where a model is to read the turn too."""
    over: Row | None = None
    """The session that has ended."""


class ExtractionWorker:
    """Pure for rules: what it publishes follows from the event alone, so a repeated event is simply said again.

    A model's part comes later, as a higher generation, and from beside the stream.
    """

    name = "extraction"
    source = Topic.SCORED
    locks_subjects = False

    def __init__(
        self,
        codec: Codec,
        extractor: Extractor,
        version: str,
        asker: Asker | None = None,
    ) -> None:
        self._codec = codec
        self._extractor = extractor
        self._version = version
        self._asker = asker
        self.periodics: Sequence[Periodic] = () if asker is None else (asker.periodic(),)

    def read(self, record: Record) -> Item[Outgoing]:
        """Extract. Raises Poison."""
        event = open_record(record, self._codec, TurnScored, SessionClosed, CommandAccepted)
        return item_of(record, event, self._outgoing(event))

    def _outgoing(self, event: Event[Body]) -> Outgoing:
        head, body = event.envelope, event.body
        if isinstance(body, TurnScored):
            wants = None if self._asker is None else self._asker.reading.wants
            extracted, wanted = read_turn(body, head.occurred_at, self._extractor, self._version, wants)
            queued = self._asker.queue_row(Event(head, body)) if wanted and self._asker is not None else None
            return replace(self._sealed(event, extracted), queued=queued)
        if isinstance(body, CommandAccepted):
            read = read_command(body, head.id, head.occurred_at, self._extractor, self._version)
            return self._sealed(event, read)
        over = None
        if isinstance(body, SessionClosed):
            over = {"tenant": head.tenant, "subject_key": head.subject_key, "session_id": body.session_id}
        return replace(self._sealed(event, body), over=over)

    def _sealed(self, event: Event[Body], body: Body) -> Outgoing:
        source = event.envelope.id
        event_id = derived_id(source, "extracted") if isinstance(body, TurnExtracted) else source
        return Outgoing(key_of(event), seal(event.origin, event_id, body, self._codec))

    async def handle(self, unit: UnitOfWork, batch: Batch[Outgoing]) -> Effects:  # noqa: ARG002
        """Publish what was extracted, new or not; queue what is new for the model."""
        effects = Effects()
        if self._asker is not None:
            fresh = [item.payload for item in batch.fresh]
            effects.write("model.enqueue", *(item.queued for item in fresh if item.queued is not None))
            effects.write("model.session_over", *(item.over for item in fresh if item.over is not None))
        for item in [*batch.fresh, *batch.repeated]:
            effects.publish(Topic.CLAIMS, item.payload.key, item.payload.value, item.receipt.subject_key)
        return effects
