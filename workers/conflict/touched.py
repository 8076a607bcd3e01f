"""Which slots a batch can move: those of its claims, and those whose overrides hang on its sessions."""

from collections.abc import Iterable, Sequence

from lithify.events import SessionClosed, TurnExtracted
from pipelines.envelope import Event
from pipelines.slots.rows import SlotKey
from pipelines.store.unit_of_work import UnitOfWork
from workers.conflict.intake import Intake


async def touched_slots(
    unit: UnitOfWork, events: Sequence[Event[TurnExtracted | SessionClosed]], intake: Intake
) -> set[SlotKey]:
    """Slots to fold.

    A turn moves the end of its session, and a late one may join two or be the user's next session itself: overrides
    seen only in that session, those of a next session, and slots with later claims of the stretch are folded too.
    """
    slots = {place for place, _ in intake.placed if isinstance(place, SlotKey)}
    broad = [{"subject_key": place[0], "subject": place[1]} for place, _ in intake.placed if len(place) == 2]
    if broad:
        slots |= _keys(await unit.fetch("conflict.slots_of_subjects", rows=broad))
    if intake.replaced:
        rows = [{"subject_key": key, "turn_id": turn_id} for key, turn_id in sorted(intake.replaced)]
        slots |= _keys(await unit.fetch("conflict.slots_of_turns", rows=rows))
    if events:
        slots |= _keys(await unit.fetch("conflict.slots_of_sessions", rows=[_row(event) for event in events]))
    return slots


def _row(event: Event[TurnExtracted | SessionClosed]) -> dict[str, object]:
    head, body = event.envelope, event.body
    at = body.ended_at if isinstance(body, SessionClosed) else head.occurred_at
    return {"subject_key": head.subject_key, "session_id": body.session_id, "at": at}


def _keys(rows: Iterable[dict[str, str]]) -> set[SlotKey]:
    return {SlotKey(row["tenant"], row["subject_key"], row["subject"], row["attribute"]) for row in rows}
