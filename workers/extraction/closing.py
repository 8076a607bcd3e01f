"""The guard of a model's merge: what it would close is worked out before anything is written."""

from collections.abc import Sequence

from lithify.domain.claims import Evidence
from lithify.events import TurnScored
from pipelines.effects import Effects
from pipelines.envelope import Event
from pipelines.language.model import Extraction
from pipelines.slots.evidence import is_broad
from pipelines.slots.folding import Folder, Placed
from pipelines.slots.rows import SlotKey
from pipelines.store.unit_of_work import UnitOfWork

MOST_CLOSED = 0.2
"""Share of a subject's active facts that one reply may close."""
Read = tuple[Event[TurnScored], Extraction, int]
"""A turn, what the model's generation of it holds, and which generation that is."""


async def closes_too_much(unit: UnitOfWork, folder: Folder, subject_key: str, turns: Sequence[Read]) -> bool:
    """Whether the slots of a subject would be left with more than a fifth fewer active facts, and not just with one.

    A fact that is replaced in its slot counts as kept. Nothing is written.
    """
    now = await unit.now()
    active = {
        row["slot_id"]: row["facts"] for row in await unit.fetch("model.active_facts", subject_key=subject_key, now=now)
    }
    most: float = max(1.0, MOST_CLOSED * sum(active.values()))
    placed = [_placed(event, claim) for event, found, _ in turns for claim in found.claims]
    slots = await _slots(unit, subject_key, turns, placed)
    if sum(active.get(slot.slot_id, 0) for slot in slots) <= most:
        return False
    replaced = {(subject_key, event.body.turn_id): generation for event, _, generation in turns}
    folded = await folder.fold(unit, Effects(), slots, placed, replaced_turns=replaced)
    closed: int = 0
    for slot in folded:
        left = sum(
            not fact.corrected and fact.valid_from <= now and (fact.valid_to is None or fact.valid_to > now)
            for fact in slot.state.facts
        )
        closed += max(0, active.get(slot.key.slot_id, 0) - left)
    return closed > most


def _placed(event: Event[TurnScored], claim: Evidence) -> Placed:
    head = event.envelope
    if is_broad(claim):
        return (head.subject_key, claim.subject), claim
    return SlotKey(head.tenant, head.subject_key, claim.subject, claim.attribute), claim


async def _slots(unit: UnitOfWork, subject_key: str, turns: Sequence[Read], placed: Sequence[Placed]) -> set[SlotKey]:
    """What the new claims touch, and what the claims that they replace have touched."""
    rows = [{"subject_key": subject_key, "turn_id": event.body.turn_id} for event, _, _ in turns]
    found = await unit.fetch("conflict.slots_of_turns", rows=rows)
    broad = [{"subject_key": place[0], "subject": place[1]} for place, _ in placed if len(place) == 2]
    if broad:
        found += await unit.fetch("conflict.slots_of_subjects", rows=broad)
    slots = {SlotKey(row["tenant"], row["subject_key"], row["subject"], row["attribute"]) for row in found}
    return slots | {place for place, _ in placed if isinstance(place, SlotKey)}
