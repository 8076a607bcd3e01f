"""The context block: what an agent is told about its user, within a token budget.

Order: constraints and safety (never lost), profile, episodes (older first), what is worth asking, the session's
summary, its recent turns. Constraints and safety come out of the budget first; of the rest, profile and episodes take
at most `PROFILE_SHARE`, summary and turns what remains; small talk is cut first. Everything is data inside one tagged
block that no value can close.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from itertools import chain

from lithify.domain.catalog import AttributeKind, Catalog
from lithify.domain.claims import USER
from lithify.domain.fusion import Question, Weights, activation, episode_activation, touches
from lithify.domain.memory import Belief, Episode, Memory, RecentTurn, beliefs
from lithify.domain.phrases import TAG, Lang, Writer
from lithify.domain.sections import Item, Placed, Sections
from lithify.domain.slots.state import Hint
from lithify.domain.terms import mostly_chinese, terms

PROFILE_SHARE = 0.40
"""Of what constraints and safety leave, profile and episodes take at most so much."""
SMALL_TALK = 2
"""A turn of this importance or less is cut first."""
_ALWAYS_IN = frozenset({AttributeKind.CONSTRAINT, AttributeKind.SAFETY})
_MEMORY_BLOCK = re.compile(rf"<{TAG}\b[^>]*>.*?(</{TAG}>|\Z)", re.DOTALL | re.IGNORECASE)


class BudgetTooSmallError(ValueError):
    """Constraints and safety facts alone need more tokens than the budget has."""

    def __init__(self, needed: int, budget: int) -> None:
        super().__init__(f"the rules and safety facts need {needed} tokens, the budget is {budget}")
        self.needed = needed
        self.budget = budget


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """What is asked of a memory."""

    now: datetime
    """Aware: the instant to read at."""
    budget: int
    """Tokens of the whole block, as `tokens.estimate` counts."""
    session_id: str | None = None
    query: str | None = None
    """None: everything, by recency x confidence."""
    lang: Lang | None = None
    """None: the language of the user's recent turns and the query."""
    zone: tzinfo = UTC
    similarity: Mapping[str, float] = field(default_factory=dict)
    """Rescaled cosine by id of fact, override or episode; what is absent counts as 0."""
    weights: Weights = field(default_factory=Weights)


@dataclass(frozen=True, slots=True)
class Block:
    """A context block with what it is made of."""

    text: str
    tokens: int
    items: tuple[Item, ...]
    """In the order shown."""
    lang: Lang
    turns_cut: int = 0
    """Recent turns that did not fit."""
    items_cut: int = 0
    """Profile items and episodes that were woken but did not fit."""


MAX_HINTS = 2
"""An agent that is told to ask five things asks none."""
_PRESSING = frozenset({"safety", "contradiction", "pinned"})


def strip_memory(text: str) -> str:
    """`text` without recalled context blocks: what was remembered is never read again as something said."""
    return _MEMORY_BLOCK.sub(" ", text) if f"<{TAG}" in text.casefold() else text


def compose(memory: Memory, query: ContextQuery, catalog: Catalog) -> Block:
    """The context block of `memory` for `query`.

    Raises:
        BudgetTooSmallError: the budget cannot hold the frame, the constraints and the safety facts.
    """
    writer = Writer(query.lang or _language(memory, query), query.zone, catalog)
    question = _question(memory, query)
    held = [belief for slot in memory.slots for belief in beliefs(slot, catalog, query.now, query.session_id)]
    fixed, profile = _split(held, catalog, question, query)
    sections = Sections(writer, memory.version, query.now)
    for item in _fixed_lines(fixed, writer):
        sections.add(item)
    if sections.tokens > query.budget:
        raise BudgetTooSmallError(sections.tokens, query.budget)
    share = sections.tokens + int(PROFILE_SHARE * (query.budget - sections.tokens))
    episodes = _woken(memory, question, query)
    shown = sections.fill(chain(_profile_lines(profile, writer), _episode_lines(episodes, writer)), share)
    sections.fill(_hints(memory, writer, question, query.now), query.budget)
    sections.fill(_summary(memory, writer, query), query.budget)
    turns = _by_worth(memory.turns)
    turns_shown = sections.fill(_turn_lines(turns, writer), query.budget)
    return Block(
        text=sections.text(),
        tokens=sections.tokens,
        items=sections.items(),
        lang=writer.lang,
        turns_cut=len(turns) - turns_shown,
        items_cut=len(profile) + len(episodes) - shown,
    )


@dataclass(frozen=True, slots=True)
class _Scored:
    """A belief with its activation."""

    belief: Belief
    kind: AttributeKind
    score: float

    @property
    def rank(self) -> int:
        """What goes first: overrides, then who the user is, then the rest."""
        if self.belief.kind != "fact":
            return 0
        return 1 if self.kind is AttributeKind.IDENTITY and self.belief.subject == USER else 2

    def item(self, kind: str, line: str) -> Item:
        """The item that shows it."""
        belief = self.belief
        return Item(kind, belief.id, line, round(self.score, 4), belief.attribute, belief.subject)


