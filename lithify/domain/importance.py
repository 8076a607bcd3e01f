"""How much a turn matters, 1 to 10: what may cost a model call, join an episode, or be cut first."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

LOWEST, HIGHEST = 1, 10
SAFETY_FLOOR = 8
"""Allergy, illness and payment never score lower."""


class Reason(StrEnum):
    """What raised or lowered a score."""

    SAFETY = "safety"
    """Allergy, illness, medication, payment."""
    INSTRUCTION = "instruction"
    IDENTITY = "identity"
    CHANGE = "change"
    PREFERENCE = "preference"
    DEADLINE = "deadline"
    MONEY = "money"
    ENTITY = "entity"
    NUMBER = "number"
    LENGTH = "length"
    QUESTION = "question"
    SMALL_TALK = "small_talk"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Features:
    """What was found in a turn."""

    cues: frozenset[Reason] = frozenset()
    """Of the kinds with cue words: safety to money, and small talk."""
    entities: int = 0
    """Names of people, places and things."""
    numbers: int = 0
    words: int = 0
    """Words, or Chinese characters halved."""
    question: bool = False
    """Whether the turn only asks."""


@dataclass(frozen=True, slots=True)
class ImportancePolicy:
    """The weights, in points."""

    base: int = 3
    points: Mapping[Reason, int] = field(
        default_factory=lambda: {
            Reason.INSTRUCTION: 4,
            Reason.IDENTITY: 3,
            Reason.CHANGE: 2,
            Reason.PREFERENCE: 2,
            Reason.DEADLINE: 2,
            Reason.MONEY: 2,
            Reason.ENTITY: 1,
            Reason.NUMBER: 1,
            Reason.LENGTH: 1,
            Reason.QUESTION: -1,
        }
    )
    long_words: int = 40
    """From this length on a turn counts as long."""
    small_talk_words: int = 12
    """A longer turn with a greeting in it is not small talk."""


@dataclass(frozen=True, slots=True)
class Importance:
    """A score with its reasons, strongest first."""

    score: int
    reasons: tuple[Reason, ...]


_DEFAULT = ImportancePolicy()


def score(features: Features, policy: ImportancePolicy = _DEFAULT) -> Importance:
    """Weigh the features of one turn.

    Returns:
        A score within [1, 10]. Small talk alone gives 1; safety gives at least 8, whatever else was found.
    """
    if features.words == 0:
        return Importance(LOWEST, (Reason.EMPTY,))
    found = _reasons(features, policy)
    chatter = Reason.SMALL_TALK in features.cues and features.words <= policy.small_talk_words
    if chatter and not found and Reason.SAFETY not in features.cues:
        return Importance(LOWEST, (Reason.SMALL_TALK,))
    if Reason.SAFETY in features.cues:
        found = [Reason.SAFETY, *found]
    points = policy.base + sum(policy.points.get(reason, 0) for reason in found)
    if Reason.SAFETY in features.cues:
        points = max(points, SAFETY_FLOOR)
    return Importance(max(LOWEST, min(HIGHEST, points)), tuple(found))


def _reasons(features: Features, policy: ImportancePolicy) -> list[Reason]:
    counted = {
        Reason.ENTITY: features.entities > 0,
        Reason.NUMBER: features.numbers > 0,
        Reason.LENGTH: features.words >= policy.long_words,
        Reason.QUESTION: features.question,
    }
    found = [reason for reason in policy.points if reason in features.cues or counted.get(reason, False)]
    return sorted(found, key=lambda reason: -policy.points[reason])
