"""What came of a run: compared with a quiet one, and with a fold of the stored evidence."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import psycopg
from confluent_kafka import Consumer, TopicPartition

from benchmarks.replay import publish
from benchmarks.results import WORKERS
from lithify.events import Role, Turn
from pipelines.settings import Settings
from pipelines.topics import Topic, group_name, topic_name
from tests.chaos.lab import Field
from tests.support.fleet import Health
from tests.support.memory import MemoryProbe, Rows
from tests.support.processes import eventually
from workers.assembly import WORKERS as MAKE

_CONFLICTS = """
    select k.conflict_id::text || k.resolution as id
    from conflicts k join claims c on c.claim_id = k.claim_id and c.current
    where k.fact_claim_id not in (select claim_id::text from claims where not current)
    order by 1
"""
_IDS = {"fact_id", "claim_ids"}
_ANSWER_SECONDS = 60.0
_PROBES = 12
"""Users whose turns show that every partition moves."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that must be the same after any disturbance."""

    folded: Rows
    claims: tuple[str, ...]
    conflicts: tuple[str, ...]

    @classmethod
    def of(cls, probe: MemoryProbe) -> "Outcome":
        """What a run's database holds, less conflicts with claims that a later reading of their turn replaced.

        Whether such a conflict was ever seen depends on which events came in one batch.
        """
        claims = probe.rows("select claim_id::text as id from claims order by 1")
        conflicts = probe.rows(_CONFLICTS)
        return cls(probe.folded(), tuple(row["id"] for row in claims), tuple(row["id"] for row in conflicts))


def count_lost(probe: MemoryProbe, turns: Sequence[Turn]) -> int:
    """Turns that some worker has not applied, or that did not reach the end."""
    wanted = {turn.id for turn in turns}
    lost = wanted - {turn.turn_id for turn in probe.turns() if turn.reflected}
    inbox = probe.inbox()
    for worker in WORKERS:
        lost |= wanted - set(inbox.get(worker, ()))
    return len(lost)


def count_twice(outcome: Outcome, quiet: Outcome) -> int:
    """Claims, and conflicts between those that still count, beyond those of a quiet run."""
    more_claims = len(outcome.claims) - len(quiet.claims)
    return max(0, more_claims) + max(0, len(outcome.conflicts) - len(quiet.conflicts))


def count_differing(one: Rows, other: Rows) -> int:
    """Facts, overrides and verdicts that are not in both, alike."""
    return sum(
        one[table].get(row) != other[table].get(row)
        for table in one.keys() | other.keys()
        for row in one[table].keys() | other[table].keys()
    )


def count_unlike(one: Outcome, other: Outcome, *, model: bool) -> int:
    """Facts, overrides and verdicts that are not in both runs, alike.

    With a model only what is believed is compared: the ids of what it read tell the attempt.
    """
    if not model:
        return count_differing(one.folded, other.folded)
    here, there = _believed(one), _believed(other)
    return ((here - there) + (there - here)).total()


def _believed(outcome: Outcome) -> Counter[str]:
    rows = outcome.folded["facts"].values()
    return Counter(str({name: value for name, value in row.items() if name not in _IDS}) for row in rows)


def finished(probe: MemoryProbe, turns: Sequence[Turn], seconds: float) -> bool:
    """Whether all turns reach the end in time, and none of them waits for a model."""
    wanted = {turn.id for turn in turns}
    query = (
        "select count(*) as n from turns where reflected_at is not null and turn_id not like 'probe-%'"
        " and outcome not in ('accepted', 'failed_transient')"
    )
    return _until(lambda: int(probe.rows(query)[0]["n"]) >= len(wanted), seconds)


def drained(field: Field, seconds: float) -> bool:
    """Whether in time nothing waits for a model any more, and what came of its replies has gone all the way.

    A turn with claims of the rules has reached the end once, and may be read by the model after that.
    """
    query = "select (select count(*) from model_queue where state = 'waiting') + (select count(*) from outbox) as n"
    if not _until(lambda: int(field.probe.rows(query)[0]["n"]) == 0, seconds):
        return False
    arrived = _send_probes(field)  # they travel behind everything that was published before them
    return _until(arrived, seconds)


