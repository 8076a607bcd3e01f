"""What importance does beside its stream: end sessions, and publish again what never reached the end."""

from lithify.domain.ids import derive
from lithify.events import SessionEnded, encode, user_key
from pipelines import metrics
from pipelines.effects import Effects
from pipelines.runtime.worker import Periodic
from pipelines.settings import Settings
from pipelines.store.pool import Pool
from pipelines.store.scheduler import due
from pipelines.store.unit_of_work import unit_of_work
from pipelines.topics import Topic

WORKER = "importance"


def session_ticker(settings: Settings) -> Periodic:
    """Publishes the end of each session once: when it is past, and the user quiet or in a newer session.

    An end that was told is published as it comes; here only if turns of the session came after it.
    """

    async def tick(pool: Pool) -> None:
        rows = await due(pool, "scheduler.due_session_ends", quiet=settings.session_quiet_seconds)
        if not rows:
            return
        async with unit_of_work(pool, settings, WORKER, {row["subject_key"] for row in rows}) as unit:
            places = [{k: row[k] for k in ("tenant", "subject_key", "session_id", "started_at")} for row in rows]
            await unit.lock_known(row["subject_key"] for row in rows)
            effects = Effects()
            for row in await unit.fetch("importance.mark_ends_sent", rows=places):
                _publish_end(effects, row)
            await unit.apply(effects)
            metrics.SESSION_ENDS.inc(len(effects.messages))

    return Periodic("end sessions", settings.tick_seconds, tick)


def _publish_end(effects: Effects, row: dict[str, object]) -> None:
    tenant, user, last = str(row["tenant"]), str(row["user_id"]), str(row["last_turn_id"])
    event = SessionEnded(
        id=derive(str(row["session_id"]), last),
        tenant=tenant,
        user_id=user,
        session_id=str(row["session_id"]),
        occurred_at=row["ended_at"],  # type: ignore[arg-type]  # timestamptz, aware
        computed=True,
        last_turn_id=last,
    )
    effects.publish(Topic.TURNS, user_key(tenant, user).decode(), encode(event), str(row["subject_key"]))


def republish(settings: Settings) -> Periodic:
    """Publishes stored turns again that have not reached the end of the pipeline, under the same ids.

    What is still under way is only said twice, which changes nothing.
    """

    async def run(pool: Pool) -> None:
        rows = await due(pool, "scheduler.unfinished_turns", after=settings.reconcile_after_seconds)
        subjects = {row["subject_key"] for row in rows}
        if not subjects:
            return
        async with unit_of_work(pool, settings, WORKER, subjects) as unit:
            wanted = [{"tenant": row["tenant"], "turn_id": row["turn_id"]} for row in rows]
            effects = Effects()
            for row in await unit.fetch("importance.published_turns", rows=wanted):
                key = f"{row['tenant']}/{row['subject_key']}"
                effects.publish(Topic.SCORED, key, row["body"].encode(), row["subject_key"])
            await unit.fetch("importance.touch_turns", rows=wanted)
            await unit.apply(effects)
            metrics.REPUBLISHED.inc(len(effects.messages))

    return Periodic("publish unfinished turns again", settings.reconcile_after_seconds, run)
