"""Re-deciding: all slots folded under another policy, and what that changes. The evidence stays as it is."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import msgspec

from pipelines.effects import Effects
from pipelines.envelope import Codec, Origin
from pipelines.settings import Settings
from pipelines.slots.changed import publish_slot
from pipelines.slots.folding import Folded, Folder
from pipelines.slots.rows import Fields, SlotKey
from pipelines.store.pool import Pool
from pipelines.store.scheduler import due
from pipelines.store.unit_of_work import UnitOfWork, unit_of_work

WORKER = "reflection"
"""Its relay publishes what is re-decided."""
_PAGE = 500


@dataclass(slots=True)
class Redecision:
    """One run: what it works with, and how far it is."""

    settings: Settings
    pool: Pool
    folder: Folder
    codec: Codec
    write: bool
    subjects: int = 0
    slots: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """What re-deciding changes in one slot."""

    key: SlotKey
    gone: tuple[Fields, ...]
    come: tuple[Fields, ...]

    def as_text(self) -> str:
        """Lines with - and +, for people."""
        lines = [f"{self.key.subject} / {self.key.attribute}  (user {self.key.subject_key}, slot {self.key.slot_id})"]
        lines += [f"  - {_line(row)}" for row in self.gone]
        lines += [f"  + {_line(row)}" for row in self.come]
        return "\n".join(lines)

    def as_json(self) -> str:
        """One line, for scripts."""
        body = {**self.key._asdict(), "slot_id": self.key.slot_id, "gone": self.gone, "come": self.come}
        return json.dumps(msgspec.to_builtins(body), ensure_ascii=False)


async def redecide(work: Redecision) -> AsyncIterator[Change]:
    """Fold every slot of every subject, a subject a transaction; yields what changes, and writes it if asked to.

    A run that is cut off has re-decided the subjects it came to; a second run finds nothing to change there.
    """
    after = ""
    while rows := await due(work.pool, "scheduler.subjects_after", after=after, page=_PAGE):
        for row in rows:
            for change in await _subject(work, row["subject_key"]):
                yield change
        after = rows[-1]["subject_key"]


async def _subject(work: Redecision, subject: str) -> list[Change]:
    async with unit_of_work(work.pool, work.settings, WORKER, {subject}) as unit:
        await unit.lock_known([subject])
        effects = Effects()
        folded = await work.folder.fold(unit, effects, await _slots(unit, subject))
        changed = [slot for slot in folded if slot.changed]
        if work.write:
            await _publish(work, unit, effects, changed)
            await unit.apply(effects)
    work.subjects += 1
    work.slots += len(folded)
    work.changed += len(changed)
    return [Change(slot.key, slot.gone, slot.come) for slot in changed]


async def _slots(unit: UnitOfWork, subject: str) -> list[SlotKey]:
    rows = await unit.fetch("reflection.slots_of_subject", subject_key=subject)
    return [SlotKey(row["tenant"], row["subject_key"], row["subject"], row["attribute"]) for row in rows]


async def _publish(work: Redecision, unit: UnitOfWork, effects: Effects, changed: list[Folded]) -> None:
    now = await unit.now()
    for slot in changed:
        publish_slot(effects, slot, Origin(slot.key.tenant, slot.key.subject_key, now, now), now, work.codec)


def _line(row: Fields) -> str:
    side = "not " if row["polarity"] == "negative" else ""
    kind, start, stop = (
        ("fact", row["valid_from"], row["valid_to"])
        if "fact_id" in row
        else ("override", row["started_at"], row["ends_at"])
    )
    return f"{kind} {side}{row['value']}, {_date(start)} to {_date(stop)}{_confidence(row)}"


def _confidence(row: Fields) -> str:
    return f", confidence {row['confidence']:.2f}" if "confidence" in row else ""


def _date(at: Any) -> str:
    return at.strftime("%Y-%m-%d %H:%M") if at is not None else "open"
