"""A model behind an OpenAI-compatible endpoint as an extractor to be measured: one call a turn."""

import asyncio
from collections import Counter
from typing import Literal

from pipelines.language.catalog import Vocabulary
from pipelines.language.llm.claims import StatementReader
from pipelines.language.llm.client import ModelClient
from pipelines.language.llm.completion import Unavailable
from pipelines.language.llm.hybrid import agreed, combined, unresolved
from pipelines.language.llm.prompt import Asked, asked, messages
from pipelines.language.llm.reply import Reply, ReplyError, parse_reply, reply_schema
from pipelines.language.model import Extraction, Extractor, Role, TurnText

_BUDGET = 3000


class EndpointExtractor:
    """Asks once a turn. A call that fails counts under `failures`, and the turn then has what the rules found in it."""

    def __init__(
        self, client: ModelClient, vocabulary: Vocabulary, rules: Extractor, mode: Literal["model", "hybrid"]
    ) -> None:
        self._client = client
        self._vocabulary = vocabulary
        self._rules = rules
        self._mode = mode
        self._statements = StatementReader(vocabulary)
        self._schema = reply_schema()
        self.failures: Counter[str] = Counter()
        self.calls = 0

    def extract(self, turn: TurnText, before: TurnText | None) -> Extraction:
        """The claims of a turn. The endpoint is given no label, and no other turn."""
        found = self._rules.extract(turn, before)
        if turn.role is not Role.USER or not turn.content.strip():
            return found
        if self._mode == "hybrid" and not unresolved(turn, found):
            return found
        [item] = asked([(turn, before)], _BUDGET)
        try:
            reply = self._reply(item)
        except (ReplyError, Unavailable) as error:
            self.failures[str(error)] += 1
            return found
        said = [statement for entry in reply.turns if entry.turn == item.alias for statement in entry.claims]
        model = self._statements.read(item, said, 1)
        return (
            agreed(model, found, 1) if self._mode == "model" else combined(found, model, self._vocabulary, generation=1)
        )

    def _reply(self, item: Asked) -> Reply:
        self.calls += 1
        sent = messages([item], self._vocabulary)
        answer = self._loop.run_until_complete(self._client.ask(sent, self._schema))
        if answer.fault is not None:
            raise ReplyError(answer.fault)
        return parse_reply(answer.content, answer.reasoning).reply

    def __enter__(self) -> "EndpointExtractor":
        self._loop = asyncio.new_event_loop()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run_until_complete(self._client.close())
        self._loop.close()
