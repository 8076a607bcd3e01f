"""The sessions of a subject, as the fold asks for them."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from copy import copy
from datetime import datetime
from operator import attrgetter

from lithify.domain.claims import Evidence
from lithify.domain.sessions import Session, fold_sessions
from lithify.domain.slots.rows import SessionKey

_BY_START = attrgetter("started_at", "session_id", "last_at", "ended_at")
_Answer = tuple[SessionKey, datetime | None]
"""The key of a session, and its end where that was asked for."""


class SessionIndex:
    """Finds the session of a turn, and the one after it.

    Evidence outside every given session gets sessions folded from its own times, so that a slot can be
    folded before its subject's sessions are known in full. The index remembers what it answered, so that it can
    tell whether sessions that become known later would have changed an answer.
    """

    def __init__(self, sessions: Iterable[Session] = (), evidence: Sequence[Evidence] = ()) -> None:
        self._given: frozenset[Session] = frozenset()
        self._given_of: dict[str, tuple[Session, ...]] = {}
        self._places: dict[str, tuple[datetime, ...]] = {}
        """When something was said, by session id."""
        self._by_id: dict[str, tuple[list[datetime], list[Session]]] = {}
        self._all: list[Session] = []
        self._starts: list[datetime] = []
        self._answers: dict[tuple[str, datetime], _Answer] = {}
        """By session id and instant."""
        self._nexts: dict[datetime, Session | None] = {}
        self._take_in(frozenset(sessions), evidence)

    def fork(self) -> "SessionIndex":
        """The same, to answer on its own."""
        index = copy(self)
        index._answers, index._nexts = self._answers.copy(), self._nexts.copy()
        return index

    def extended(self, sessions: Iterable[Session], evidence: Sequence[Evidence]) -> "SessionIndex":
        """The index of the sessions known by now, and of more evidence.

        Args:
            sessions: all of them, as if the index were built anew.
            evidence: what was not in it yet.
        """
        index = self.fork()
        index._given_of, index._places, index._by_id = self._given_of.copy(), self._places.copy(), self._by_id.copy()
        index._take_in(frozenset(sessions), evidence)
        return index

    def answers_hold(self, now: "SessionIndex") -> bool:
        """Whether `now`, extended from this one, gives every answer that this one gave."""
        moved = {key for key, known in self._by_id.items() if now._by_id[key] is not known}
        return all(
            _holds(now._find(session_id, at), *answer)
            for (session_id, at), answer in self._answers.items()
            if session_id in moved
        ) and all(_same_next(now._first_after(at), answer) for at, answer in self._nexts.items())

    def _take_in(self, given: frozenset[Session], evidence: Sequence[Evidence]) -> None:
        """Arrange anew the session ids of which a session changed, or under which more was said."""
        fresh, gone = given - self._given, self._given - given
        touched = {session.session_id for session in gone}
        for session in gone:
            kept = tuple(other for other in self._given_of[session.session_id] if other != session)
            self._given_of[session.session_id] = kept
        for session in fresh:
            touched.add(session.session_id)
            self._given_of[session.session_id] = (*self._given_of.get(session.session_id, ()), session)
        for item in evidence:
            touched.add(item.session_id)
            self._places[item.session_id] = (*self._places.get(item.session_id, ()), item.occurred_at)
        self._given = given
        for key in touched:
            self._arrange(key)
        self._all = [session for session in self._all if session.session_id not in touched]
        self._all += [session for key in touched for session in self._by_id[key][1]]
        self._all.sort(key=_BY_START)
        self._starts = [session.started_at for session in self._all]

    def _arrange(self, session_id: str) -> None:
        sessions = self._given_of.get(session_id, ())
        places = self._places.get(session_id, ())
        lost = [at for at in places if not any(session.holds(session_id, at) for session in sessions)]
        if lost:
            sessions = tuple({*sessions, *fold_sessions(session_id, lost)})
        members = sorted(sessions, key=_BY_START)
        if members != self._by_id.get(session_id, ((), ()))[1]:
            self._by_id[session_id] = ([session.started_at for session in members], members)

    def of(self, item: Evidence) -> Session:
        """The session in which `item` was said."""
        found = self._find(item.session_id, item.occurred_at)
        assert found is not None, "every item of evidence was given a session"
        self._answers[item.session_id, item.occurred_at] = (found.key, found.ended_at)
        return found

    def key(self, item: Evidence) -> SessionKey:
        """The key of the session in which `item` was said."""
        place = (item.session_id, item.occurred_at)
        answer = self._answers.get(place)
        if answer is None:
            found = self._find(*place)
            assert found is not None, "every item of evidence was given a session"
            answer = self._answers[place] = (found.key, None)
        return answer[0]

    def after(self, at: datetime) -> Session | None:
        """The user's first session that starts after `at`."""
        found = self._nexts[at] = self._first_after(at)
        return found

    def _first_after(self, at: datetime) -> Session | None:
        index = bisect_right(self._starts, at)
        return self._all[index] if index < len(self._all) else None

    def _find(self, session_id: str, at: datetime) -> Session | None:
        starts, sessions = self._by_id.get(session_id, ([], []))
        for session in reversed(sessions[: bisect_right(starts, at)]):
            if session.holds(session_id, at):
                return session
        return None


def _holds(found: Session | None, key: SessionKey, end: datetime | None) -> bool:
    return found is not None and found.key == key and end in (None, found.ended_at)


def _same_next(found: Session | None, answer: Session | None) -> bool:
    if found is None or answer is None:
        return found is answer
    return found.key == answer.key and found.ended_at == answer.ended_at
