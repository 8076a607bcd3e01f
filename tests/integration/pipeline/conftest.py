"""The whole pipeline on a test's database."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from lithify.domain.catalog import Attribute, AttributeKind, Catalog
from lithify.domain.claims import Cardinality
from lithify.domain.policy import Policy
from pipelines.envelope import PlainCodec
from pipelines.language.model import Owner, Redacted
from pipelines.slots.folding import Folder
from tests.support.pipeline import Pipeline, open_pool, settings_for
from tests.support.scripted import ScriptedExtractor
from tests.support.servers import Database
from workers.assembly import WORKERS
from workers.conflict.worker import ConflictWorker
from workers.extraction.worker import ExtractionWorker
from workers.importance.scoring import Scorer
from workers.importance.worker import ImportanceWorker
from workers.reflection.due import Reflector
from workers.reflection.worker import ReflectionWorker

CATALOG = Catalog(
    {
        "diet": Attribute("diet", AttributeKind.PREFERENCE, Cardinality.SINGLE, "diet", "饮食"),
        "home": Attribute("home", AttributeKind.STATE, Cardinality.SINGLE, "home", "住处"),
        "likes": Attribute("likes", AttributeKind.PREFERENCE, Cardinality.MULTI, "likes", "喜好"),
    }
)
NOW = datetime(2026, 6, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FixedImportance:
    """Every turn matters as much."""

    score: int = 5
    reasons: tuple[str, ...] = ("test",)


class NoRedaction:
    """Texts as they are."""

    def redact(self, text: str, owner: Owner = Owner(), cue: str = "") -> Redacted:  # noqa: ARG002, B008
        """The text."""
        return Redacted(text)


@pytest.fixture
async def pipeline(database: Database) -> AsyncIterator[Pipeline]:
    settings = settings_for(database)
    pool = await open_pool(settings)
    codec = PlainCodec()
    folder = Folder(CATALOG, Policy())
    scorer = Scorer(NoRedaction(), lambda _text: FixedImportance(), "UTC")
    workers = (
        ImportanceWorker(settings, codec, scorer, clock=lambda: NOW),
        ExtractionWorker(codec, ScriptedExtractor(), ScriptedExtractor.version),
        ConflictWorker(codec, folder),
        ReflectionWorker(codec, Reflector(folder, codec)),
    )
    yield Pipeline(settings, pool, database.superuser_url, workers)
    await pool.close()


@pytest.fixture
async def rules(database: Database) -> AsyncIterator[Pipeline]:
    """The workers as they run in production, rule extractor and all."""
    settings = settings_for(database)
    pool = await open_pool(settings)
    yield Pipeline(settings, pool, database.superuser_url, [make(settings) for make in WORKERS.values()])
    await pool.close()
