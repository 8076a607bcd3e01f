"""The second stage: from `lithify-scored` to `lithify-claims`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lithify.events import CommandAccepted, SessionClosed, TurnExtracted, TurnScored
from lithify.events.bodies import Body
from pipelines.effects import Effects
from pipelines.envelope import Codec, derived_id, seal
from pipelines.internal import item_of, key_of, open_record
from pipelines.language.model import Extractor
from pipelines.runtime.worker import Batch, Item, Periodic, Record
from pipelines.store.unit_of_work import UnitOfWork
from pipelines.topics import Topic
from workers.extraction.commands import read_command
from workers.extraction.turns import read_turn


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What one event becomes; the same however often it is read."""

    key: str
    value: bytes


class ExtractionWorker:
    """Pure for rules: what it publishes follows from the event alone, so a repeated event is simply said again."""

    name = "extraction"
    source = Topic.SCORED
    locks_subjects = False
    periodics: Sequence[Periodic] = ()

    def __init__(self, codec: Codec, extractor: Extractor, version: str) -> None:
        self._codec = codec
        self._extractor = extractor
        self._version = version

    def read(self, record: Record) -> Item[Outgoing]:
        """Extract. Raises Poison."""
        event = open_record(record, self._codec, TurnScored, SessionClosed, CommandAccepted)
        head = event.envelope
        body = self._extract(event.body, head.id, head.occurred_at)
        event_id = derived_id(head.id, "extracted") if isinstance(body, TurnExtracted) else head.id
        return item_of(record, event, Outgoing(key_of(event), seal(event.origin, event_id, body, self._codec)))

    def _extract(self, body: Body, event_id: str, occurred_at: datetime) -> Body:
        if isinstance(body, TurnScored):
            return read_turn(body, occurred_at, self._extractor, self._version)
        if isinstance(body, CommandAccepted):
            return read_command(body, event_id, occurred_at, self._extractor, self._version)
        return body

    async def handle(self, unit: UnitOfWork, batch: Batch[Outgoing]) -> Effects:  # noqa: ARG002
        """Publish what was extracted, new or not."""
        effects = Effects()
        for item in [*batch.fresh, *batch.repeated]:
            effects.publish(Topic.CLAIMS, item.payload.key, item.payload.value, item.receipt.subject_key)
        return effects
