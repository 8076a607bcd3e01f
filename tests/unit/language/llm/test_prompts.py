"""Prompts are versions: claims name the one that made them, so a file never changes once it was used."""

import hashlib

from pipelines.language.catalog import SCHEMAS
from pipelines.language.llm.prompt import PROMPT

DIGESTS = {
    "extract.v1": "8f8a219414712f9f3a88fcb7cd8f62f165fc52c603b69bfbcecab374fcdd895d",
}
"""SHA-256 of every prompt. To change one, add the next version."""


def test_no_prompt_changes_and_none_is_missing_here() -> None:
    files = (SCHEMAS / "prompts").glob("*.txt")
    assert {file.stem: hashlib.sha256(file.read_bytes()).hexdigest() for file in files} == DIGESTS


def test_the_prompt_in_use_is_one_of_them() -> None:
    assert PROMPT in DIGESTS
