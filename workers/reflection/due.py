"""Slots that time alone has changed: folded again, and published."""

from collections.abc import Iterable
from datetime import datetime

from pipelines import metrics
from pipelines.effects import Effects
from pipelines.envelope import Codec, Origin
from pipelines.slots.changed import publish_slot
from pipelines.slots.folding import Folder
from pipelines.slots.rows import SlotKey
from pipelines.store.unit_of_work import UnitOfWork


class Reflector:
    """Publishes lapses, promotions and silent contenders once they are due."""

    def __init__(self, folder: Folder, codec: Codec) -> None:
        self._folder = folder
        self._codec = codec

    async def due_of(self, unit: UnitOfWork, subject_key: str, as_of: datetime) -> list[SlotKey]:
        """Slots of one subject with a change up to `as_of`."""
        rows = await unit.fetch("reflection.due_slots", subject_key=subject_key, as_of=as_of)
        return [SlotKey(row["tenant"], row["subject_key"], row["subject"], row["attribute"]) for row in rows]

    async def differing(self, unit: UnitOfWork, slot_ids: Iterable[str]) -> list[str]:
        """Of some slots, those whose stored rows differ from their fold. Writes nothing."""
        rows = await unit.fetch("reflection.slots_named", slots=sorted(slot_ids))
        slots = [SlotKey(row["tenant"], row["subject_key"], row["subject"], row["attribute"]) for row in rows]
        folded = await self._folder.fold(unit, Effects(), slots)
        return [slot.key.slot_id for slot in folded if slot.changed]

    async def reflect(self, unit: UnitOfWork, effects: Effects, slots: Iterable[SlotKey], as_of: datetime) -> int:
        """Fold slots as of an instant and publish their state then.

        Returns:
            How many of them were found to differ from what was stored; their rows are written.
        """
        folded = await self._folder.fold(unit, effects, slots, as_of=as_of)
        for slot in folded:
            key = slot.key
            origin = Origin(key.tenant, key.subject_key, as_of, await unit.now())
            publish_slot(effects, slot, origin, as_of, self._codec)
            effects.changed_subjects.add(key.subject_key)
        effects.count(metrics.SLOTS_REFLECTED, by=len(folded))
        return sum(slot.changed for slot in folded)
