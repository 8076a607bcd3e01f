"""The golden traces through the real workers: shuffled, delivered twice, in small batches."""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from lithify.domain.catalog import Catalog
from lithify.domain.claims import Claim, Command
from lithify.domain.policy import Policy
from lithify.events import Command as CommandEvent
from lithify.events import CommandName, Inbound, Role, SessionEnded, Turn
from pipelines.envelope import PlainCodec
from pipelines.language.model import Extraction, TurnText
from pipelines.slots.folding import Folder
from tests.integration.pipeline.conftest import NOW, FixedImportance, NoRedaction
from tests.support import traces
from tests.support.pipeline import Pipeline, open_pool, settings_for
from tests.support.servers import Database
from tests.support.traces import Trace
from workers.conflict.worker import ConflictWorker
from workers.extraction.worker import ExtractionWorker
from workers.importance.scoring import Scorer
from workers.importance.worker import ImportanceWorker
from workers.reflection.due import Reflector
from workers.reflection.worker import ReflectionWorker


class TraceExtractor:
    """Finds in each turn the claims that the trace says are in it."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def extract(self, turn: TurnText, before: TurnText | None) -> Extraction:  # noqa: ARG002
        """The turn's claims."""
        mine = (item for item in self._trace.evidence if isinstance(item, Claim) and item.turn_id == turn.turn_id)
        return Extraction(tuple(mine))


Run = Callable[[Trace], Awaitable[Pipeline]]


@pytest.fixture
async def run(database: Database) -> AsyncIterator[Run]:
    settings = settings_for(database)
    pool = await open_pool(settings)

    async def through(trace: Trace) -> Pipeline:
        codec = PlainCodec()
        folder = Folder(Catalog({trace.attribute.key: trace.attribute}), Policy())
        scorer = Scorer(NoRedaction(), lambda _text: FixedImportance(), "UTC")
        workers = (
            ImportanceWorker(settings, codec, scorer, clock=lambda: NOW.replace(year=2036)),
            ExtractionWorker(codec, TraceExtractor(trace), "trace"),
            ConflictWorker(codec, folder),
            ReflectionWorker(codec, Reflector(folder, codec)),
        )
        pipeline = Pipeline(settings, pool, database.superuser_url, workers)
        events = events_of(trace)
        shuffled = events + events
        random.Random(trace.name).shuffle(shuffled)
        pipeline.publish(*shuffled)
        await pipeline.run(batch=3)
        return pipeline

    yield through
    await pool.close()


def events_of(trace: Trace) -> list[Inbound]:
    """The trace's turns, commands and explicit session ends."""
    events: dict[str, Inbound] = {}
    for turn_id, session, at in trace.turns:
        where: dict[str, Any] = {"id": turn_id, "user_id": "ana", "session_id": session, "occurred_at": at}
        events[turn_id] = Turn(**where, role=Role.USER, content="as the trace says")
    for item in trace.evidence:
        if isinstance(item, Command):
            events[item.turn_id] = CommandEvent(
                id=item.turn_id,
                user_id="ana",
                session_id=item.session_id,
                occurred_at=item.occurred_at,
                command=CommandName(item.kind),
                attribute=item.attribute,
                value=item.value,
            )
    ends = [
        SessionEnded(id=f"end-{session}", user_id="ana", session_id=session, occurred_at=at)
        for session, at in trace.ends
    ]
    return [*events.values(), *ends]


def stored(pipeline: Pipeline) -> dict[str, list[str]]:
    """What the tables hold, as text, each kind in a stable order."""
    minute = "to_char({} at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI')"
    side = "case polarity when 'negative' then 'not ' else '' end || value"
    start, stop = minute.format("valid_from"), minute.format("valid_to")
    first, last = minute.format("started_at"), minute.format("ends_at")
    statements = {
        "facts": f"select concat_ws('|', {side}, {start}, {stop}, nullif(corrected, false)) as row from facts",
        "overrides": f"select concat_ws('|', {side}, {first}, {last}, end_rule, session_id) as row from overrides",
        "verdicts": f"select trim(kind || '/' || rule || ' ' || {side}) as row from verdicts",
    }
    return {
        name: sorted(row["row"] for row in pipeline.rows(f"{statement} where sys_to is null"))
        for name, statement in statements.items()
    }


def expected(trace: Trace) -> dict[str, list[str]]:
    def line(row: dict[str, Any], *names: str) -> str:
        values = [row.get(name) for name in names]
        return "|".join("t" if value is True else str(value) for value in values if value is not None)

    return {
        "facts": sorted(line(row, "value", "from", "to", "corrected") for row in trace.expect["facts"]),
        "overrides": sorted(line(row, "value", "from", "to", "rule", "session") for row in trace.expect["overrides"]),
        "verdicts": sorted(trace.expect["verdicts"]),
    }


@pytest.mark.parametrize("path", traces.paths(), ids=lambda path: path.stem)
async def test_trace_through_the_workers(run: Run, path: Path) -> None:
    trace = traces.load(path)
    pipeline = await run(trace)
    assert stored(pipeline) == expected(trace)
    assert len(pipeline.rows("select distinct conflict_id from conflicts")) >= trace.expect["conflicts"]
