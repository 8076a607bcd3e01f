"""Faust's way back from a rebalance, made to end well when the broker does not answer meanwhile.

After each rebalance Faust goes back to the committed offsets and lets the streams run again. After a request's time it
gives that up and goes on as if it were done, with what it had read before taken for read. And where its Kafka client
drops a request for a new rebalance, the task that does all this ends without a word: a member that works no more.
"""

from typing import Any

from faust.tables import TableManager
from faust.tables.recovery import RebalanceAgain, Recovery

__all__ = ["RebalanceAgain", "SteadyRecovery", "SteadyTables"]


class SteadyRecovery(Recovery):
    """Waits for as long as it takes, or until the next rebalance."""

    async def _wait(self, coro: Any, timeout: Any = None) -> None:  # noqa: ARG002, ASYNC109 - Faust's signature
        await super()._wait(coro)


class SteadyTables(TableManager):
    """There are no tables, but their manager is what owns the way back."""

    @property
    def recovery(self) -> Recovery:
        """The service that lets the streams run again after a rebalance."""
        if self._recovery is None:
            self._recovery = SteadyRecovery(self.app, self, beacon=self.beacon, loop=self.loop)
        return self._recovery
