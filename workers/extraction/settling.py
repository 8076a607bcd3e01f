"""What becomes of the turns of a call: read, put off, or given up. Each way ends in an event or in the queue."""

from collections.abc import Iterable, Sequence

from lithify.events import TurnExtracted
from pipelines import metrics
from pipelines.effects import Effects
from pipelines.envelope import Codec, derived_id, seal
from pipelines.internal import key_of
from pipelines.language.llm.breaker import backoff
from pipelines.language.llm.reply import Fault, Reply
from pipelines.slots.folding import Folder
from pipelines.store.unit_of_work import UnitOfWork
from pipelines.topics import Topic
from workers.extraction.closing import closes_too_much
from workers.extraction.reading import ModelReading, Scored
from workers.extraction.taking import Call, Held, held
from workers.extraction.turns import extracted

TRANSIENT, PERMANENT = "failed_transient", "failed_permanent"
CLOSES_TOO_MUCH = "closes_too_much"
_FIRST_WAIT, _LONGEST_WAIT = 5.0, 3600.0
"""Seconds until a failed call is made again."""


class Settler:
    """Turns results into effects of the transaction at hand."""

    def __init__(self, reading: ModelReading, folder: Folder, codec: Codec, attempts: int) -> None:
        self._reading = reading
        self._folder = folder
        self._codec = codec
        self._attempts = attempts

    async def read(self, unit: UnitOfWork, call: Call, reply: Reply) -> Effects:
        """The generation of every turn that the reply speaks of; the others are asked about again.

        Nothing of it is taken where it would close too many facts: then the turns are given up.
        """
        effects = Effects()
        mine = await held(unit, call)
        events = [event for event in call.events if event.body.turn_id in mine]
        generations = [self._generation(mine, event) for event in call.events]
        found = self._reading.read(call.events, reply, generations)
        read = [
            (event, extraction, generation)
            for event, extraction, generation in zip(call.events, found, generations, strict=True)
            if extraction is not None and event in events
        ]
        if await closes_too_much(unit, self._folder, call.place.subject_key, read):
            effects.count(metrics.MODEL_REFUSED)
            self._give_up(effects, mine, events, CLOSES_TOO_MUCH)
            return effects
        for event, extraction, generation in read:
            body = extracted(event.body, extraction, self._reading.version, generation)
            self._publish(effects, event, body)
            effects.write("model.finish", {"tenant": call.place.tenant, "turn_id": body.turn_id})
            for reject in extraction.rejects:
                effects.count(metrics.MODEL_REJECTS, str(reject.code))
        done = {event.body.turn_id for event, _, _ in read}
        self._again(effects, mine, [event for event in events if event.body.turn_id not in done], Fault.INCOMPLETE)
        return effects

    async def unusable(self, unit: UnitOfWork, call: Call, fault: str) -> Effects:
        """The reply cannot be used: each turn is asked about by itself from now on, as long as it has attempts left."""
        effects = Effects()
        mine = await held(unit, call)
        self._again(effects, mine, [event for event in call.events if event.body.turn_id in mine], fault)
        return effects

    async def unanswered(self, unit: UnitOfWork, call: Call, reason: str, hold: float | None) -> Effects:
        """Nothing was answered: no fault of these turns, and no attempt of theirs."""
        effects = Effects()
        mine = await held(unit, call)
        for event in call.events:
            turn = mine.get(event.body.turn_id)
            if turn is not None:
                wait = max(backoff(turn.outages + 1, _FIRST_WAIT, _LONGEST_WAIT), hold or 0.0)
                self._put_off(effects, event, turn, reason, wait, forgiven=1)
        return effects

    @staticmethod
    def _generation(mine: dict[str, Held], event: Scored) -> int:
        turn = mine.get(event.body.turn_id)
        return turn.generation if turn is not None else 1

    def _again(self, effects: Effects, mine: dict[str, Held], events: Iterable[Scored], fault: str) -> None:
        for event in events:
            turn = mine[event.body.turn_id]
            if turn.attempts >= self._attempts:
                self._give_up(effects, mine, [event], fault)
            else:
                wait = backoff(turn.attempts, _FIRST_WAIT, _LONGEST_WAIT)
                self._put_off(effects, event, turn, fault, wait, forgiven=0)

    def _put_off(self, effects: Effects, event: Scored, turn: Held, reason: str, wait: float, *, forgiven: int) -> None:
        generation = turn.generation if turn.told else self._tell(effects, event, turn.generation, TRANSIENT)
        row = {
            "tenant": event.envelope.tenant,
            "turn_id": turn.turn_id,
            "wait_seconds": wait,
            "forgiven": forgiven,
            "outages": turn.outages + forgiven,
            "alone": not forgiven,
            "reason": str(reason),
            "told": turn.told or TRANSIENT,
            "generation": generation,
        }
        effects.write("model.put_off", row)

    def _give_up(self, effects: Effects, mine: dict[str, Held], events: Sequence[Scored], reason: str) -> None:
        for event in events:
            turn = mine[event.body.turn_id]
            row = {
                "tenant": event.envelope.tenant,
                "turn_id": turn.turn_id,
                "reason": str(reason),
                "told": PERMANENT,
                "generation": self._tell(effects, event, turn.generation, PERMANENT),
            }
            effects.write("model.give_up", row)

    def _tell(self, effects: Effects, event: Scored, generation: int, outcome: str) -> int:
        """Publish that a reading failed; returns the generation of what comes next."""
        turn = event.body
        body = TurnExtracted(
            turn_id=turn.turn_id,
            session_id=turn.session_id,
            outcome=outcome,
            extractor=self._reading.version,
            generation=generation,
        )
        self._publish(effects, event, body)
        return generation + 1

    def _publish(self, effects: Effects, event: Scored, body: TurnExtracted) -> None:
        head = event.envelope
        value = seal(event.origin, derived_id(body.turn_id, "extracted", body.generation), body, self._codec)
        effects.publish(Topic.CLAIMS, key_of(event), value, head.subject_key)
        effects.count(metrics.MODEL_TURNS, body.outcome)
