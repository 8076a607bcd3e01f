"""The last stage of the stream: from `lithify-conflicts` to episodes and published changes of time."""

from collections.abc import Sequence
from datetime import datetime

from lithify.events import SessionClosed, TurnDecided
from pipelines.effects import Effects
from pipelines.envelope import Codec, Event
from pipelines.internal import item_of, open_record
from pipelines.runtime.worker import Batch, Item, Periodic, Record
from pipelines.store.unit_of_work import UnitOfWork
from pipelines.topics import Topic
from workers.reflection.due import Reflector
from workers.reflection.episodes import keep_episodes

Payload = Event[TurnDecided] | Event[SessionClosed]


class ReflectionWorker:
    """Marks every turn as having reached the end; a session's end makes its episode and publishes what fell due."""

    name = "reflection"
    source = Topic.CONFLICTS
    locks_subjects = True

    def __init__(self, codec: Codec, reflector: Reflector, periodics: Sequence[Periodic] = ()) -> None:
        self._codec = codec
        self._reflector = reflector
        self.periodics = periodics

    def read(self, record: Record) -> Item[Payload]:
        """Decode. Raises Poison."""
        event = open_record(record, self._codec, TurnDecided, SessionClosed)
        return item_of(record, event, event)  # type: ignore[arg-type]  # open_record checked the body's type

    async def handle(self, unit: UnitOfWork, batch: Batch[Payload]) -> Effects:
        """Close turns; for sessions that ended, keep the episode and publish due changes up to the last end."""
        effects = Effects()
        ends: list[Event[SessionClosed]] = []
        for item in batch.fresh:
            event = item.payload
            if isinstance(event.body, TurnDecided):
                effects.write(
                    "reflection.close_turns", {"tenant": event.envelope.tenant, "turn_id": event.body.turn_id}
                )
            else:
                ends.append(event)
        await keep_episodes(unit, effects, ends)
        for subject_key, as_of in _latest(ends).items():
            slots = await self._reflector.due_of(unit, subject_key, as_of)
            await self._reflector.reflect(unit, effects, slots, as_of)
        return effects


def _latest(ends: Sequence[Event[SessionClosed]]) -> dict[str, datetime]:
    """When the last session of each subject ended: no slot may be folded twice in one transaction."""
    latest: dict[str, datetime] = {}
    for event in ends:
        key, at = event.envelope.subject_key, event.body.ended_at
        latest[key] = max(at, latest.get(key, at))
    return latest
