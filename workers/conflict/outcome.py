"""What became of each turn: the outcome it is given, and what is said of it downstream."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lithify.domain.claims import order
from lithify.domain.slots.state import Verdict
from lithify.events import Decision, TurnDecided, TurnExtracted
from pipelines.slots.folding import Folded
from pipelines.slots.rows import SlotKey
from workers.conflict.intake import Extracted, Intake, subject_of

Source = tuple[str, str]
"""(subject key, turn id)."""


@dataclass(slots=True)
class _Caused:
    """What one turn caused."""

    decisions: list[Decision] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    slots: dict[str, None] = field(default_factory=dict)


def decide_turns(turns: Sequence[Extracted], intake: Intake, folded: Iterable[Folded]) -> list[TurnDecided]:
    """One event a turn, in the order of `turns`. A verdict is reported by the latest turn among those it cites."""
    caused: Mapping[Source, _Caused] = defaultdict(_Caused)
    items = {(subject_of(place), item.id): item for place, item in intake.placed}
    for slot in folded:
        key = slot.key.subject_key
        for verdict in slot.new_verdicts:
            cited = [items[key, claim] for claim in verdict.claim_ids if (key, claim) in items]
            if cited and verdict.rule != "nothing_to_withdraw":
                turn = caused[_source(intake.origin[key, max(cited, key=order).id])]
                turn.decisions.append(_decision(slot.key, verdict))
                turn.slots[slot.state.slot_id] = None
        for conflict in slot.new_conflicts:
            event = intake.origin.get((key, conflict.claim_id))
            if event is not None:
                caused[_source(event)].conflicts.append(conflict.id)
    return [_decided(event, intake, caused[_source(event)]) for event in turns]


def _source(event: Extracted) -> Source:
    return (event.envelope.subject_key, event.body.turn_id)


def _decided(event: Extracted, intake: Intake, caused: _Caused) -> TurnDecided:
    body = event.body
    stored = len(intake.of(event))
    return TurnDecided(
        turn_id=body.turn_id,
        session_id=body.session_id,
        outcome="stored" if stored else _without_claims(body),
        stored=stored,
        generation=body.generation,
        decisions=tuple(caused.decisions),
        conflicts=tuple(caused.conflicts),
        slots=tuple(caused.slots),
        rejects=body.rejects,
    )


def _without_claims(body: TurnExtracted) -> str:
    """Claims were found but none could be kept, such as a command about a fact that is gone: nothing was stored.

    Accepted without any: a model is still to read the turn.
    """
    return "no_facts" if body.outcome == "accepted" and (body.claims or body.commands) else body.outcome


def _decision(key: SlotKey, verdict: Verdict) -> Decision:
    return Decision(
        slot_id=key.slot_id,
        subject=key.subject,
        attribute=key.attribute,
        kind=verdict.kind,
        rule=verdict.rule,
        at=verdict.at,
        value=verdict.value,
        polarity=verdict.polarity,
        replaced=verdict.replaced,
        fact_id=verdict.fact_id,
        claim_ids=verdict.claim_ids,
        trace=verdict.trace,
    )
