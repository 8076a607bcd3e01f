"""Episodes of the sessions that ended in a batch."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from lithify.domain.episodes import Episode, EpisodeTurn, summarise
from lithify.events import SessionClosed
from pipelines import metrics
from pipelines.effects import Effects
from pipelines.envelope import Event
from pipelines.language.model import RejectCode
from pipelines.store.unit_of_work import UnitOfWork

NOT_MEANT = [
    RejectCode.HYPOTHETICAL,
    RejectCode.JOKE,
    RejectCode.QUOTE,
    RejectCode.FICTION,
    RejectCode.ROLE_PLAY,
    RejectCode.INJECTION,
    RejectCode.MEMORY,
]
"""Quoted in a summary, such words would read as if they had been meant."""
Place = tuple[str, str, str, Any]
"""(tenant, subject key, session id, start of the stretch)."""


async def keep_episodes(unit: UnitOfWork, effects: Effects, ends: Sequence[Event[SessionClosed]]) -> None:
    """Write the episode of each ended session. One that moved on since then is made again at its next end."""
    rows = [
        {
            "tenant": event.envelope.tenant,
            "subject_key": event.envelope.subject_key,
            "session_id": event.body.session_id,
            "ended_at": event.body.ended_at,
        }
        for event in ends
    ]
    if not rows:
        return
    sessions: dict[Place, list[dict[str, Any]]] = defaultdict(list)
    for row in await unit.fetch("reflection.turns_of_sessions", rows=rows, not_meant=NOT_MEANT):
        sessions[row["tenant"], row["subject_key"], row["session_id"], row["started_at"]].append(row)
    for place, turns in sessions.items():
        episode = summarise(place[1], place[2], [_turn(row) for row in turns], turns[0]["ended_at"])
        if episode is not None:
            effects.write("reflection.forget_vectors", {"tenant": place[0], "item_id": episode.id})
            effects.write("reflection.upsert_episodes", _row(place, episode))
            effects.changed_subjects.add(place[1])
            effects.count(metrics.EPISODES)


def _turn(row: dict[str, Any]) -> EpisodeTurn:
    speaker = row["speaker"] or row["role"]
    return EpisodeTurn(row["turn_id"], row["occurred_at"], speaker, row["content"], row["importance"])


def _row(place: Place, episode: Episode) -> dict[str, Any]:
    return {
        "tenant": place[0],
        "subject_key": place[1],
        "session_id": place[2],
        "episode_id": episode.id,
        "started_at": episode.started_at,
        "ended_at": episode.ended_at,
        "summary": episode.summary,
        "importance": episode.importance,
        "turn_ids": list(episode.turn_ids),
    }
