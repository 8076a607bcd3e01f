"""Rows of slots: from the domain's records to what the tables hold, comparable with what is stored."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple
from uuid import UUID

from lithify.domain.ids import slot_id
from lithify.domain.slots.state import Conflict, Fact, Override, SlotState, Verdict

Fields = dict[str, Any]


class SlotKey(NamedTuple):
    """Which slot."""

    tenant: str
    subject_key: str
    subject: str
    attribute: str

    @property
    def slot_id(self) -> str:
        """UUIDv5 of the four."""
        return slot_id(*self)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of slot rows: how its rows are named and made."""

    name: str
    id_column: str


FACTS = Table("facts", "fact_id")
OVERRIDES = Table("overrides", "override_id")
VERDICTS = Table("verdicts", "verdict_id")
TABLES = (FACTS, OVERRIDES, VERDICTS)


def table_rows(key: SlotKey, state: SlotState) -> dict[str, dict[str, Fields]]:
    """All bi-temporal rows of a state: table name to id to fields."""
    return {
        FACTS.name: {fact.id: _fact(key, fact) for fact in state.facts},
        OVERRIDES.name: {item.id: _override(key, item) for item in state.overrides},
        VERDICTS.name: {item.id: _verdict(key, item) for item in state.verdicts},
    }


def _place(key: SlotKey) -> Fields:
    return {**key._asdict(), "slot_id": key.slot_id}


def _fact(key: SlotKey, fact: Fact) -> Fields:
    fields = asdict(fact)
    return {**_place(key), "fact_id": fields.pop("id"), **fields, "claim_ids": list(fact.claim_ids)}


def _override(key: SlotKey, item: Override) -> Fields:
    fields = asdict(item)
    session = fields.pop("session")
    return {
        **_place(key),
        "override_id": fields.pop("id"),
        **fields,
        "session_id": session[0] if session else None,
        "session_started_at": session[1] if session else None,
        "claim_ids": list(item.claim_ids),
    }


def _verdict(key: SlotKey, item: Verdict) -> Fields:
    fields = asdict(item)
    place = _place(key)
    del place["subject"], place["attribute"]
    return {**place, "verdict_id": fields.pop("id"), **fields, "claim_ids": list(item.claim_ids)}


def conflict_row(key: SlotKey, item: Conflict) -> Fields:
    """The append-only row of a conflict event."""
    fields = asdict(item)
    return {**_place(key), "conflict_id": fields.pop("id"), **fields}


def stored_fields(row: Mapping[str, Any]) -> Fields:
    """A stored row as the domain would make it, so that equal rows compare equal."""
    return {name: str(value) if isinstance(value, UUID) else value for name, value in row.items()}
