"""A user's memory as domain objects: read once a version, kept in memory, bounded."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from lithify.domain.memory import Episode, Memory, RecentTurn, SlotView
from lithify.domain.slots.state import Contender, Fact, Hint, Override
from workers.gateway.database import Reader, Row
from workers.gateway.scope import Who

RECENT_TURNS = 30
"""Turns of the running session that are read."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """A subject's vectors of one model: row i of `matrix` (float32, unit length) belongs to `ids[i]`."""

    ids: tuple[str, ...] = ()
    matrix: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    def cosines(self, query: NDArray[np.float32]) -> dict[str, float]:
        """Cosine of `query` (unit length) with each, by id."""
        if not self.ids:
            return {}
        return dict(zip(self.ids, (self.matrix @ query).tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a user from another: vectors are made beside the stream, without a new version."""

    version: int = 0
    vectors: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """What is believed about a user, at one stamp."""

    stamp: Stamp
    memory: Memory
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn of the running session, with what became of it."""

    turn: RecentTurn
    outcome: str
    timezone: str


@dataclass(frozen=True, slots=True)
class Session:
    """What one query tells of a request's user: their stamp, and the last turns of the session."""

    stamp: Stamp = field(default_factory=Stamp)
    turns: tuple[StoredTurn, ...] = ()
    """Oldest first."""
    zone: str | None = None
    """The zone of the user's last turn, in whichever session."""

    @property
    def timezone(self) -> str | None:
        """The zone of its last turn, else of the user's last turn, or None."""
        return self.turns[-1].timezone if self.turns else self.zone

    @property
    def last_at(self) -> datetime | None:
        """When its last turn was said, or None."""
        return self.turns[-1].turn.occurred_at if self.turns else None


class StateCache:
    """The states of the users served last. A state that was passed is never served."""

    def __init__(self, users: int = 1_000) -> None:
        self._users = users
        self._states: OrderedDict[tuple[str, str | None], State] = OrderedDict()

    def get(self, who: Who, model: str | None, stamp: Stamp) -> State | None:
        """The state of exactly this stamp, or None."""
        state = self._states.get((who.subject_key, model))
        if state is None or state.stamp != stamp:
            return None
        self._states.move_to_end((who.subject_key, model))
        return state

    def put(self, who: Who, model: str | None, state: State) -> None:
        """Keep a state; the one used longest ago makes room."""
        self._states[who.subject_key, model] = state
        self._states.move_to_end((who.subject_key, model))
        if len(self._states) > self._users:
            self._states.popitem(last=False)

    def __len__(self) -> int:
        return len(self._states)


async def read_session(
    reader: Reader, session_id: str | None, as_of: datetime | None = None, model: str | None = None
) -> Session:
    """Stamp and last turns of the session up to `as_of` (None: all); the empty one for an unknown user."""
    rows = await reader.all("session_state", session_id=session_id, as_of=as_of, model=model, turns=RECENT_TURNS)
    if not rows:
        return Session()
    turns = tuple(_stored_turn(row) for row in reversed(rows) if row["turn_id"] is not None)
    return Session(Stamp(rows[0]["version"], rows[0]["vectors"]), turns, rows[0]["zone"])


async def read_state(reader: Reader, stamp: Stamp, model: tuple[str, int] | None) -> State:
    """Everything believed now, every interval, with the vectors of `model` (name, dimension)."""
    memory = await read_memory(reader, stamp.version)
    if model is None:
        return State(stamp, memory, Vectors())
    rows = await reader.all("embeddings", model=model[0], dimension=model[1])
    if not rows:
        return State(stamp, memory, Vectors())
    matrix = np.array([row["embedding"] for row in rows], np.float32)
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    return State(stamp, memory, Vectors(tuple(row["id"] for row in rows), matrix))


async def read_memory(reader: Reader, version: int, known_at: datetime | None = None) -> Memory:
    """Slots and episodes as believed at `known_at` (None: now)."""
    slots = {row["slot_id"]: _slot(row, open_questions=known_at is None) for row in await reader.all("slots")}
    for row in await reader.all("facts", known_at=known_at):
        slot = slots.setdefault(row["slot_id"], _bare(row))
        slots[slot.slot_id] = replace(slot, facts=(*slot.facts, msgspec.convert(row, Fact)))
    for row in await reader.all("overrides", known_at=known_at):
        slot = slots.setdefault(row["slot_id"], _bare(row))
        slots[slot.slot_id] = replace(slot, overrides=(*slot.overrides, _override(row)))
    episodes = tuple(msgspec.convert(row, Episode) for row in await reader.all("episodes"))
    return Memory(tuple(slots.values()), episodes, (), version)


def _slot(row: Row, *, open_questions: bool) -> SlotView:
    if not open_questions:
        return _bare(row)
    contenders = msgspec.convert(row["contenders"], tuple[Contender, ...])
    hints = msgspec.convert(row["hints"], tuple[Hint, ...])
    return replace(_bare(row), contenders=contenders, hints=hints)


def _bare(row: Mapping[str, Any]) -> SlotView:
    return SlotView(row["slot_id"], row["subject"], row["attribute"])


def _override(row: Row) -> Override:
    session = (row["session_id"], row["session_started_at"]) if row["session_id"] is not None else None
    return msgspec.convert(row | {"session": session}, Override)


def _stored_turn(row: Row) -> StoredTurn:
    turn = RecentTurn(
        row["role"], row["content"], row["occurred_at"], row["turn_id"], row["speaker"], row["importance"]
    )
    return StoredTurn(turn, row["outcome"], row["timezone"])
