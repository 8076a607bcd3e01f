"""Folding on from where a fold stopped: what `replay` gives on all evidence, at the cost of what is new.

A checkpoint is the fold after its last evidence, before any later timer ran. It never changes: a step forks it, so it
may be kept, folded on twice, or thrown away. What it took from the sessions of the subject it remembers, and where
later sessions would have changed that, or evidence arrives out of order, it says so rather than guess.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lithify.domain.catalog import Attribute
from lithify.domain.claims import Evidence
from lithify.domain.policy import Policy
from lithify.domain.sessions import Session
from lithify.domain.slots.calendar import SessionIndex
from lithify.domain.slots.cell import Fold
from lithify.domain.slots.fold import NEVER, Place, current, generation_of, outlook, place_of, run
from lithify.domain.slots.state import SlotState


class Outdated(StrEnum):
    """Why a checkpoint cannot be folded on."""

    LATE = "late"
    """Evidence stands before some that was folded already."""
    GENERATION = "generation"
    """A turn that was folded already was read anew."""
    CHANGED = "changed"
    """Folded evidence came again with another content."""
    GONE = "gone"
    """Folded evidence is there no more."""
    SESSION = "session"
    """A session is another one now, in a way on which folded evidence depends."""


class StaleCheckpointError(Exception):
    """A checkpoint cannot be folded on; only all evidence can tell the state."""

    def __init__(self, reason: Outdated) -> None:
        super().__init__(f"the checkpoint cannot be folded on: {reason}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A slot after its last evidence. Obtained from `begin` and `extend`; nothing in it may be changed."""

    fold: Fold
    folded: Mapping[str, Evidence]
    """By id, in order."""
    generations: Mapping[str, int]
    """Of each folded turn."""
    last: Place | None
    """Where the last of them stands; None: there are none."""


def begin(slot_id: str, attribute: Attribute, policy: Policy) -> Checkpoint:
    """The checkpoint of a slot without evidence. Arguments as for `replay`."""
    return Checkpoint(Fold(slot_id, attribute, policy, SessionIndex(), NEVER), {}, {}, None)


def extend(
    checkpoint: Checkpoint, evidence: Sequence[Evidence], sessions: Sequence[Session]
) -> tuple[SlotState, Checkpoint]:
    """Fold new evidence on top of a checkpoint.

    Args:
        checkpoint: what was folded so far; it stays as it is.
        evidence: what is new, in any order. Items that were folded already may be among it.
        sessions: all sessions of the subject known by now, as `replay` would be given them.

    Returns:
        What `replay` gives on all evidence and these sessions, and the checkpoint to go on from.

    Raises:
        StaleCheckpointError: the new evidence or the sessions change what was folded already.
    """
    items = _new(checkpoint, evidence)
    before = checkpoint.fold.sessions
    index = before.extended(sessions, items)
    if not before.answers_hold(index):
        raise StaleCheckpointError(Outdated.SESSION)
    fold = checkpoint.fold.fork(index)
    run(fold, items)
    after = Checkpoint(
        fold,
        {**checkpoint.folded, **{item.id: item for item in items}},
        {**checkpoint.generations, **{item.turn_id: generation_of(item) for item in items}},
        place_of(items[-1]) if items else checkpoint.last,
    )
    return state_of(after), after


def resume(
    checkpoint: Checkpoint, evidence: Sequence[Evidence], sessions: Sequence[Session]
) -> tuple[SlotState, Checkpoint]:
    """Fold a slot from all of its evidence, on top of a checkpoint where that is possible, else anew.

    Args:
        checkpoint: of the same slot, attribute and policy.
        evidence: all of it, as `replay` would be given it.
        sessions: likewise.

    Returns:
        What `replay` gives, and the checkpoint to go on from.
    """
    try:
        return extend(checkpoint, _beyond(checkpoint, evidence), sessions)
    except StaleCheckpointError:
        fold = checkpoint.fold
        return extend(begin(fold.slot_id, fold.attribute, fold.policy), evidence, sessions)


def state_of(checkpoint: Checkpoint, as_of: datetime | None = None) -> SlotState:
    """What `replay` gives on what was folded.

    Args:
        checkpoint: what was folded.
        as_of: as for `replay`, but not before the last evidence.

    Raises:
        StaleCheckpointError: some of the evidence is later than `as_of`.
    """
    if as_of is not None and as_of < checkpoint.fold.now:
        raise StaleCheckpointError(Outdated.LATE)
    return outlook(checkpoint.fold.fork(), as_of)


def _new(checkpoint: Checkpoint, evidence: Iterable[Evidence]) -> list[Evidence]:
    """Evidence that is not folded yet, in order."""
    fresh = [item for item in evidence if not _known(checkpoint, item)]
    items = current(fresh, None)
    for item in items:
        generation = checkpoint.generations.get(item.turn_id)
        if generation is not None and generation_of(item) > generation:
            raise StaleCheckpointError(Outdated.GENERATION)
    items = [
        item for item in items if generation_of(item) == checkpoint.generations.get(item.turn_id, generation_of(item))
    ]
    if items and checkpoint.last is not None and place_of(items[0]) < checkpoint.last:
        raise StaleCheckpointError(Outdated.LATE)
    return items


def _known(checkpoint: Checkpoint, item: Evidence) -> bool:
    folded = checkpoint.folded.get(item.id)
    if folded is not None and folded is not item and folded != item:
        raise StaleCheckpointError(Outdated.CHANGED)
    return folded is not None


def _beyond(checkpoint: Checkpoint, evidence: Sequence[Evidence]) -> list[Evidence]:
    """What of all evidence is not folded yet, if everything folded is among it."""
    new = [item for item in evidence if not _known(checkpoint, item)]
    if len({item.id for item in evidence}) - len({item.id for item in new}) != len(checkpoint.folded):
        raise StaleCheckpointError(Outdated.GONE)
    return new
