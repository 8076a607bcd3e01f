"""The wire models: what is on each topic. Decoding is validation.

`lithify-turns` carries flat, plain JSON that any language can write (`inbound`). Every topic after it carries an
`Envelope` whose body is one of `bodies`: the envelope stays readable when bodies are encrypted.
"""

from lithify.events.bodies import (
    BODIES,
    Body,
    CommandAccepted,
    DeadLetter,
    DeadLetterClosed,
    Decision,
    Reject,
    SessionClosed,
    SlotChanged,
    TurnBefore,
    TurnDecided,
    TurnExtracted,
    TurnScored,
)
from lithify.events.envelope import Envelope, VersionUnknownError
from lithify.events.inbound import Command, CommandName, Inbound, Role, SessionEnded, Turn, encode, user_key

__all__ = [
    "BODIES",
    "Body",
    "Command",
    "CommandAccepted",
    "CommandName",
    "DeadLetter",
    "DeadLetterClosed",
    "Decision",
    "Envelope",
    "Inbound",
    "Reject",
    "Role",
    "SessionClosed",
    "SessionEnded",
    "SlotChanged",
    "Turn",
    "TurnBefore",
    "TurnDecided",
    "TurnExtracted",
    "TurnScored",
    "VersionUnknownError",
    "encode",
    "user_key",
]
