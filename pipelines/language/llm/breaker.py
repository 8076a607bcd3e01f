"""A circuit breaker: a model that keeps failing is left alone for a while. Pure, but for its state."""

import random
from collections.abc import Callable
from dataclasses import dataclass

FAILURES = 5
"""Transient failures in a row that open it."""
FIRST_PAUSE, LONGEST_PAUSE = 15.0, 45.0
"""Seconds; doubled for each probe that fails. A probe is one call; reading goes on within a minute of its answer."""


def backoff(attempt: int, first: float, longest: float, chance: Callable[[], float] = random.random) -> float:
    """Seconds to wait before attempt `attempt` + 1: doubled each time, and spread over its upper half."""
    return min(first * 2.0 ** min(max(attempt - 1, 0), 60), longest) * (0.5 + chance() / 2)


@dataclass(slots=True)
class Breaker:
    """Closed: calls go out. Open: none do, until its time. Then one probe decides.

    Times are monotonic seconds of the caller's clock.
    """

    failures: int = 0
    """Failures in a row."""
    open_until: float | None = None
    trips: int = 0
    """How often it opened since the last success."""
    probing: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the last word is a failure: no call, or only one probe, goes out."""
        return self.open_until is not None

    def allows(self, now: float) -> bool:
        """Whether a call may go out now; where it is a probe, it is the only one until its result is told."""
        if self.open_until is None:
            return True
        if now < self.open_until or self.probing:
            return False
        self.probing = True
        return True

    def succeeded(self) -> None:
        """A call was answered."""
        self.failures = self.trips = 0
        self.open_until, self.probing = None, False

    def failed(self, now: float, *, hold: float | None = None) -> None:
        """A call failed.

        Args:
            now: the time.
            hold: seconds the endpoint asked for (Retry-After), or that a fault of settings is worth: opens at once.
        """
        self.failures += 1
        if hold is None and self.failures < FAILURES and not self.probing:
            return
        self.trips += 1
        pause = backoff(self.trips, FIRST_PAUSE, LONGEST_PAUSE)
        self.open_until = max(now + max(pause if hold is None else hold, 0.0), self.open_until or now)
        self.probing = False

    def forget_probe(self) -> None:
        """The probe came to nothing that says anything of the endpoint, such as a stop."""
        self.probing = False
