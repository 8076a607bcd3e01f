"""Real input for acceptance tests: dialogues in LoCoMo's format, and markers that tell when a stack is through."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from benchmarks.locomo import Dialogue, load_dialogues
from benchmarks.throughput import default_file
from lithify.events import Role, Turn

_MARKER = "marker-"


def dialogues() -> list[Dialogue]:
    """Those of the file that LITHIFY_LOCOMO names, of the real one beside the checkout, or of our own."""
    named = os.environ.get("LITHIFY_LOCOMO")
    return load_dialogues(Path(named) if named else default_file())


def markers(turns: Sequence[Turn]) -> list[Turn]:
    """One new turn a user, which says nothing.

    Every topic keeps the order of a user's events, so a marker that has reached the end was preceded by whatever was
    published for that user before it.
    """
    users = dict.fromkeys((turn.tenant, turn.user_id) for turn in turns)
    return [
        Turn(
            id=f"{_MARKER}{uuid4()}",
            tenant=tenant,
            user_id=user,
            session_id=f"{user}/marker",
            occurred_at=datetime(2026, 1, 1, tzinfo=UTC),
            role=Role.SYSTEM,
            content="marker",
        )
        for tenant, user in users
    ]


def is_marker(turn_id: str) -> bool:
    """Whether a turn is one of `markers`."""
    return turn_id.startswith(_MARKER)
