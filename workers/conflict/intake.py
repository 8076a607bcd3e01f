"""What a batch brings: new evidence, each item in its place, and the turns it came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lithify.domain.claims import Claim, Command, Evidence, Kind
from lithify.events import TurnExtracted
from pipelines.effects import Effects
from pipelines.envelope import Event
from pipelines.language.catalog import Vocabulary
from pipelines.language.text import normal
from pipelines.slots.evidence import evidence_kind, is_broad
from pipelines.slots.folding import Placed
from pipelines.slots.rows import SlotKey
from pipelines.store.unit_of_work import UnitOfWork, json_value

Extracted = Event[TurnExtracted]


@dataclass(slots=True)
class Intake:
    """New evidence of a batch."""

    placed: list[Placed] = field(default_factory=list)
    origin: dict[tuple[str, str], Extracted] = field(default_factory=dict)
    """(subject key, evidence id) to the event that brought it: two tenants may use the same event ids."""
    replaced: dict[tuple[str, str], int] = field(default_factory=dict)
    """(subject key, turn id) to the generation that now counts, where a later one has read the turn again."""

    def add(self, event: Extracted, item: Evidence) -> None:
        """Take `item` in, as brought by `event`."""
        self.placed.append((_place(event, item), item))
        self.origin[event.envelope.subject_key, item.id] = event

    def of(self, event: Extracted) -> list[Evidence]:
        """The evidence that `event` brought."""
        return [item for place, item in self.placed if self.origin[subject_of(place), item.id] is event]


def failed(outcome: str) -> bool:
    """Whether a reading came to nothing for a fault: it says nothing of the turn, and replaces nothing."""
    return outcome in {"failed_transient", "failed_permanent"}


def subject_of(place: SlotKey | tuple[str, str]) -> str:
    """The subject key of where evidence belongs."""
    return place.subject_key if isinstance(place, SlotKey) else place[0]


async def take_in(
    unit: UnitOfWork,
    turns: Sequence[Extracted],
    generations: Mapping[tuple[str, str], int],
    vocabulary: Vocabulary,
) -> Intake:
    """Place the claims and commands of a batch.

    Args:
        unit: the open transaction.
        turns: new events.
        generations: (tenant, turn id) to the highest generation already decided; evidence below it is void.
        vocabulary: brings the attributes and values of commands into the form that claims have.
    """
    intake = Intake()
    facts = await _named_facts(unit, turns)
    for event in turns:
        body, head = event.body, event.envelope
        if body.generation < generations.get((head.tenant, body.turn_id), 0) or failed(body.outcome):
            continue
        if body.generation > 0:
            turn = (head.subject_key, body.turn_id)
            intake.replaced[turn] = max(body.generation, intake.replaced.get(turn, 0))
        resolved = [
            _resolve(command, facts.get((head.subject_key, command.fact_id)), vocabulary) for command in body.commands
        ]
        items: list[Evidence] = [*body.claims, *(command for command in resolved if command is not None)]
        for item in items:
            intake.add(event, item)
    return intake


def _place(event: Extracted, item: Evidence) -> SlotKey | tuple[str, str]:
    head = event.envelope
    if is_broad(item):
        return (head.subject_key, item.subject)
    return SlotKey(head.tenant, head.subject_key, item.subject, item.attribute)


async def _named_facts(unit: UnitOfWork, turns: Sequence[Extracted]) -> dict[tuple[str, str | None], dict[str, str]]:
    """Facts that commands name, by (subject key, id): users of one batch must not reach each other's."""
    ids = {command.fact_id for event in turns for command in event.body.commands if command.fact_id}
    if not ids:
        return {}
    rows = await unit.fetch("conflict.facts_named", ids=sorted(ids))
    return {(row["subject_key"], row["fact_id"]): row for row in rows}


def _resolve(command: Command, fact: Mapping[str, str] | None, vocabulary: Vocabulary) -> Command | None:
    """The command with its slot filled in from the fact it names; None if that does not exist."""
    value = command.value
    if command.attribute:
        subject, attribute = normal(command.subject), vocabulary.attribute_of(command.attribute)
    elif fact is None:
        return None
    else:
        subject, attribute = fact["subject"], fact["attribute"]
        if value is None:
            return replace(command, subject=subject, attribute=attribute, value=fact["value"])
    if value is not None and command.quantity is None:
        value = vocabulary.value_of(attribute, value)
    return replace(command, subject=subject, attribute=attribute, value=value)


def keep(effects: Effects, intake: Intake) -> None:
    """Add the rows of the evidence, and retire what is replaced: also what came in the same batch."""
    rows = (_row(intake.origin[subject_of(place), item.id], item) for place, item in intake.placed)
    effects.write("conflict.insert_claims", *rows)
    replaced = intake.replaced.items()
    retired = ({"subject_key": key, "turn_id": turn, "generation": highest} for (key, turn), highest in replaced)
    effects.write("conflict.retire_claims", *retired)


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
        "extractor": event.body.extractor,
    }


def basis_of(item: Evidence) -> str:
    """For the metric: the claim's basis, or that it is a command."""
    if isinstance(item, Claim):
        return str(item.basis) if item.kind is Kind.VALUE else str(item.kind)
    return "command"
