"""Rules and model together: which turns need a model, and what comes of both."""

from dataclasses import replace

from lithify.domain.claims import Cardinality, Claim, Kind
from pipelines.language.catalog import Vocabulary
from pipelines.language.llm.claims import identity, numbered
from pipelines.language.model import Extraction, Reject, RejectCode, Role, TurnText

_OPEN = frozenset([RejectCode.UNRESOLVED, RejectCode.HEDGED, RejectCode.TOO_LONG])
"""Refusals that a better reader might turn into claims."""
_REST = 24
"""Code points beside what the rules understood that may hold another statement."""


def unresolved(turn: TurnText, found: Extraction) -> bool:
    """Whether the rules leave something of a user's turn to a better reader.

    That is: words that neither a claim nor a refusal accounts for, or a refusal because the rules were at a loss.
    """
    if turn.role is not Role.USER:
        return False
    if any(reject.code in _OPEN for reject in found.rejects):
        return True
    spans = [claim.span for claim in found.claims] + [reject.span for reject in found.rejects]
    if not spans:
        return True
    covered = bytearray(len(turn.content))
    for start, end in spans:
        covered[start:end] = b"\1" * (min(end, len(covered)) - min(start, len(covered)))
    return sum(not mark and char.isalnum() for mark, char in zip(covered, turn.content, strict=True)) > _REST


def combined(rules: Extraction, model: Extraction, vocabulary: Vocabulary, generation: int) -> Extraction:
    """What both found: the rules' claims, surer where the model agrees, and what the model adds to them.

    In a single-valued slot of the same turn the rules' claim stands and the model's other value is dropped.
    """

    def single(claim: Claim) -> bool:
        return vocabulary.catalog.get(claim.attribute).cardinality is Cardinality.SINGLE

    theirs = {identity(claim): claim for claim in model.claims}
    own = [_surer(claim, theirs.pop(identity(claim), None)) for claim in rules.claims]
    taken = {(claim.subject, claim.attribute) for claim in own if claim.kind is Kind.VALUE}
    dropped = [claim for claim in theirs.values() if (claim.subject, claim.attribute) in taken and single(claim)]
    added = [claim for claim in theirs.values() if claim not in dropped]
    rejects = (*rules.rejects, *model.rejects, *(Reject(RejectCode.UNRESOLVED, claim.span) for claim in dropped))
    return Extraction(numbered([*own, *added], generation), tuple(dict.fromkeys(rejects)))


def agreed(model: Extraction, rules: Extraction, generation: int) -> Extraction:
    """What the model found, no more; where the rules found the same it is surer, and basis and cue are theirs."""
    same = {identity(claim): claim for claim in rules.claims}

    def best(claim: Claim) -> Claim:
        rule = same.get(identity(claim))
        return claim if rule is None else _surer(rule, claim)

    return replace(model, claims=numbered(map(best, model.claims), generation))


def _surer(claim: Claim, other: Claim | None) -> Claim:
    """Two readers that err independently: confidence is 1 - (1 - a)(1 - b)."""
    if other is None:
        return claim
    return replace(claim, confidence=1 - (1 - claim.confidence) * (1 - other.confidence))
