"""Claims in the making: what was heard with its moment, and the stamp that makes it a claim of its turn."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from lithify.domain.claims import Basis, Cardinality, Claim, Kind, Polarity
from lithify.domain.ids import derive
from pipelines.language.answers import Proposal
from pipelines.language.catalog import Vocabulary
from pipelines.language.days import local_day
from pipelines.language.matching import Heard, turned
from pipelines.language.model import TurnText
from pipelines.language.moments import Moment
from pipelines.language.text import normal

STAGE = "rules"
GENERATION = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim before it is stamped with its turn."""

    heard: Heard
    moment: Moment
    words: str | None = None
    """The value's words, where they stand in the question and not in the turn."""

    @property
    def key(self) -> tuple[str, str, str, Polarity]:
        """What makes two drafts of one turn the same claim."""
        return (self.heard.subject.name, self.heard.attribute, self.heard.value.value, self.heard.polarity)


def answered(draft: Draft, asked: Proposal, when: Moment, span: tuple[int, int], *, safety: bool) -> Draft | None:
    """A draft read from the question, as the answer at `span` makes it: a no turns its polarity.

    Who says no to "do you hate cats?" does not say that they like them: None. A yes to it is a statement, since
    against a value a confirmation is a no to that value. (Of a danger it is one: no statement takes it away.)
    """
    heard, value = draft.heard, draft.heard.value
    if heard.polarity is Polarity.NEGATIVE and not asked.affirmed:
        return None
    if heard.polarity is Polarity.NEGATIVE and not safety:
        when = replace(when, basis=Basis.STATEMENT)
    polarity = heard.polarity if asked.affirmed else turned(heard.polarity)
    words = asked.statement[value.start : value.end]
    value = replace(value, start=span[0], end=span[1])
    return Draft(replace(heard, polarity=polarity, span=span, value=value), when, words)


def stamped(turn: TurnText, drafts: Sequence[Draft], vocabulary: Vocabulary) -> tuple[Claim, ...]:
    """The claims of a turn, one for each distinct draft, in order; what is denied before what is so."""
    if not drafts:
        return ()
    day = local_day(turn.occurred_at, turn.timezone)
    distinct: dict[tuple[str, str, str, Polarity], Draft] = {}
    for draft in drafts:
        distinct.setdefault(draft.key, draft)
    ordered = _denials_first(list(distinct.values()), vocabulary)
    return tuple(_claim(turn, draft, ordinal, day, vocabulary) for ordinal, draft in enumerate(ordered))


def _denials_first(drafts: list[Draft], vocabulary: Vocabulary) -> list[Draft]:
    """`drafts` with "not Lisbon" before "Porto" of a single-valued slot: a denial ends what runs, and makes room.

    What is denied and affirmed in one turn ("I went vegan, and stopped") keeps its order.
    """
    ordered: list[Draft] = []
    affirmed = {draft.key[:3] for draft in drafts if draft.heard.polarity is Polarity.POSITIVE}
    for draft in drafts:
        slot, at = draft.key[:2], len(ordered)
        single = vocabulary.catalog.get(draft.heard.attribute, draft.heard.rule.data.cardinality).cardinality
        denied = draft.heard.polarity is Polarity.NEGATIVE and draft.key[:3] not in affirmed
        if denied and single is Cardinality.SINGLE:
            same = (index for index, item in enumerate(ordered) if item.key[:2] == slot)
            at = next((index for index in same if ordered[index].heard.polarity is Polarity.POSITIVE), at)
        ordered.insert(at, draft)
    return ordered


def _claim(turn: TurnText, draft: Draft, ordinal: int, day: tuple[date, datetime], vocabulary: Vocabulary) -> Claim:
    heard, when, rule = draft.heard, draft.moment, draft.heard.rule.data
    value = heard.value
    return Claim(
        id=derive(turn.turn_id, STAGE, GENERATION, ordinal),
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        turn_index=turn.turn_index,
        ordinal=ordinal,
        subject=heard.subject.name,
        attribute=heard.attribute,
        value=value.value,
        text=draft.words or turn.content[value.start : value.end],
        occurred_at=turn.occurred_at.astimezone(UTC),
        local_date=day[0],
        day_end=day[1],
        polarity=heard.polarity,
        kind=rule.kind,
        basis=when.basis,
        cue=when.cue,
        scope=when.scope,
        confidence=rule.confidence,
        span=(min(heard.span[0], value.start), max(heard.span[1], value.end)),
        valid_from=when.valid_from,
        valid_to=when.valid_to,
        quantity=value.quantity,
        topics=_topics(value.value, turn.content[value.start : value.end], vocabulary)
        if rule.kind is Kind.WITHDRAWAL
        else (),
        relation=heard.subject.relation,
        cardinality=rule.cardinality,
        generation=GENERATION,
    )


def _topics(value: str, words: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The topic, the attributes it may name, and the words themselves, so that unknown values match by text."""
    known = [vocabulary.known(key, value) for key in ("consumes", "likes")]
    named = [key for name in (value, normal(words)) for key in vocabulary.names.get(name, ())]
    return tuple(dict.fromkeys(topic for topic in (*known, *named, value, normal(words)) if topic))
