"""The one place that wires concrete parts together."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lithify.domain.policy import Policy
from pipelines.envelope import Codec, PlainCodec
from pipelines.language.catalog import Vocabulary, load_vocabulary
from pipelines.language.embedding import load_embedder
from pipelines.language.importance import importance_scorer
from pipelines.language.rules import RuleExtractor
from pipelines.policy import load_policy
from pipelines.redaction import load_redactor
from pipelines.runtime.worker import Worker
from pipelines.settings import Settings
from pipelines.slots.folding import Folder, Shadow
from workers.conflict.worker import ConflictWorker
from workers.extraction.asking import Asker
from workers.extraction.reading import ModelReading
from workers.extraction.settling import Settler
from workers.extraction.worker import ExtractionWorker
from workers.importance.scoring import Scorer
from workers.importance.worker import ImportanceWorker
from workers.reflection.due import Reflector
from workers.reflection.embedding import embed_new
from workers.reflection.worker import ReflectionWorker


def codec() -> Codec:
    """How bodies travel."""
    return PlainCodec()


def vocabulary(settings: Settings) -> Vocabulary:
    """The attribute catalog and its words."""
    return load_vocabulary(Path(settings.catalog_path) if settings.catalog_path else None)


def folder(settings: Settings) -> Folder:
    """What folds slots under the live policy."""
    shadow = Shadow(policy(settings.shadow_policy_path)) if settings.shadow_policy_path else None
    return Folder(vocabulary(settings).catalog, policy(settings.policy_path), shadow)


def policy(path: str | None) -> Policy:
    """A policy file's numbers; None: the default. Raises PolicyError."""
    return load_policy(Path(path) if path else None)


def reflector(settings: Settings) -> Reflector:
    """What publishes due changes."""
    return Reflector(folder(settings), codec())


def importance(settings: Settings) -> ImportanceWorker:
    """The first stage."""
    scorer = Scorer(load_redactor(settings), importance_scorer().score, settings.timezone)
    return ImportanceWorker(settings, codec(), scorer)


def extraction(settings: Settings) -> ExtractionWorker:
    """The second stage."""
    words = vocabulary(settings)
    extractor = RuleExtractor.default(words, check=True)
    return ExtractionWorker(codec(), extractor, "rules-1", asker(settings, words, extractor))


def asker(settings: Settings, words: Vocabulary, rules: RuleExtractor) -> Asker | None:
    """What asks the model; None where rules alone read turns."""
    mode, url, model = settings.reads_with, settings.model_url, settings.model_name
    if mode == "rules" or url is None or model is None:
        return None
    from pipelines.language.llm.client import ModelClient  # noqa: PLC0415 - openai takes a second to load

    reading = ModelReading(
        words,
        rules,
        mode=mode,
        model=model,
        min_importance=settings.model_min_importance,
        budget=settings.model_batch_tokens,
    )
    client = ModelClient(
        url,
        model,
        settings.model_key.get_secret_value() if settings.model_key else None,
        structure=settings.model_structure,
        timeout=settings.model_timeout_seconds,
        reply_tokens=settings.model_reply_tokens,
    )
    settler = Settler(reading, Folder(words.catalog, policy(settings.policy_path)), codec(), settings.model_attempts)
    return Asker(settings, reading, settler, client, codec())


def conflict(settings: Settings) -> ConflictWorker:
    """The third stage."""
    return ConflictWorker(codec(), folder(settings), vocabulary(settings))


def reflection(settings: Settings) -> ReflectionWorker:
    """The last stage."""
    embedder = load_embedder(settings.embedder, threads=1)
    periodics = () if embedder is None else (embed_new(settings, embedder),)
    return ReflectionWorker(codec(), reflector(settings), periodics)


WORKERS: dict[str, Callable[[Settings], Worker[Any]]] = {
    "importance": importance,
    "extraction": extraction,
    "conflict": conflict,
    "reflection": reflection,
}
