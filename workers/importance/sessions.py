"""Sessions of the batch: loaded, merged with its turns and ends, and written back."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lithify.domain.sessions import Session, fold_sessions, merge_stretches
from lithify.events import SessionClosed, TurnScored
from pipelines.effects import Effects, Row
from pipelines.store.unit_of_work import UnitOfWork
from workers.importance.scoring import Scored

Conversation = tuple[str, str, str]
"""(tenant, subject key, session id)."""
Mark = tuple[datetime, int, str]
"""Event time, index and id of a turn: its place in the session."""


@dataclass(slots=True)
class _Course:
    """What is known of one conversation."""

    stored: list[dict[str, Any]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    """Turns of the batch."""
    ends: set[datetime] = field(default_factory=set)
    new_ends: set[datetime] = field(default_factory=set)


async def move_sessions(unit: UnitOfWork, effects: Effects, fresh: Sequence[Scored]) -> set[tuple[str, str]]:
    """Add the session rows that the batch changes.

    Returns:
        Keys of computed session ends that are void: a turn has come since they were computed.
    """
    courses = _courses(fresh)
    if not courses:
        return set()
    await _load(unit, courses)
    for place, course in courses.items():
        if course.marks or course.new_ends:
            await _move(unit, effects, place, course)
    return _void(fresh, courses)


def _courses(fresh: Sequence[Scored]) -> dict[Conversation, _Course]:
    courses: dict[Conversation, _Course] = defaultdict(_Course)
    for item in fresh:
        place = _conversation(item)
        body = item.body
        if isinstance(body, TurnScored):
            courses[place].marks.append((item.received.occurred_at, body.index, body.turn_id))
        elif isinstance(body, SessionClosed):
            course = courses[place]
            if not body.computed:
                course.new_ends.add(body.ended_at)
    return courses


def _conversation(item: Scored) -> Conversation:
    return (item.key[0], item.received.subject_key, item.body.session_id)


def _rows(courses: dict[Conversation, _Course]) -> list[Row]:
    return [{"tenant": t, "subject_key": k, "session_id": s} for t, k, s in courses]


async def _load(unit: UnitOfWork, courses: dict[Conversation, _Course]) -> None:
    rows = _rows(courses)
    for row in await unit.fetch("importance.sessions_of", rows=rows):
        courses[row["tenant"], row["subject_key"], row["session_id"]].stored.append(row)
    for row in await unit.fetch("importance.ends_of", rows=rows):
        courses[row["tenant"], row["subject_key"], row["session_id"]].ends.add(row["ended_at"])


async def _move(unit: UnitOfWork, effects: Effects, place: Conversation, course: _Course) -> None:
    late = {end for end in course.new_ends if any(row["started_at"] <= end < row["last_at"] for row in course.stored)}
    times = [at for at, _, _ in course.marks]
    ends = course.ends | course.new_ends
    if late:
        # The end falls inside a stretch: only its turns can say how it parts.
        turns = await unit.fetch("importance.turn_times", rows=_rows({place: course}))
        folded = fold_sessions(place[2], [*times, *(row["occurred_at"] for row in turns)], ends)
        course.marks += [(row["occurred_at"], row["turn_index"], row["turn_id"]) for row in turns]
    else:
        stretches = [(row["started_at"], row["last_at"]) for row in course.stored]
        folded = merge_stretches(place[2], [*stretches, *((at, at) for at in times)], ends)
    _write(effects, place, course, folded)


def _write(effects: Effects, place: Conversation, course: _Course, folded: list[Session]) -> None:
    key = {"tenant": place[0], "subject_key": place[1], "session_id": place[2]}
    before = {row["started_at"]: row for row in course.stored}
    changed = [session for session in folded if _differs(before.get(session.started_at), session)]
    gone = before.keys() - {session.started_at for session in folded}
    effects.write("importance.delete_sessions", *({**key, "started_at": at} for at in sorted(gone)))
    effects.write("importance.upsert_sessions", *(_session_row(key, course, session) for session in changed))
    effects.write("importance.insert_ends", *({**key, "ended_at": end} for end in sorted(course.new_ends)))


def _differs(stored: dict[str, Any] | None, session: Session) -> bool:
    return stored is None or (stored["last_at"], stored["ended_at"], stored["explicit"]) != (
        session.last_at,
        session.ended_at,
        session.explicit,
    )


def _session_row(key: Row, course: _Course, session: Session) -> Row:
    marks = [mark for mark in course.marks if session.started_at <= mark[0] <= session.last_at]
    marks += [
        (row["last_at"], row["last_turn_index"], row["last_turn_id"])
        for row in course.stored
        if session.started_at <= row["last_at"] <= session.last_at
    ]
    _, index, turn_id = max(marks)
    told = session.explicit and session.ended_at in course.new_ends
    return {
        **key,
        "started_at": session.started_at,
        "last_at": session.last_at,
        "ended_at": session.ended_at,
        "explicit": session.explicit,
        "last_turn_id": turn_id,
        "last_turn_index": index,
        "end_sent_for": turn_id if told else None,
    }


def _void(fresh: Sequence[Scored], courses: dict[Conversation, _Course]) -> set[tuple[str, str]]:
    void = set()
    for item in fresh:
        body = item.body
        if isinstance(body, SessionClosed) and body.computed:
            course = courses.get(_conversation(item), _Course())
            last = {row["last_turn_id"] for row in course.stored}
            later = any(mark[2] not in last for mark in course.marks)
            if body.last_turn_id not in last or later:
                void.add(item.key)
    return void
