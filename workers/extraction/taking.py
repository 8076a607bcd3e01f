"""Taking turns up for one call of the model, and leaving them with what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lithify.events import TurnScored
from pipelines.effects import Row
from pipelines.envelope import Codec, Event, open_event
from pipelines.store.unit_of_work import UnitOfWork
from workers.extraction.reading import ModelReading, Request, Scored

NAME = "extraction"


@dataclass(frozen=True, slots=True)
class Place:
    """A session with turns to be asked about."""

    tenant: str
    subject_key: str
    session_id: str


@dataclass(frozen=True, slots=True)
class Call:
    """Turns taken up together."""

    place: Place
    events: Sequence[Scored]
    request: Request
    spent: bool
    """Whether they were taken up so often that nothing is to be asked any more; a reply that is stored still counts."""


@dataclass(frozen=True, slots=True)
class Held:
    """A turn that is still part of a call."""

    turn_id: str
    generation: int
    attempts: int
    outages: int
    told: str


def queue_row(event: Scored, reading: ModelReading, wait_seconds: float) -> Row:
    """A turn to be read by the model."""
    head, body = event.envelope, event.body
    return {
        "tenant": head.tenant,
        "turn_id": body.turn_id,
        "subject_key": head.subject_key,
        "session_id": body.session_id,
        "occurred_at": head.occurred_at,
        "turn_index": body.index,
        "tokens": reading.tokens(event),
        "wait_seconds": wait_seconds,
    }


async def take(
    unit: UnitOfWork, place: Place, reading: ModelReading, codec: Codec, *, lease: float, attempts: int
) -> Call | None:
    """Take turns of a session up for a call: the attempt is noted before it is made. None: there are none.

    Args:
        unit: an open transaction that sees the subject; once it commits, nobody else takes these turns for a while.
        place: which session.
        reading: makes the request.
        codec: opens the stored events.
        lease: seconds after which a call that told nothing counts as cut off.
        attempts: most of them.
    """
    rows = await unit.fetch(
        "model.take", tenant=place.tenant, subject_key=place.subject_key, session_id=place.session_id
    )
    chosen = _choose(rows, reading.budget)
    if not chosen:
        return None
    events = [_scored(row["body"], codec) for row in chosen]
    request = reading.request(events)
    turns = [row["turn_id"] for row in chosen]
    await unit.fetch("model.lease", tenant=place.tenant, turns=turns, call_id=request.call_id, seconds=lease)
    return Call(place, events, request, spent=max(row["attempts"] for row in chosen) >= attempts)


def _choose(rows: Sequence[Mapping[str, Any]], budget: int) -> Sequence[Mapping[str, Any]]:
    """A call that was cut off, as it was; else one turn that is to be alone; else new turns up to the budget."""
    again = next((row for row in rows if row["call_id"] is not None), None)
    if again is not None:
        if again["alone"]:
            return [again]
        return [row for row in rows if row["call_id"] == again["call_id"] and not row["alone"]]
    chosen: list[Mapping[str, Any]] = []
    tokens = 0
    for row in rows:
        tokens += row["tokens"]
        if chosen and tokens > budget:
            break
        chosen.append(row)
    return chosen


def _scored(body: str, codec: Codec) -> Event[TurnScored]:
    event = open_event(body.encode(), codec)
    if not isinstance(event.body, TurnScored):
        raise TypeError(f"a {event.envelope.type} is queued for the model")
    return Event(event.envelope, event.body)


async def held(unit: UnitOfWork, call: Call) -> dict[str, Held]:
    """The turns that are still part of the call: another process may have gone on with it."""
    turns = [event.body.turn_id for event in call.events]
    rows = await unit.fetch("model.held", tenant=call.place.tenant, call_id=call.request.call_id, turns=turns)
    return {row["turn_id"]: Held(**row) for row in rows}
