"""From a model's statements to claims: each held against its turn, brought into the catalog's form, and stamped."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC

from lithify.domain.catalog import AttributeKind
from lithify.domain.claims import Basis, Claim, Cue, Quantity
from lithify.domain.ids import derive
from lithify.domain.text import clean
from pipelines.language.catalog import FREE_TEXT, Vocabulary
from pipelines.language.days import local_day
from pipelines.language.llm.guard import Evidence, Guard, Refusal, TurnWords
from pipelines.language.llm.prompt import Asked
from pipelines.language.llm.reply import Modality, Statement
from pipelines.language.model import Extraction, Reject, RejectCode, Role
from pipelines.language.rules import MOST
from pipelines.language.text import normal
from pipelines.language.units import canonical, quantity
from pipelines.language.values import LONGEST

STATED, GUESSED = 0.7, 0.4
"""Confidence of a claim by a model."""
_LONGEST_NAME = 64
"""Code points of a subject or of an attribute outside the catalog."""


class StatementReader:
    """Makes claims of statements. Pure: the same statements of the same turn give the same claims."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._guard = Guard(vocabulary)

    def read(self, asked: Asked, statements: Sequence[Statement], generation: int) -> Extraction:
        """The claims of a user's turn, distinct, and what was refused of the statements."""
        turn = asked.turn
        if turn.role is not Role.USER:
            span = (0, len(turn.content))
            return Extraction(rejects=tuple(Reject(RejectCode.ASSISTANT_TEXT, span) for _ in statements[:1]))
        words = self._guard.open(turn, asked.shown)
        found: dict[object, Claim] = {}
        rejects: dict[Reject, None] = {}
        if asked.shown < len(turn.content):
            rejects[Reject(RejectCode.TOO_LONG, (asked.shown, len(turn.content)))] = None
        for statement in statements[:MOST]:
            try:
                claim = self._claim(words, statement, generation)
            except Refusal as refusal:
                rejects[refusal.reject] = None
            else:
                found.setdefault(identity(claim), claim)
        return Extraction(numbered(found.values(), generation), tuple(rejects))

    def _claim(self, words: TurnWords, statement: Statement, generation: int) -> Claim:
        if statement.modality is not Modality.ASSERTED:
            raise Refusal(RejectCode(statement.modality.value), _span(self._guard, words, statement))
        evidence = self._guard.find(words, statement.quote, statement.words)
        subject = self._guard.subject(words, evidence, statement.subject, statement.relation)
        attribute = self._attribute(statement.attribute, evidence)
        moment = self._guard.moment(words, evidence)
        value, amount, grounded = self._value(words, attribute, statement, evidence)
        guess = statement.certainty == "guess" or not grounded
        if guess and self._vocabulary.catalog.get(attribute).kind is AttributeKind.SAFETY:
            raise Refusal(RejectCode.HEDGED, evidence.quote)
        if max(len(subject.name), len(subject.relation or "")) > _LONGEST_NAME:
            raise Refusal(RejectCode.TOO_LONG, evidence.quote)
        turn = words.turn
        local_date, day_end = local_day(turn.occurred_at, turn.timezone)
        return Claim(
            id="",
            turn_id=turn.turn_id,
            session_id=turn.session_id,
            turn_index=turn.turn_index,
            ordinal=0,
            subject=subject.name,
            attribute=attribute,
            value=value,
            text=turn.content[evidence.words[0] : evidence.words[1]],
            occurred_at=turn.occurred_at.astimezone(UTC),
            local_date=local_date,
            day_end=day_end,
            polarity=statement.polarity,
            basis=Basis.INFERRED if guess else moment.basis,
            cue=Cue.NONE if guess and moment.cue is Cue.PERMANENT else moment.cue,
            scope=moment.scope,
            confidence=GUESSED if guess else STATED,
            span=_around(evidence),
            valid_from=None if guess else moment.valid_from,
            valid_to=moment.valid_to,
            quantity=amount,
            relation=subject.relation,
            generation=generation,
        )

    def _attribute(self, name: str, evidence: Evidence) -> str:
        key = self._vocabulary.attribute_of(clean(name))
        if not key or len(key) > _LONGEST_NAME:
            raise Refusal(RejectCode.TOO_LONG if key else RejectCode.UNRESOLVED, evidence.quote)
        if key in FREE_TEXT:
            # standing orders are taken from the user's own words by the rules, or by command
            raise Refusal(RejectCode.INJECTION, evidence.quote)
        return key

    def _value(
        self, words: TurnWords, attribute: str, statement: Statement, evidence: Evidence
    ) -> tuple[str, Quantity | None, bool]:
        """The normalised value, its quantity, and whether the quoted words themselves say it."""
        said = words.turn.content[evidence.words[0] : evidence.words[1]]
        if len(said) > LONGEST:
            raise Refusal(RejectCode.TOO_LONG, evidence.words)
        plain = normal(said)
        if plain in evidence.language.value_starts_not or not any(char.isalnum() for char in plain):
            raise Refusal(RejectCode.UNRESOLVED, evidence.words)
        known = self._known(attribute, plain)
        if known is not None:
            return known, None, True
        amount = quantity(said)
        if amount is not None and (amount.unit or attribute in self._vocabulary.catalog.attributes):
            return canonical(amount), amount, True
        meant = self._known(attribute, normal(statement.value))
        if meant is not None:
            quoted = normal(words.text[evidence.quote[0] : evidence.quote[1]])
            return meant, None, normal(statement.value) in quoted
        return (said if _literal(said) else plain), None, True

    def _known(self, attribute: str, word: str) -> str | None:
        """As the rules do: a free attribute's values are named as things that one may like are."""
        return self._vocabulary.known(attribute if attribute in self._vocabulary.words else "likes", word)


def identity(claim: Claim) -> tuple[str, str, str, str]:
    """What makes two claims of one turn the same."""
    return (claim.subject, claim.attribute, claim.value, claim.polarity)


def numbered(claims: Iterable[Claim], generation: int) -> tuple[Claim, ...]:
    """Claims of one turn with their place and id, under a generation."""
    return tuple(
        replace(claim, id=derive(claim.turn_id, "model", generation, ordinal), ordinal=ordinal, generation=generation)
        for ordinal, claim in enumerate(claims)
    )


def _around(evidence: Evidence) -> tuple[int, int]:
    return (min(evidence.quote[0], evidence.words[0]), max(evidence.quote[1], evidence.words[1]))


def _span(guard: Guard, words: TurnWords, statement: Statement) -> tuple[int, int]:
    try:
        return guard.find(words, statement.quote, statement.words).quote
    except Refusal as refusal:
        return refusal.reject.span


def _literal(said: str) -> bool:
    """Codes, tags and versions are kept as written."""
    return any(char.isdigit() for char in said) and any(char.isupper() for char in said) and " " not in said
