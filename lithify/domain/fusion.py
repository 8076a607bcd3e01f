"""Activation: how strongly a question wakes a remembered thing.

S = 0.45 cosine + 0.40 slot overlap + 0.15 exp(-lambda dt) confidence; what stays under the threshold is not recalled.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from lithify.domain.catalog import Attribute
from lithify.domain.claims import USER
from lithify.domain.memory import Belief, Episode
from lithify.domain.terms import terms

DAY = timedelta(days=1)
EPISODE_HALF_LIFE_DAYS = 30.0
"""After which an episode has lost half of its recency."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of the activation counts for."""

    cosine: float = 0.45
    overlap: float = 0.40
    recency: float = 0.15
    threshold: float = 0.25
    recent_turns: float = 0.5
    """How much an overlap with the recent turns counts against one with the query itself."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, as terms: the query, and the words of the running session."""

    query: frozenset[str]
    recent: frozenset[str] = frozenset()

    @classmethod
    def of(cls, query: str, recent: str = "") -> "Question":
        """The question of these texts."""
        return cls(terms(query), terms(recent))


def rescale(cosine: float, floor: float) -> float:
    """Cosine above the model's floor, as [0, 1]: unrelated texts score 0 whatever the model gives them.

    Args:
        cosine: in [-1, 1].
        floor: c0, what the model gives to unrelated texts, in [0, 1).
    """
    return min(1.0, max(0.0, (cosine - floor) / (1.0 - floor)))


def overlap(asked: frozenset[str], *sides: frozenset[str]) -> float:
    """The best share of a side's terms that are asked for, in [0, 1]; 0 where either has no terms."""
    best = 0.0
    for side in sides:
        if not asked.isdisjoint(side):
            best = max(best, len(asked & side) / len(side))
    return best


def recency(last_mention: datetime, now: datetime, half_life_days: float) -> float:
    """exp(-lambda dt) with lambda = ln 2 / half-life, in (0, 1]; what lies in the future counts as now."""
    age = max(timedelta(0), now - last_mention) / DAY
    return math.exp(-math.log(2) / half_life_days * age)


def activation(
    belief: Belief,
    attribute: Attribute,
    question: Question | None,
    *,
    similarity: float,
    now: datetime,
    weights: Weights,
) -> float:
    """The activation of a fact or override, in [0, 1].

    Args:
        belief: the value and when it was last mentioned.
        attribute: its catalog entry: names, half-life, broader values.
        question: None when nothing is asked: then recency x confidence alone ranks.
        similarity: rescaled cosine of question and value; 0 where there is none.
        now: the instant read at.
        weights: of the parts.
    """
    fresh = recency(belief.last_mention, now, attribute.half_life_days) * belief.confidence
    if question is None:
        return fresh
    third_party = "" if belief.subject == USER else belief.subject
    broader = tuple(sorted(attribute.ancestors(belief.value))) if attribute.is_a else ()
    sides = _sides(
        attribute.name_en,
        attribute.name_zh,
        attribute.key,
        belief.value,
        belief.text,
        third_party,
        *broader,
        *attribute.topics,
    )
    lexical = max(overlap(question.query, *sides), weights.recent_turns * overlap(question.recent, *sides))
    return weights.cosine * similarity + weights.overlap * lexical + weights.recency * fresh


def touches(attribute: Attribute, question: Question, *words: str) -> bool:
    """Whether a question is about an attribute, or about one of the words that go with it."""
    sides = _sides(attribute.name_en, attribute.name_zh, attribute.key, *attribute.topics, *words)
    return overlap(question.query, *sides) > 0 or overlap(question.recent, *sides) > 0


@lru_cache(maxsize=32_768)
def _sides(*texts: str) -> tuple[frozenset[str], ...]:
    """The terms that each text of a slot may be asked by; texts without terms are left out."""
    return tuple({found for found in map(terms, texts) if found})


def episode_activation(
    episode: Episode, question: Question | None, *, similarity: float, now: datetime, weights: Weights
) -> float:
    """The activation of an episode: its overlap is the share of the question found in the summary."""
    fresh = recency(episode.ended_at, now, EPISODE_HALF_LIFE_DAYS) * episode.importance / 10
    if question is None:
        return fresh
    summary = terms(episode.summary)
    asked = overlap(summary, question.query)
    recent = weights.recent_turns * overlap(summary, question.recent)
    return weights.cosine * similarity + weights.overlap * max(asked, recent) + weights.recency * fresh
