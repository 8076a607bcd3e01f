"""The pipeline with a model: the workers of production, and the asker beside them, driven by hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from lithify.events import Turn
from pipelines.envelope import PlainCodec
from pipelines.language.llm.breaker import Breaker
from pipelines.language.rules import RuleExtractor
from pipelines.metrics import REGISTRY
from pipelines.runtime.worker import Worker
from tests.support.pipeline import Pipeline, at, open_pool, settings_for
from tests.support.servers import Database
from workers.assembly import asker as make_asker
from workers.assembly import conflict, importance, reflection, vocabulary
from workers.extraction.asking import Asker
from workers.extraction.worker import ExtractionWorker


@dataclass
class ModelPipeline(Pipeline):
    """A pipeline whose extraction asks a model."""

    asker: Asker | None = None

    async def ask(self, *, without: str | None = None) -> None:
        """Let the asker work once, and the workers on what comes of it; all but one that is to fall behind."""
        assert self.asker is not None
        await self.asker.run(self.pool)
        await self.run(without=without)

    async def later(self, *, workers: bool = True) -> None:
        """What was put off is due now, and the model may be asked again; then the workers work, or not."""
        assert self.asker is not None
        self.asker.breaker = Breaker()
        self.rows("update model_queue set due_at = now() - interval '1 second' where state = 'waiting'")
        if workers:
            await self.ask()
        else:
            await self.asker.run(self.pool)

    def outcomes(self) -> dict[str, str]:
        """Of every turn."""
        return {row["turn_id"]: row["outcome"] for row in self.rows("select turn_id, outcome from turns")}

    def believed(self) -> set[tuple[str, str, str]]:
        """Subject, attribute and value of every fact that holds."""
        rows = self.rows(
            "select subject, attribute, value from facts where sys_to is null and valid_to is null and not corrected"
        )
        return {(row["subject"], row["attribute"], row["value"]) for row in rows}


@asynccontextmanager
async def model_pipeline(database: Database, url: str, **changes: str) -> AsyncIterator[ModelPipeline]:
    """A pipeline on `database` whose model is at `url`; turns are due for it at once."""
    usual = {"model_url": url, "model_name": "stub", "model_wait_seconds": "0", "model_timeout_seconds": "60"}
    settings = settings_for(database, **(usual | {"model_min_importance": "1"} | changes))
    words = vocabulary(settings)
    rules = RuleExtractor.default(words)
    asker = make_asker(settings, words, rules)
    assert asker is not None
    pool = await open_pool(settings)
    extraction = ExtractionWorker(PlainCodec(), rules, "rules-1", asker)
    workers: list[Worker[Any]] = [importance(settings), extraction, conflict(settings), reflection(settings)]
    try:
        yield ModelPipeline(settings, pool, database.superuser_url, workers, asker=asker)
    finally:
        await asker.client.close()
        await pool.close()


def said(content: str, turn_id: str = "t1", **more: str) -> Turn:
    """A turn of one user in one session."""
    fields = {"user_id": "ana", "session_id": "s1", "role": "user"} | more
    return Turn(id=turn_id, occurred_at=at("2026-03-01 10:00"), content=content, **fields)  # type: ignore[arg-type]


def metric(name: str, **labels: str) -> float:
    """The present value of a metric; 0 where it was never touched."""
    return REGISTRY.get_sample_value(name, labels) or 0.0
