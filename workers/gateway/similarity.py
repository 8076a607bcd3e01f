"""Cosines of a question with what is remembered; bounded in time, and honest when there are none."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lithify.domain.fusion import rescale
from lithify.events.api import Notice
from workers.gateway.state import Vectors

WITHIN_SECONDS = 0.5
NO_EMBEDDER = Notice(code="no_embedder", detail="no embedding model is set: recalled by words and recency alone")
SLOW = Notice(code="embedder_slow", detail="embedding the query took too long: recalled by words and recency alone")
FAILED = Notice(code="embedder_failed", detail="embedding the query failed: recalled by words and recency alone")


class Embedder(Protocol):
    """Turns texts into vectors of one model."""

    @property
    def name(self) -> str:
        """Model, as stored beside each vector."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def floor(self) -> float:
        """Cosine that the model gives to unrelated texts."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a question, shape (dimension,)."""
        ...


class Similarity:
    """Embeds questions on a thread of its own, so that a slow model never holds up other requests."""

    def __init__(self, embedder: Embedder | None = None, within_seconds: float = WITHIN_SECONDS) -> None:
        self._embedder = embedder
        self._within = within_seconds
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embed-query") if embedder else None

    @property
    def model(self) -> tuple[str, int] | None:
        """Name and dimension of the model, or None."""
        return (self._embedder.name, self._embedder.dimension) if self._embedder else None

    async def of(self, query: str | None, vectors: Vectors) -> tuple[Mapping[str, float], Notice | None]:
        """Rescaled cosine by id of what is remembered; with a notice where there are none because of a fault.

        A query without a letter or digit ("!!!") means nothing, yet a model places it near everything: it has none.
        """
        if query is None or not any(character.isalnum() for character in query):
            return {}, None
        if self._embedder is None or self._thread is None:
            return {}, NO_EMBEDDER
        if not vectors.ids:
            return {}, None
        loop = asyncio.get_running_loop()
        try:
            found = loop.run_in_executor(self._thread, self._embedder.embed_query, query)
            vector = await asyncio.wait_for(found, self._within)
        except TimeoutError:
            return {}, SLOW
        except (RuntimeError, ValueError, OSError):
            return {}, FAILED
        floor = self._embedder.floor
        return {name: rescale(cosine, floor) for name, cosine in vectors.cosines(vector).items()}, None

    def close(self) -> None:
        """Let the thread go; what it still computes is dropped."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