def _split(
    held: list[Belief], catalog: Catalog, question: Question | None, query: ContextQuery
) -> tuple[list[_Scored], list[_Scored]]:
    """What is always in, oldest first; and what is woken, strongest first."""
    fixed: list[_Scored] = []
    woken: list[_Scored] = []
    for belief in sorted(held, key=lambda belief: (belief.since, belief.id)):
        attribute = catalog.get(belief.attribute)
        similarity = query.similarity.get(belief.id, 0.0)
        score = activation(belief, attribute, question, similarity=similarity, now=query.now, weights=query.weights)
        scored = _Scored(belief, attribute.kind, score)
        if attribute.kind in _ALWAYS_IN:
            fixed.append(scored)
        elif scored.rank < 2 or question is None or score >= query.weights.threshold:
            woken.append(scored)
    return fixed, sorted(woken, key=lambda item: (item.rank, -item.score))


def _fixed_lines(fixed: list[_Scored], writer: Writer) -> Iterator[Placed]:
    for item in fixed:
        if item.kind is AttributeKind.CONSTRAINT:
            yield Placed("constraint", item.item("constraint", writer.rule(item.belief)))
        else:
            yield Placed("safety", item.item("safety", writer.belief(item.belief)))


def _profile_lines(woken: list[_Scored], writer: Writer) -> Iterator[Placed]:
    for item in woken:
        yield Placed("profile", item.item(item.belief.kind, writer.belief(item.belief)))


def _woken(memory: Memory, question: Question | None, query: ContextQuery) -> list[tuple[float, Episode]]:
    """Episodes of other sessions, strongest first."""
    scored = []
    for item in memory.episodes:
        if item.ended_at <= query.now and item.session_id != query.session_id:
            similarity = query.similarity.get(item.id, 0.0)
            score = episode_activation(item, question, similarity=similarity, now=query.now, weights=query.weights)
            if question is None or score >= query.weights.threshold:
                scored.append((score, item))
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].id))


def _episode_lines(episodes: list[tuple[float, Episode]], writer: Writer) -> Iterator[Placed]:
    for score, item in episodes:
        shown = Item("episode", item.id, writer.episode(item), round(score, 4))
        yield Placed("episode", shown, item.started_at.timestamp())


def _summary(memory: Memory, writer: Writer, query: ContextQuery) -> list[Placed]:
    """Earlier episodes of the running session, newest first so that the oldest is cut first."""
    own = [e for e in memory.episodes if e.session_id == query.session_id and e.ended_at <= query.now]
    own.sort(key=lambda e: (e.started_at, e.id), reverse=True)
    return [Placed("summary", Item("summary", e.id, writer.episode(e), 1.0), e.started_at.timestamp()) for e in own]


def _hints(memory: Memory, writer: Writer, question: Question | None, now: datetime) -> list[Placed]:
    """What is worth asking now: little, and to the point. The rest waits for a question that is about it."""
    standing = [(slot, hint) for slot in memory.slots for hint in slot.asked(now)]
    asked = [
        (slot, hint)
        for slot, hint in standing
        if question is None
        or hint.code in _PRESSING
        or touches(writer.catalog.get(slot.attribute), question, hint.value, hint.against or "")
    ]
    asked.sort(key=lambda pair: (_urgency(pair[1]), -pair[1].since.timestamp()))
    return [
        Placed(
            "hint",
            Item("hint", None, writer.hint(slot.subject, slot.attribute, hint), 1.0, slot.attribute, slot.subject),
            hint.since.timestamp(),
        )
        for slot, hint in asked[:MAX_HINTS]
    ]


def _urgency(hint: Hint) -> int:
    """A danger or an open contradiction first, then what would change a fact, then what would only add one."""
    if hint.code in _PRESSING:
        return 0
    return 1 if hint.against is not None else 2


def _by_worth(turns: tuple[RecentTurn, ...]) -> list[tuple[int, RecentTurn]]:
    """Turns with their place, in the order they deserve room: what matters newest first, then small talk likewise."""
    said = [(i, turn) for i, turn in enumerate(turns) if turn.content.strip()]
    return sorted(said, key=lambda pair: (_small_talk(pair[1]), -pair[0]))


def _turn_lines(turns: list[tuple[int, RecentTurn]], writer: Writer) -> Iterator[Placed]:
    for place, turn in turns:
        yield Placed("turn", Item("turn", turn.id, writer.turn(turn), 1.0), float(place))


def _small_talk(turn: RecentTurn) -> bool:
    return turn.importance <= SMALL_TALK if turn.importance is not None else not terms(turn.content)


def _question(memory: Memory, query: ContextQuery) -> Question | None:
    if query.query is None:
        return None
    said = [turn.content for turn in memory.turns if turn.role == "user"]
    return Question.of(query.query, "\n".join(said[-3:]))


def _language(memory: Memory, query: ContextQuery) -> Lang:
    said = [turn.content for turn in memory.turns if turn.role == "user"][-5:]
    return "zh" if mostly_chinese("\n".join([*said, query.query or ""])) else "en"
