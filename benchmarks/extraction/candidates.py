"""The extractors that can be measured: anything that satisfies `pipelines.language.model.Extractor`."""

import asyncio
from typing import Literal

from pipelines.language.catalog import Vocabulary
from pipelines.language.llm.claims import StatementReader
from pipelines.language.llm.client import ModelClient, Unavailable
from pipelines.language.llm.prompt import asked, messages
from pipelines.language.llm.reply import ReplyError, parse_reply, reply_schema
from pipelines.language.model import Extraction, Extractor, TurnText
from pipelines.language.rules import RuleExtractor

Structure = Literal["json_schema", "json_object", "none"]
_BUDGET, _TIMEOUT, _REPLY = 4000, 120.0, 1000
"""Tokens of a turn, seconds of a call, tokens of a reply."""


def rules(vocabulary: Vocabulary) -> Extractor:
    """The rule extractor of this checkout."""
    return RuleExtractor.default(vocabulary)


class ModelCandidate:
    """A model behind an OpenAI-compatible endpoint, asked about one turn at a time."""

    def __init__(
        self, vocabulary: Vocabulary, url: str, model: str, key: str | None = None, structure: Structure = "json_schema"
    ) -> None:
        self._vocabulary = vocabulary
        self._reader = StatementReader(vocabulary)
        self._options = (url, model, key)
        self._structure: Structure = structure
        self.failures = 0
        """Calls without a usable reply; their turns count as read empty."""

    def extract(self, turn: TurnText, before: TurnText | None) -> Extraction:
        """What the model finds in the turn."""
        return asyncio.run(self._extract(turn, before))

    async def _extract(self, turn: TurnText, before: TurnText | None) -> Extraction:
        (item,) = asked([(turn, before)], _BUDGET)
        url, model, key = self._options
        client = ModelClient(url, model, key, structure=self._structure, timeout=_TIMEOUT, reply_tokens=_REPLY)
        try:
            answer = await client.ask(messages([item], self._vocabulary), reply_schema())
            reply = parse_reply(answer.content, answer.reasoning).reply
        except (ReplyError, Unavailable):
            self.failures += 1
            return Extraction()
        finally:
            await client.close()
        statements = [statement for entry in reply.turns if entry.turn == item.alias for statement in entry.claims]
        return self._reader.read(item, statements, generation=1)
