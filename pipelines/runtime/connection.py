"""Connections of the Kafka client under Faust that know a closed line also on uvloop.

uvloop raises RuntimeError where a line that is closed is written to, and asyncio's own loop does not; aiokafka knows
neither (its issue 1038). What wrote ends for good: the task that keeps the client's view of the cluster, without which
no coordinator is found again.
"""

from typing import Any

import aiokafka.conn
from aiokafka.errors import KafkaConnectionError


class Connection(aiokafka.conn.AIOKafkaConnection):  # type: ignore[misc]  # aiokafka has no types
    """As aiokafka's, but a closed line is a broken connection."""

    def send(self, request: Any, expect_response: bool = True) -> Any:
        """Send a request. Raises KafkaConnectionError."""
        try:
            return super().send(request, expect_response)
        except RuntimeError as error:
            self.close(reason=aiokafka.conn.CloseReason.CONNECTION_BROKEN)
            raise KafkaConnectionError(f"Connection at {self.host}:{self.port} broken: {error}") from error


def use() -> None:
    """Let aiokafka make these."""
    aiokafka.conn.AIOKafkaConnection = Connection
