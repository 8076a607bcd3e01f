"""The concrete parts that settings choose."""

from pathlib import Path

from lithify.domain.catalog import Catalog
from pipelines.language import catalog, embedding
from pipelines.language.rules import RuleExtractor
from pipelines.settings import Settings
from workers.gateway.similarity import Embedder
from workers.gateway.understanding import Understanding


def load_catalog(settings: Settings) -> Catalog:
    """The attribute catalog. Raises ValueError where its file is wrong."""
    return catalog.load_catalog(Path(settings.catalog_path) if settings.catalog_path else None)


def load_embedder(settings: Settings) -> Embedder | None:
    """The embedder, or None where the setting says none. Raises ValueError where it cannot be loaded."""
    return embedding.load_embedder(settings.embedder)


def load_understanding(catalog_path: str | None = None) -> Understanding:
    """What reads turns before the workers do: rules alone, so that an answer never waits for a model."""
    vocabulary = catalog.load_vocabulary(Path(catalog_path) if catalog_path else None)
    return Understanding(RuleExtractor.default(vocabulary, check=True))
