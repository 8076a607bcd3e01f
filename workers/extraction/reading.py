"""How a model reads turns: which it is shown, what it is asked, and what generation comes of its reply. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lithify.domain.ids import derive
from lithify.events import TurnScored
from pipelines.envelope import Event
from pipelines.language.catalog import Vocabulary
from pipelines.language.llm.claims import StatementReader
from pipelines.language.llm.hybrid import agreed, combined, unresolved
from pipelines.language.llm.prompt import PROMPT, Asked, asked, cost_of, messages
from pipelines.language.llm.reply import Reply, Statement, reply_schema
from pipelines.language.model import Extraction, Extractor, TurnText
from workers.extraction.turns import before_of, text_of

Scored = Event[TurnScored]


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent."""

    call_id: str
    """The same for the same turns, prompt and model."""
    messages: list[dict[str, str]]
    schema: dict[str, Any]
    aliases: frozenset[str]
    """Of the turns in it."""


class ModelReading:
    """The model's part in extraction, but for the calls themselves."""

    prompt = PROMPT

    def __init__(
        self,
        vocabulary: Vocabulary,
        rules: Extractor,
        *,
        mode: Literal["model", "hybrid"],
        model: str,
        min_importance: int,
        budget: int,
    ) -> None:
        self._vocabulary = vocabulary
        self._rules = rules
        self._mode = mode
        self._min_importance = min_importance
        self._statements = StatementReader(vocabulary)
        self._schema = reply_schema()
        self.model = model
        self.budget = budget
        self.version = f"{mode}/{PROMPT}/{model}"
        """Stored with each claim."""

    def wants(self, turn: TurnScored, text: TurnText, found: Extraction) -> bool:
        """Whether the model is to read the turn: it matters, and in hybrid mode the rules leave something of it."""
        if turn.role != "user" or turn.importance < self._min_importance:
            return False
        return self._mode == "model" or unresolved(text, found)

    def tokens(self, event: Scored) -> int:
        """Estimated tokens of the turn's share of a request."""
        return min(cost_of(*_texts(event)), self.budget)

    def request(self, events: Sequence[Scored]) -> Request:
        """The request about turns of one session."""
        subject = events[0].envelope.subject_key
        call_id = derive("model_call", subject, self.model, PROMPT, *(event.body.turn_id for event in events))
        items = self._asked(events)
        aliases = frozenset(item.alias for item in items)
        return Request(call_id, messages(items, self._vocabulary), self._schema, aliases)

    def _asked(self, events: Sequence[Scored]) -> list[Asked]:
        return asked([_texts(event) for event in events], self.budget)

    def read(self, events: Sequence[Scored], reply: Reply, generations: Sequence[int]) -> list[Extraction | None]:
        """What came of each turn, in order; None for one that the reply does not speak of.

        An alias that was not in the request is passed over.
        """
        said: dict[str, list[Statement]] = {}
        for entry in reply.turns:
            said.setdefault(entry.turn, []).extend(entry.claims)
        found: list[Extraction | None] = []
        for item, generation in zip(self._asked(events), generations, strict=True):
            statements = said.get(item.alias)
            found.append(None if statements is None else self._generation(item, statements, generation))
        return found

    def _generation(self, item: Asked, statements: Sequence[Statement], generation: int) -> Extraction:
        model = self._statements.read(item, statements, generation)
        rules = self._rules.extract(item.turn, item.before)
        if self._mode == "model":
            return agreed(model, rules, generation)
        return combined(rules, model, self._vocabulary, generation)


def covers(request: Request, reply: Reply) -> bool:
    """Whether the reply speaks of every turn of the request."""
    return request.aliases <= {entry.turn for entry in reply.turns}


def _texts(event: Scored) -> tuple[TurnText, TurnText | None]:
    at = event.envelope.occurred_at
    return text_of(event.body, at), before_of(event.body, at)
