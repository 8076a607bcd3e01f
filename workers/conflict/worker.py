"""The third stage: from `lithify-claims` to facts, overrides, conflicts and verdicts."""

from collections.abc import Sequence
from typing import Any

import msgspec

from lithify.events import SessionClosed, TurnDecided, TurnExtracted
from pipelines import metrics
from pipelines.effects import Effects
from pipelines.envelope import Codec, Event, Origin, derived_id, seal
from pipelines.internal import item_of, key_of, open_record
from pipelines.language.catalog import Vocabulary, load_vocabulary
from pipelines.runtime.worker import Batch, Item, Periodic, Record
from pipelines.slots.changed import publish_slot
from pipelines.slots.folding import Folded, Folder
from pipelines.store.unit_of_work import UnitOfWork
from pipelines.topics import Topic
from workers.conflict.intake import Extracted, Intake, basis_of, failed, keep, take_in
from workers.conflict.outcome import decide_turns
from workers.conflict.touched import touched_slots

Payload = Event[TurnExtracted] | Event[SessionClosed]


class ConflictWorker:
    """Decides once what each turn means; a repeated event is answered with what was decided then."""

    name = "conflict"
    source = Topic.CLAIMS
    locks_subjects = True
    periodics: Sequence[Periodic] = ()

    def __init__(self, codec: Codec, folder: Folder, vocabulary: Vocabulary | None = None) -> None:
        self._codec = codec
        self._folder = folder
        self._vocabulary = vocabulary or load_vocabulary()

    def read(self, record: Record) -> Item[Payload]:
        """Decode. Raises Poison."""
        event = open_record(record, self._codec, TurnExtracted, SessionClosed)
        return item_of(record, event, event)  # type: ignore[arg-type]  # open_record checked the body's type

    async def handle(self, unit: UnitOfWork, batch: Batch[Payload]) -> Effects:
        """Keep the claims, fold every slot they or their sessions touch, write the differences, report per turn."""
        effects = Effects()
        events = [item.payload for item in batch.fresh]
        turns: list[Extracted] = [event for event in events if isinstance(event.body, TurnExtracted)]
        known = await self._known(unit, batch)
        generations = {key: int(row["generation"]) for key, row in known.items()}
        intake = await take_in(unit, turns, generations, self._vocabulary)
        slots = await touched_slots(unit, events, intake)
        folded = await self._folder.fold(unit, effects, slots, intake.placed, replaced_turns=intake.replaced)
        keep(effects, intake)
        self._report(effects, events, decide_turns(turns, intake, folded))
        self._publish_slots(effects, events, folded)
        self._repeat(effects, batch, {key: row["decided"] for key, row in known.items()})
        _count(effects, intake, turns)
        return effects

    async def _known(self, unit: UnitOfWork, batch: Batch[Payload]) -> dict[tuple[str, str], dict[str, Any]]:
        rows = [
            {"tenant": event.envelope.tenant, "turn_id": event.body.turn_id}
            for event in (item.payload for item in [*batch.fresh, *batch.repeated])
            if isinstance(event.body, TurnExtracted)
        ]
        found = await unit.fetch("conflict.turns", rows=rows) if rows else []
        return {(row["tenant"], row["turn_id"]): row for row in found}

    def _report(self, effects: Effects, events: Sequence[Payload], decided: Sequence[TurnDecided]) -> None:
        """In the order of the partition, so that a session's end follows its turns."""
        bodies = iter(decided)
        for event in events:
            if isinstance(event.body, SessionClosed):
                value = seal(event.origin, event.envelope.id, event.body, self._codec)
            else:
                body = next(bodies)
                value = seal(event.origin, derived_id(body.turn_id, "decided", body.generation), body, self._codec)
                query = "conflict.fail_turns" if failed(body.outcome) else "conflict.close_turns"
                effects.write(query, _outcome_row(event.envelope.tenant, body, value))
            effects.publish(Topic.CONFLICTS, key_of(event), value, event.envelope.subject_key)

    def _publish_slots(self, effects: Effects, events: Sequence[Payload], folded: Sequence[Folded]) -> None:
        latest: dict[str, Origin] = {}
        for event in events:
            known = latest.get(event.envelope.subject_key)
            if known is None or known.occurred_at < event.envelope.occurred_at:
                latest[event.envelope.subject_key] = event.origin
        for slot in folded:
            if slot.changed:
                origin = latest[slot.key.subject_key]
                publish_slot(effects, slot, origin, origin.occurred_at, self._codec)

    def _repeat(self, effects: Effects, batch: Batch[Payload], decided: dict[tuple[str, str], object]) -> None:
        for item in batch.repeated:
            event = item.payload
            if isinstance(event.body, SessionClosed):
                value = seal(event.origin, event.envelope.id, event.body, self._codec)
            else:
                stored = decided.get((event.envelope.tenant, event.body.turn_id))
                if stored is None:
                    continue
                value = str(stored).encode()
            effects.publish(Topic.CONFLICTS, key_of(event), value, event.envelope.subject_key)


def _outcome_row(tenant: str, body: TurnDecided, value: bytes) -> dict[str, object]:
    return {
        "tenant": tenant,
        "turn_id": body.turn_id,
        "outcome": body.outcome,
        "stored": body.stored,
        "reject_codes": sorted({reject.code for reject in body.rejects}),
        "generation": body.generation,
        "decided": msgspec.Raw(value),
    }


def _count(effects: Effects, intake: Intake, turns: Sequence[Extracted]) -> None:
    for _, item in intake.placed:
        effects.count(metrics.CLAIMS, basis_of(item))
    for event in turns:
        for reject in event.body.rejects:
            effects.count(metrics.REJECTS, reject.code)
