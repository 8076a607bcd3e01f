"""The third stage: from `lithify-claims` to facts, overrides, conflicts and verdicts."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lithify.domain.claims import Claim, Evidence
from lithify.events import SessionClosed, TurnExtracted
from pipelines import metrics
from pipelines.effects import Effects
from pipelines.envelope import Codec, Event, seal
from pipelines.internal import item_of, key_of, open_record
from pipelines.runtime.worker import Batch, Item, Periodic, Record
from pipelines.slots.folding import Folder, TouchedSlots
from pipelines.store.unit_of_work import UnitOfWork
from pipelines.topics import Topic
from workers.conflict.claims import keep_claims, resolve_commands
from workers.conflict.outcome import decided_event, outcome_row

Payload = Event[TurnExtracted | SessionClosed]


class ConflictWorker:
    """Decides once what each turn means; a repeated event is answered with what was decided then."""

    name = "conflict"
    source = Topic.CLAIMS
    locks_subjects = True
    periodics: Sequence[Periodic] = ()

    def __init__(self, codec: Codec, folder: Folder) -> None:
        self._codec = codec
        self._folder = folder

    def read(self, record: Record) -> Item[Payload]:
        """Decode. Raises Poison."""
        event = open_record(record, self._codec, TurnExtracted, SessionClosed)
        return item_of(record, event, event)  # type: ignore[arg-type]  # open_record checked the body's type

    async def handle(self, unit: UnitOfWork, batch: Batch[Payload]) -> Effects:
        """Keep the claims, fold every slot they or their sessions touch, write the differences, report per turn."""
        effects = Effects()
        events = [item.payload for item in batch.fresh]
        turns = [event for event in events if isinstance(event.body, TurnExtracted)]
        evidence = await resolve_commands(unit, turns)
        touched = await self._folder.touched(unit, events, evidence)
        folded = await self._folder.fold(unit, effects, touched, evidence)
        await keep_claims(unit, effects, turns, evidence)
        self._report(effects, events, folded, evidence)
        await self._repeat(unit, effects, batch)
        return effects
