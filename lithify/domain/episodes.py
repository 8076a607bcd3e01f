"""Episodes: what is kept of a session once it has ended, without a model's help."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lithify.domain.ids import derive

SUMMARY_CHARACTERS = 600
"""An episode's summary is at most this long."""
WORTH_KEEPING = 4
"""A session whose most important turn scores less leaves no episode: small talk is not remembered."""


@dataclass(frozen=True, slots=True)
class EpisodeTurn:
    """A turn as an episode sees it."""

    turn_id: str
    occurred_at: datetime
    speaker: str
    content: str
    importance: int
    """1 to 10."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One coherent stretch of a session."""

    id: str
    started_at: datetime
    ended_at: datetime
    summary: str
    importance: int
    """Of its most important turn."""
    turn_ids: tuple[str, ...]
    """The turns that the summary quotes, in order."""


def summarise(subject_key: str, session_id: str, turns: Sequence[EpisodeTurn], ended_at: datetime) -> Episode | None:
    """Make the episode of one session.

    The summary quotes the most important turns, the earlier first among equals, as many as fit, in the order in which
    they were said. The same turns give the same episode, with the same id.

    Returns:
        None if nothing in the session is worth keeping.
    """
    ordered = sorted(turns, key=lambda turn: (turn.occurred_at, turn.turn_id))
    best = max((turn.importance for turn in ordered), default=0)
    if best < WORTH_KEEPING:
        return None
    chosen: list[EpisodeTurn] = []
    left = SUMMARY_CHARACTERS
    for turn in sorted(ordered, key=lambda turn: -turn.importance):
        cost = len(_line(turn)) + 1
        if turn.importance >= WORTH_KEEPING and cost <= left:
            chosen.append(turn)
            left -= cost
    if not chosen:
        chosen = [max(ordered, key=lambda turn: turn.importance)]
    chosen.sort(key=ordered.index)
    summary = "\n".join(_line(turn) for turn in chosen)[:SUMMARY_CHARACTERS]
    start = ordered[0].occurred_at
    episode_id = derive("episode", subject_key, session_id, start.isoformat())
    return Episode(episode_id, start, ended_at, summary, best, tuple(turn.turn_id for turn in chosen))


def _line(turn: EpisodeTurn) -> str:
    return f"{turn.speaker}: {' '.join(turn.content.split())}"
