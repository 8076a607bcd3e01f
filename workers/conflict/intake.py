"""What a batch brings: new evidence, each item in its place, and the turns it came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lithify.domain.claims import Claim, Command, Evidence, Kind
from lithify.events import TurnExtracted
from pipelines.effects import Effects
from pipelines.envelope import Event
from pipelines.slots.evidence import evidence_kind, is_broad
from pipelines.slots.folding import Placed
from pipelines.slots.rows import SlotKey
from pipelines.store.unit_of_work import UnitOfWork, json_value

Extracted = Event[TurnExtracted]


@dataclass(slots=True)
class Intake:
    """New evidence of a batch."""

    placed: list[Placed] = field(default_factory=list)
    origin: dict[str, Extracted] = field(default_factory=dict)
    """Evidence id to the event that brought it."""
    replaced: dict[str, int] = field(default_factory=dict)
    """Turn id to the generation that now counts, where a later one has read the turn again."""

    def of(self, event: Extracted) -> list[Evidence]:
        """The evidence that `event` brought."""
        return [item for _, item in self.placed if self.origin[item.id] is event]


async def take_in(unit: UnitOfWork, turns: Sequence[Extracted], generations: Mapping[tuple[str, str], int]) -> Intake:
    """Place the claims and commands of a batch.

    Args:
        unit: the open transaction.
        turns: new events.
        generations: (tenant, turn id) to the highest generation already decided; evidence below it is void.
    """
    intake = Intake()
    facts = await _named_facts(unit, turns)
    for event in turns:
        body, head = event.body, event.envelope
        if body.generation < generations.get((head.tenant, body.turn_id), 0):
            continue
        if body.generation > 0:
            intake.replaced[body.turn_id] = body.generation
        resolved = [_resolve(command, facts) for command in body.commands]
        items: list[Evidence] = [*body.claims, *(command for command in resolved if command is not None)]
        for item in items:
            intake.placed.append((_place(event, item), item))
            intake.origin[item.id] = event
    return intake


def _place(event: Extracted, item: Evidence) -> SlotKey | tuple[str, str]:
    head = event.envelope
    if is_broad(item):
        return (head.subject_key, item.subject)
    return SlotKey(head.tenant, head.subject_key, item.subject, item.attribute)


async def _named_facts(unit: UnitOfWork, turns: Sequence[Extracted]) -> dict[str, dict[str, str]]:
    """Facts that commands name by id."""
    ids = {command.fact_id for event in turns for command in event.body.commands if command.fact_id}
    if not ids:
        return {}
    rows = await unit.fetch("conflict.facts_named", ids=sorted(ids))
    return {str(row["fact_id"]): row for row in rows}


def _resolve(command: Command, facts: Mapping[str, dict[str, str]]) -> Command | None:
    """The command with its slot filled in; None if it names a fact that does not exist."""
    if command.attribute:
        return command
    fact = facts.get(command.fact_id or "")
    if fact is None:
        return None
    return replace(
        command,
        subject=fact["subject"],
        attribute=fact["attribute"],
        value=command.value if command.value is not None else fact["value"],
    )


def keep(effects: Effects, intake: Intake) -> None:
    """Add the rows of the evidence."""
    effects.write(
        "conflict.retire_claims",
        *({"turn_id": turn_id, "generation": generation} for turn_id, generation in intake.replaced.items()),
    )
    effects.write("conflict.insert_claims", *(_row(intake.origin[item.id], item) for _, item in intake.placed))


def _row(event: Extracted, item: Evidence) -> dict[str, object]:
    head = event.envelope
    return {
        "tenant": head.tenant,
        "claim_id": item.id,
        "subject_key": head.subject_key,
        "turn_id": event.body.turn_id,
        "session_id": item.session_id,
        "subject": item.subject,
        "attribute": item.attribute,
        "kind": evidence_kind(item),
        "generation": item.generation if isinstance(item, Claim) else 0,
        "occurred_at": item.occurred_at,
        "body": json_value(item),
    }


def basis_of(item: Evidence) -> str:
    """For the metric: the claim's basis, or that it is a command."""
    if isinstance(item, Claim):
        return str(item.basis) if item.kind is Kind.VALUE else str(item.kind)
    return "command"
