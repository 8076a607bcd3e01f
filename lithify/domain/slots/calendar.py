"""The sessions of a subject, as the fold asks for them."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime

from lithify.domain.claims import Evidence
from lithify.domain.sessions import Session, fold_sessions
from lithify.domain.slots.rows import SessionKey


class SessionIndex:
    """Finds the session of a turn, and the one after it.

    Evidence outside every given session gets sessions folded from its own times, so that a slot can be
    folded before its subject's sessions are known in full.
    """

    def __init__(self, sessions: Iterable[Session], evidence: Sequence[Evidence]) -> None:
        self._arrange(set(sessions))
        lost: dict[str, list[datetime]] = {}
        for item in evidence:
            if self._find(item.session_id, item.occurred_at) is None:
                lost.setdefault(item.session_id, []).append(item.occurred_at)
        if lost:
            folded = [session for key, turns in lost.items() for session in fold_sessions(key, turns)]
            self._arrange({*self._all, *folded})

    def _arrange(self, sessions: Iterable[Session]) -> None:
        self._all = sorted(sessions, key=lambda item: (item.started_at, item.session_id, item.last_at, item.ended_at))
        self._starts = [session.started_at for session in self._all]
        self._by_id: dict[str, tuple[list[datetime], list[Session]]] = {}
        for session in self._all:
            starts, members = self._by_id.setdefault(session.session_id, ([], []))
            starts.append(session.started_at)
            members.append(session)

    def of(self, item: Evidence) -> Session:
        """The session in which `item` was said."""
        found = self._find(item.session_id, item.occurred_at)
        assert found is not None, "every item of evidence was given a session"
        return found

    def key(self, item: Evidence) -> SessionKey:
        """The key of the session in which `item` was said."""
        return self.of(item).key

    def after(self, at: datetime) -> Session | None:
        """The user's first session that starts after `at`."""
        index = bisect_right(self._starts, at)
        return self._all[index] if index < len(self._all) else None

    def _find(self, session_id: str, at: datetime) -> Session | None:
        starts, sessions = self._by_id.get(session_id, ([], []))
        for session in reversed(sessions[: bisect_right(starts, at)]):
            if session.holds(session_id, at):
                return session
        return None
