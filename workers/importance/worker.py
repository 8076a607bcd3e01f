"""The first stage: from `lithify-turns` to `lithify-scored`."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from lithify.events import CommandAccepted, SessionClosed, SessionEnded, TurnBefore, TurnScored
from pipelines import metrics
from pipelines.effects import Effects
from pipelines.envelope import Codec, Origin, seal
from pipelines.failures import Poison
from pipelines.inbound import receive
from pipelines.runtime.worker import Batch, Item, Periodic, Record
from pipelines.settings import Settings
from pipelines.store.unit_of_work import Receipt, UnitOfWork
from pipelines.topics import Topic
from workers.importance.before import turns_before
from workers.importance.periodic import republish, session_ticker
from workers.importance.scoring import Scored, Scorer
from workers.importance.sessions import move_sessions


class ImportanceWorker:
    """Scores and stores every event once; says the same again for one that is delivered again."""

    name = "importance"
    source = Topic.TURNS
    locks_subjects = True

    def __init__(
        self,
        settings: Settings,
        codec: Codec,
        scorer: Scorer,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings = settings
        self._codec = codec
        self._scorer = scorer
        self._clock = clock
        self.periodics: Sequence[Periodic] = (session_ticker(settings), republish(settings))

    def read(self, record: Record) -> Item[Scored]:
        """Validate, clean, redact and score one event. Raises Poison."""
        received = receive(record.value, self._settings, self._clock())
        event = received.event
        receipt = Receipt(event.tenant, event.id, received.subject_key, received.digest)
        try:
            scored = self._scorer.score(received)
        except Poison as poison:
            poison.receipt = receipt
            raise
        if isinstance(event, SessionEnded):
            return Item(record, receipt, scored, epoch=None, user_id=event.user_id)
        return Item(
            record,
            receipt,
            scored,
            epoch=None,
            user_id=event.user_id,
            received_at=received.received_at,
            occurred_at=received.occurred_at,
        )

    async def handle(self, unit: UnitOfWork, batch: Batch[Scored]) -> Effects:
        """Store new turns, move their sessions on, and pass everything on."""
        effects = Effects()
        fresh = [item.payload for item in batch.fresh]
        void = await move_sessions(unit, effects, fresh)
        before = await turns_before(unit, fresh)
        for item in fresh:
            epoch = batch.subjects[item.received.subject_key].epoch
            value = self._seal(item, epoch, before.get(item.key))
            if not isinstance(item.body, SessionClosed):
                effects.write("importance.insert_turns", _turn_row(item, item.body, value, epoch))
            if item.key not in void:
                _pass_on(effects, item, value)
        await self._repeat(unit, effects, batch)
        _count(effects, fresh)
        return effects

    async def _repeat(self, unit: UnitOfWork, effects: Effects, batch: Batch[Scored]) -> None:
        """What was published for these may have been lost with the broker."""
        repeated = [item.payload for item in batch.repeated]
        if not repeated:
            return
        rows = [{"tenant": item.key[0], "turn_id": item.key[1]} for item in repeated]
        stored = await unit.fetch("importance.published_turns", rows=rows)
        values = {(row["tenant"], row["turn_id"]): row["body"].encode() for row in stored}
        for item in repeated:
            epoch = batch.subjects[item.received.subject_key].epoch
            _pass_on(effects, item, values.get(item.key) or self._seal(item, epoch, None))

    def _seal(self, item: Scored, epoch: int, before: TurnBefore | None) -> bytes:
        received = item.received
        event = received.event
        body = item.body
        if before is not None and isinstance(body, TurnScored):
            body = msgspec.structs.replace(body, before=before)
        origin = Origin(
            event.tenant, received.subject_key, received.occurred_at, received.received_at, epoch, event.trace_id
        )
        return seal(origin, event.id, body, self._codec)


def _pass_on(effects: Effects, item: Scored, value: bytes) -> None:
    subject = item.received.subject_key
    effects.publish(Topic.SCORED, f"{item.key[0]}/{subject}", value, subject)


def _turn_row(item: Scored, body: TurnScored | CommandAccepted, value: bytes, epoch: int) -> Mapping[str, Any]:
    """Commands are kept beside turns: a lost one is missed as much, and is asked after in the same way."""
    common = {
        "tenant": item.key[0],
        "turn_id": item.key[1],
        "subject_key": item.received.subject_key,
        "session_id": body.session_id,
        "timezone": body.timezone,
        "turn_index": body.index,
        "body": msgspec.Raw(value),
        "occurred_at": item.received.occurred_at,
        "received_at": item.received.received_at,
        "trace_id": item.received.event.trace_id,
        "epoch": epoch,
    }
    if isinstance(body, CommandAccepted):
        return common | {"role": "command", "content": body.text, "importance": 10, "skipped": False}
    return common | {
        "role": body.role,
        "speaker": body.speaker,
        "content": body.content,
        "importance": body.importance,
        "skipped": body.skipped,
    }


def _count(effects: Effects, fresh: Sequence[Scored]) -> None:
    for item in fresh:
        if isinstance(item.body, TurnScored):
            if item.body.skipped:
                effects.count(metrics.SKIPPED, "importance")
            for kind, count in item.body.redactions.items():
                effects.count(metrics.REDACTIONS, kind, by=count)
