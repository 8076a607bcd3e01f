"""The context block: what an agent is told about its user, within a token budget.

Order: constraints and safety (never lost), profile, episodes (older first), what is worth asking, the session's
summary, its recent turns. Constraints and safety come out of the budget first; of the rest, profile and episodes take
at most `PROFILE_SHARE`, summary and turns what remains; small talk is cut first. Everything is data inside one tagged
block that no value can close.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo

from lithify.domain.catalog import AttributeKind, Catalog
from lithify.domain.fusion import Question, Weights, activation, episode_activation
from lithify.domain.memory import Belief, Episode, Memory, RecentTurn, beliefs
from lithify.domain.phrases import TAG, Lang, Writer
from lithify.domain.terms import mostly_chinese, terms
from lithify.domain.tokens import estimate

PROFILE_SHARE = 0.40
"""Of what constraints and safety leave, profile and episodes take at most so much."""
SMALL_TALK = 2
"""A turn of this importance or less is cut first."""
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
class Item:
    """One thing the block shows."""

    kind: str
    """constraint, safety, fact, override, provisional, episode, hint, summary or turn."""
    id: str | None
    line: str
    score: float
    attribute: str | None = None
    subject: str | None = None


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


def strip_memory(text: str) -> str:
    """`text` without recalled context blocks: what was remembered is never read again as something said."""
    return _MEMORY_BLOCK.sub(" ", text) if f"<{TAG}" in text.casefold() else text


def compose(memory: Memory, query: ContextQuery, catalog: Catalog) -> Block:
    """The context block of `memory` for `query`.

    Raises:
        BudgetTooSmallError: the budget cannot hold the frame, the constraints and the safety facts.
    """
    writer = Writer(query.lang or _language(memory, query), query.zone, catalog)
    sections = _Sections(writer, memory.version, query.now)
    question = _question(memory, query)
    held = [belief for slot in memory.slots for belief in beliefs(slot, catalog, query.now, query.session_id)]
    fixed, profile = _split(held, catalog, writer, question, query)
    for item in fixed:
        sections.add(item)
    if sections.tokens > query.budget:
        raise BudgetTooSmallError(sections.tokens, query.budget)
    remaining = query.budget - sections.tokens
    episodes = _episodes(memory, writer, question, query)
    items_cut = sections.fill([*profile, *episodes], sections.tokens + int(PROFILE_SHARE * remaining))
    sections.fill(_hints(memory, writer, query.now), query.budget)
    sections.fill(_summary(memory, writer, query), query.budget)
    turns_cut = sections.fill(_turns(memory.turns, writer), query.budget)
    return Block(sections.text(), sections.tokens, sections.items(), writer.lang, turns_cut, items_cut)


class _Sections:
    """The block under construction; knows its exact size in tokens at any time."""

    ORDER = ("constraint", "safety", "profile", "episode", "hint", "summary", "turn")

    def __init__(self, writer: Writer, version: int, now: datetime) -> None:
        words = writer.words
        self._head = f'<{TAG} version="{version}" as-of="{writer.day(now)}">\n{words.data}'
        self._tail = f"</{TAG}>"
        self._headings = {
            "constraint": words.constraints,
            "safety": words.safety,
            "profile": words.profile,
            "episode": words.episodes,
            "summary": words.summary,
            "turn": words.turns,
        }
        self._added: dict[str, list[tuple[float, int, Item]]] = {name: [] for name in self.ORDER}
        self.tokens = estimate(f"{self._head}\n{self._tail}")

    def add(self, item: "_Placed") -> None:
        self.tokens += self._cost(item)
        rows = self._added[item.section]
        rows.append((item.order, len(rows), item.item))

    def fill(self, candidates: Iterable["_Placed"], limit: int) -> int:
        """Add in the given order what fits under `limit` tokens in all; returns how many did not."""
        left_out = 0
        for item in candidates:
            if self.tokens + self._cost(item) <= limit:
                self.add(item)
            else:
                left_out += 1
        return left_out

    def items(self) -> tuple[Item, ...]:
        return tuple(item for name in self.ORDER for _, _, item in sorted(self._added[name], key=lambda row: row[:2]))

    def text(self) -> str:
        lines = [self._head]
        for name in self.ORDER:
            rows = sorted(self._added[name], key=lambda row: row[:2])
            if rows and name in self._headings:
                lines.append(self._headings[name])
            lines += [item.line for _, _, item in rows]
        return "\n".join([*lines, self._tail])

    def _cost(self, item: "_Placed") -> int:
        cost = estimate(item.item.line) + 1
        if not self._added[item.section] and item.section in self._headings:
            cost += estimate(self._headings[item.section]) + 1
        return cost


@dataclass(frozen=True, slots=True)
class _Placed:
    """An item, the section it goes to, and its place there (equal: as added)."""

    section: str
    item: Item
    order: float = 0.0


def _split(
    held: list[Belief], catalog: Catalog, writer: Writer, question: Question | None, query: ContextQuery
) -> tuple[list[_Placed], list[_Placed]]:
    """What is always in, and the woken rest, strongest first: overrides, identity, then by activation."""
    fixed: list[_Placed] = []
    ranked: list[tuple[int, float, _Placed]] = []
    for belief in sorted(held, key=lambda belief: (belief.since, belief.id)):
        attribute = catalog.get(belief.attribute)
        score = _activation_of(belief, catalog, question, query)
        if attribute.kind is AttributeKind.CONSTRAINT:
            fixed.append(_Placed("constraint", _item("constraint", belief, writer.rule(belief), score)))
        elif attribute.kind is AttributeKind.SAFETY:
            fixed.append(_Placed("safety", _item("safety", belief, writer.belief(belief), score)))
        else:
            rank = _rank(belief, attribute.kind)
            if rank < 2 or question is None or score >= query.weights.threshold:
                placed = _Placed("profile", _item(belief.kind, belief, writer.belief(belief), score))
                ranked.append((rank, -score, placed))
    ranked.sort(key=lambda row: row[:2])
    return fixed, [placed for _, _, placed in ranked]


def _activation_of(belief: Belief, catalog: Catalog, question: Question | None, query: ContextQuery) -> float:
    similarity = query.similarity.get(belief.id, 0.0)
    attribute = catalog.get(belief.attribute)
    return activation(belief, attribute, question, similarity=similarity, now=query.now, weights=query.weights)


def _activation_of_episode(episode: Episode, question: Question | None, query: ContextQuery) -> float:
    similarity = query.similarity.get(episode.id, 0.0)
    return episode_activation(episode, question, similarity=similarity, now=query.now, weights=query.weights)


def _rank(belief: Belief, kind: AttributeKind) -> int:
    if belief.kind != "fact":
        return 0
    return 1 if kind is AttributeKind.IDENTITY and belief.subject == "user" else 2


def _item(kind: str, belief: Belief, line: str, score: float) -> Item:
    return Item(kind, belief.id, line, round(score, 4), belief.attribute, belief.subject)


def _episodes(memory: Memory, writer: Writer, question: Question | None, query: ContextQuery) -> list[_Placed]:
    scored = [
        (_activation_of_episode(e, question, query), e)
        for e in memory.episodes
        if e.ended_at <= query.now and e.session_id != query.session_id
    ]
    scored.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [
        _Placed("episode", Item("episode", e.id, writer.episode(e), round(score, 4)), e.started_at.timestamp())
        for score, e in scored
        if question is None or score >= query.weights.threshold
    ]


def _summary(memory: Memory, writer: Writer, query: ContextQuery) -> list[_Placed]:
    """Earlier episodes of the running session, newest first so that the oldest is cut first."""
    own = [e for e in memory.episodes if e.session_id == query.session_id and e.ended_at <= query.now]
    own.sort(key=lambda e: (e.started_at, e.id), reverse=True)
    return [_Placed("summary", Item("summary", e.id, writer.episode(e), 1.0), e.started_at.timestamp()) for e in own]


def _hints(memory: Memory, writer: Writer, now: datetime) -> list[_Placed]:
    return [
        _Placed(
            "hint",
            Item("hint", None, writer.hint(slot.subject, slot.attribute, hint), 1.0, slot.attribute, slot.subject),
            hint.since.timestamp(),
        )
        for slot in memory.slots
        for hint in slot.asked(now)
    ]


def _turns(turns: tuple[RecentTurn, ...], writer: Writer) -> list[_Placed]:
    """Turns in the order they deserve room: what matters newest first, then small talk newest first."""
    placed = [
        (_small_talk(turn), -i, _Placed("turn", Item("turn", turn.id, writer.turn(turn), 1.0), float(i)))
        for i, turn in enumerate(turns)
        if turn.content.strip()
    ]
    return [row[2] for row in sorted(placed, key=lambda row: row[:2])]


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
