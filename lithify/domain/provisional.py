"""What turns that are not consolidated yet do to what is believed: overrides for this one answer, never persisted.

The workers decide later and may decide otherwise; until then the newest statement wins, since an agent that answers
with the old value a second after it was told the new one looks deaf.
"""

from collections.abc import Iterable
from datetime import datetime

from lithify.domain.claims import Basis, Claim, Cue, Kind, Polarity
from lithify.domain.memory import DECLARED, STATED, SlotView
from lithify.domain.policy import Policy
from lithify.domain.slots.state import Override


def provisional(claims: Iterable[Claim], now: datetime, policy: Policy) -> tuple[SlotView, ...]:
    """The overrides that `claims` (oldest first) lay over their slots at `now`.

    What says nothing about the present is left out: guesses, plain "no", withdrawals, intervals that are over or have
    not begun.
    """
    return tuple(
        SlotView("", claim.subject, claim.attribute, provisional=(_override(claim, policy),))
        for claim in claims
        if _speaks(claim, now)
    )


def _speaks(claim: Claim, now: datetime) -> bool:
    if claim.kind is not Kind.VALUE or claim.basis is Basis.INFERRED:
        return False
    if claim.basis is Basis.CONFIRMATION and claim.polarity is Polarity.NEGATIVE:
        return False
    begun = claim.valid_from is None or claim.valid_from <= now
    return begun and (claim.valid_to is None or now < claim.valid_to)


def _override(claim: Claim, policy: Policy) -> Override:
    passing = claim.basis is Basis.CHOICE or claim.cue is Cue.TEMPORARY
    declared = claim.basis in {Basis.INSTRUCTION, Basis.CHANGE} and claim.cue is not Cue.TEMPORARY
    stated = claim.valid_to is not None
    ends_at = claim.valid_to or claim.occurred_at + (policy.override_idle if passing else policy.statement_life)
    return Override(
        id=claim.id,
        value=claim.value,
        text=claim.text,
        polarity=claim.polarity,
        started_at=claim.occurred_at,
        ends_at=ends_at,
        stated_end=stated,
        session=(claim.session_id, claim.occurred_at) if passing and not stated else None,
        claim_ids=(claim.id,),
        last_mention=claim.occurred_at,
        end_rule="provisional" if passing or stated else DECLARED if declared else STATED,
    )
