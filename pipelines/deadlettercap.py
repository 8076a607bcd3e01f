"""The cap on dead letters: past it the release is at fault rather than the events, and the worker stops.

What outsiders publish is theirs to get wrong: a flood of broken JSON on the first topic stops nobody. Counted is what
points at us: an event that makes the worker raise, one that the database refuses, and anything at all that is wrong on
a topic which only workers write.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from pipelines.failures import Cause, Poison
from pipelines.runtime.worker import Record
from pipelines.settings import Settings
from pipelines.topics import Topic, topic_name

_OURS = {Cause.UNEXPECTED, Cause.REJECTED_BY_STORE}


class TooManyDeadLetters(Exception):  # noqa: N818 - the word of the field
    """Stop: so many events failed that the release must be looked at. Those at hand stay unacknowledged."""


class _Refused(Protocol):
    @property
    def record(self) -> Record: ...

    @property
    def poison(self) -> Poison: ...


class DeadLetterCap:
    """Counts over a sliding window; of one worker process.

    Args:
        settings: number and share of dead letters, and the window.
        clock: monotonic seconds.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = settings.dead_letter_cap
        self._share = settings.dead_letter_cap_share
        self._window = settings.dead_letter_cap_window_seconds
        self._turns = topic_name(settings, Topic.TURNS)
        self._clock = clock
        self._done: deque[tuple[float, int]] = deque()
        self._dead: deque[float] = deque()
        self._total = 0

    def admit(self, refused: Sequence[_Refused]) -> None:
        """Ask before events become dead letters.

        Raises:
            TooManyDeadLetters: with these there are more than `dead_letter_cap` in the window, and they are more than
                `dead_letter_cap_share` of all events in it.
        """
        ours = [one for one in refused if self._counts(one)]
        if not ours or not self._most:
            return
        self._forget()
        dead = len(self._dead) + len(ours)
        of = max(self._total, len(self._dead)) + len(ours)
        if dead > self._most and dead > self._share * of:
            raise TooManyDeadLetters(
                f"{dead} of the last {of} events would be dead letters, the latest for {ours[-1].poison}"
            )

    def died(self, refused: Sequence[_Refused]) -> None:
        """These became dead letters."""
        self._dead.extend(self._clock() for one in refused if self._counts(one))

    def processed(self, count: int) -> None:
        """So many events are done with, dead letters among them."""
        self._forget()
        self._done.append((self._clock(), count))
        self._total += count

    def _counts(self, one: _Refused) -> bool:
        return one.poison.cause in _OURS or one.record.topic != self._turns

    def _forget(self) -> None:
        start = self._clock() - self._window
        while self._dead and self._dead[0] < start:
            self._dead.popleft()
        while self._done and self._done[0][0] < start:
            self._total -= self._done.popleft()[1]