@dataclass(frozen=True, slots=True)
class Recovery:
    """Seconds from the end of a disturbance; None: not in time.

    Attributes:
        members: Until every member was ready and every group had applied something new.
        caught_up: Until turns published after it, by users on all partitions, had gone all the way.
    """

    members: float | None
    caught_up: float | None


def recovered(field: Field, healed: float, seconds: float) -> Recovery:
    """Publish turns after a disturbance, and see how soon everything moves, and how soon they are through."""
    before = _applied(field.probe)
    arrived = _send_probes(field)

    def moves() -> bool:
        now = _applied(field.probe)
        return _all_ready(field) and all(now.get(worker, 0) > before.get(worker, 0) for worker in WORKERS)

    members = time.monotonic() - healed if _until(moves, seconds) else None
    through = _until(arrived, seconds)
    return Recovery(members, time.monotonic() - healed if through else None)


def _send_probes(field: Field) -> Callable[[], bool]:
    """Publish a turn to every partition; returns what tells whether all of them have gone all the way."""
    probes = [_probe_turn(field.name, number) for number in range(_PROBES)]
    publish(probes, field.settings)
    ids = ", ".join(f"'{turn.id}'" for turn in probes)
    query = f"select count(*) as n from turns where reflected_at is not null and turn_id in ({ids})"
    return lambda: int(field.probe.rows(query)[0]["n"]) == len(probes)


def _applied(probe: MemoryProbe) -> dict[str, int]:
    """Events by worker; nothing while the database is away."""
    try:
        rows = probe.rows("select worker, count(*) as n from inbox group by worker")
    except psycopg.OperationalError:
        return {}
    return {row["worker"]: int(row["n"]) for row in rows}


def _all_ready(field: Field) -> bool:
    return all(member.health().ready for member in list(field.fleet.members.values()))


def unacknowledged(settings: Settings) -> int:
    """Events between the committed offsets of the four groups and the ends of their topics."""
    return sum(_behind(settings, worker, MAKE[worker](settings).source) for worker in WORKERS)


def _behind(settings: Settings, worker: str, source: Topic) -> int:
    topic = topic_name(settings, source)
    config = {"bootstrap.servers": settings.kafka_bootstrap, "group.id": group_name(settings, worker), "log_level": 0}
    consumer = Consumer({**config, "enable.auto.commit": False})
    try:
        numbers = consumer.list_topics(topic, timeout=_ANSWER_SECONDS).topics[topic].partitions
        places = consumer.committed([TopicPartition(topic, number) for number in numbers], timeout=_ANSWER_SECONDS)
        marks = {place.partition: consumer.get_watermark_offsets(place, timeout=_ANSWER_SECONDS) for place in places}
    finally:
        consumer.close()
    # No committed offset (-1001) on a partition that was read to its end is as much a fault as a low one.
    return sum(marks[place.partition][1] - max(place.offset, marks[place.partition][0]) for place in places)


def told(seen: Sequence[tuple[str, Health]], cause: str) -> str | None:
    """Whether members told of an outage: None, or the first that did not."""
    for member, health in seen:
        if health.ready or not any(cause in reason for reason in health.reasons):
            return f"{member} said {health.reasons or 'ready'}"
    return None


def ready(field: Field, seconds: float) -> bool:
    """Whether all members become ready in time."""
    return _until(lambda: _all_ready(field), seconds)


def settled(settings: Settings, seconds: float = 120.0) -> int:
    """0 if there was a moment without unacknowledged events within so many seconds (ends of sessions go on to come)."""
    return 0 if _until(lambda: unacknowledged(settings) == 0, seconds) else unacknowledged(settings)


def _probe_turn(name: str, number: int) -> Turn:
    at = datetime.now(UTC)
    return Turn(
        id=f"probe-{name}-{number}-{at.timestamp()}",
        user_id=f"probe-{number}",
        session_id="s",
        occurred_at=at,
        role=Role.USER,
        content="Thanks!",
    )


def _until(condition: Callable[[], bool], seconds: float) -> bool:
    def holds() -> bool:
        try:
            return condition()
        except psycopg.OperationalError:  # the database is away, or comes back
            return False

    return eventually(holds, seconds)
