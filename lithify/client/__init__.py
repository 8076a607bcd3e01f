"""The client: publish turns and commands, read context, facts and explanations.

    from lithify.client import Lithify

    with Lithify("http://127.0.0.1:8088") as memory:
        memory.add_turn("ada", "s1", "I am vegetarian.")
        print(memory.context("ada", session_id="s1", query="Where shall we eat?").block)

`AsyncLithify` has the same methods, awaited. Nothing here reads the environment.
"""

from lithify.client.asynchronous import AsyncLithify
from lithify.client.errors import (
    BudgetTooSmall,
    Invalid,
    LithifyError,
    NotFound,
    StillAccepted,
    Unauthorized,
    Unavailable,
)
from lithify.client.kafka import KafkaPublisher
from lithify.client.synchronous import Lithify
from lithify.events import Turn
from lithify.events.api import (
    Accepted,
    ContextTurn,
    Explanation,
    FactsReply,
    Provenance,
    TurnOutcome,
)
from lithify.events.api import ContextReply as Context

__all__ = [
    "Accepted",
    "AsyncLithify",
    "BudgetTooSmall",
    "Context",
    "ContextTurn",
    "Explanation",
    "FactsReply",
    "Invalid",
    "KafkaPublisher",
    "Lithify",
    "LithifyError",
    "NotFound",
    "Provenance",
    "StillAccepted",
    "Turn",
    "TurnOutcome",
    "Unauthorized",
    "Unavailable",
]
