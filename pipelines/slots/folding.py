"""Fold slots and write what differs from what is stored. Used by conflict, reflection, and every refold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from lithify.domain.catalog import Attribute, Catalog
from lithify.domain.claims import Claim, Evidence, order
from lithify.domain.policy import Policy
from lithify.domain.sessions import Session
from lithify.domain.slots import replay
from lithify.domain.slots.state import Conflict, SlotState, Verdict
from pipelines import metrics
from pipelines.effects import Effects
from pipelines.slots.evidence import stored_evidence, stored_sessions
from pipelines.slots.rows import TABLES, VERDICTS, Fields, SlotKey, conflict_row, stored_fields, table_rows
from pipelines.store.unit_of_work import UnitOfWork, json_value

Placed = tuple[SlotKey | tuple[str, str], Evidence]
"""Evidence and where it belongs: a slot, or every slot of (subject key, subject)."""


@dataclass(frozen=True, slots=True)
class Folded:
    """One slot after its fold."""

    key: SlotKey
    state: SlotState
    version: int
    gone: tuple[Fields, ...]
    """Facts and overrides that are no longer believed, as they were stored."""
    come: tuple[Fields, ...]
    """Facts and overrides that are believed now and were not."""
    new_verdicts: tuple[Verdict, ...]
    new_conflicts: tuple[Conflict, ...]

    @property
    def changed(self) -> bool:
        """Whether any fact or override differs from what was stored."""
        return bool(self.gone or self.come)


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the tables hold for the slots of a batch."""

    rows: Mapping[str, Mapping[str, Mapping[str, Fields]]]
    """Table name to slot id to row id to fields."""
    conflicts: Mapping[str, set[tuple[str, str]]]
    """Slot id to (conflict id, resolution)."""
    versions: Mapping[str, int]


class Shadow:
    """A second policy that decides beside the live one and writes nothing: what it would change is counted."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def compare(
        self,
        key: SlotKey,
        attribute: Attribute,
        items: Sequence[Evidence],
        sessions: Sequence[Session],
        live: SlotState,
    ) -> None:
        """Count one fold by what differs: facts, overrides, contenders or nothing."""
        other = replay(key.slot_id, attribute, items, sessions, self._policy)
        for name in ("facts", "overrides", "contenders"):
            if getattr(other, name) != getattr(live, name):
                metrics.SHADOW_FOLDS.labels(name).inc()
                return
        metrics.SHADOW_FOLDS.labels("nothing").inc()


class Folder:
    """Reads evidence, replays, and turns the difference into effects."""

    def __init__(self, catalog: Catalog, policy: Policy, shadow: "Shadow | None" = None) -> None:
        self._catalog = catalog
        self._policy = policy
        self._shadow = shadow

    async def fold(
        self,
        unit: UnitOfWork,
        effects: Effects,
        slots: Iterable[SlotKey],
        evidence: Sequence[Placed] = (),
        *,
        replaced_turns: Mapping[tuple[str, str], int] | None = None,
        as_of: datetime | None = None,
    ) -> list[Folded]:
        """Fold slots over their stored evidence and what is new.

        Args:
            unit: the open transaction, with the subjects locked.
            effects: gets the rows to write.
            slots: which ones, each once.
            evidence: new evidence, by slot, or by (subject key, subject) where it enters every slot of a subject.
            replaced_turns: (subject key, turn id) to generation: evidence of a lower one no longer counts, be it stored
                or new (a batch may hold several generations of a turn).
            as_of: what the slot still awaits is worked out from here; by default from its last evidence.
        """
        wanted = sorted(set(slots))
        if not wanted:
            return []
        found = await stored_evidence(unit, wanted)
        sessions = await stored_sessions(unit, {key.subject_key for key in wanted})
        stored = await _stored_rows(unit, wanted)
        now = await unit.now()
        folded = []
        for key in wanted:
            items = _without(key, found[key] + _entering(key, evidence), replaced_turns or {})
            if items or key.slot_id in stored.versions:  # a slot that lost all of its evidence holds nothing any more
                folded.append(
                    self._fold_one(effects, key, items, sessions.get(key.subject_key, []), stored, now, as_of)
                )
        return folded

    def _fold_one(
        self,
        effects: Effects,
        key: SlotKey,
        items: list[Evidence],
        sessions: Sequence[Session],
        stored: _Stored,
        now: datetime,
        as_of: datetime | None,
    ) -> Folded:
        attribute = self._attribute(key, items)
        state = replay(key.slot_id, attribute, items, sessions, self._policy)
        open_state = state if as_of is None else replay(key.slot_id, attribute, items, sessions, self._policy, as_of)
        gone, come = _write_rows(effects, key, state, stored, now)
        changed = bool(gone or come)
        known = stored.conflicts.get(key.slot_id, set())
        conflicts = tuple(c for c in state.conflicts if (c.id, str(c.resolution)) not in known)
        effects.write("slots.insert_conflicts", *({**conflict_row(key, c), "recorded_at": now} for c in conflicts))
        known_verdicts = stored.rows["verdicts"].get(key.slot_id, {})
        verdicts = tuple(v for v in state.verdicts if v.id not in known_verdicts)
        version = stored.versions[key.slot_id] + (1 if changed or as_of is not None else 0)
        effects.write("slots.upsert_slots", _slot_row(key, open_state, version, state))
        if changed:
            effects.changed_subjects.add(key.subject_key)
        for verdict in verdicts:
            effects.count(metrics.VERDICTS, str(verdict.kind), verdict.rule)
        if self._shadow is not None:
            self._shadow.compare(key, attribute, items, sessions, state)
        return Folded(key, state, version, gone, come, verdicts, conflicts)

    def _attribute(self, key: SlotKey, items: Sequence[Evidence]) -> Attribute:
        """For a free attribute, the slot's first claim in evidence order decides the cardinality."""
        hints = (item.cardinality for item in sorted(items, key=order) if isinstance(item, Claim))
        return self._catalog.get(key.attribute, next((hint for hint in hints if hint is not None), None))


def _without(key: SlotKey, items: list[Evidence], replaced: Mapping[tuple[str, str], int]) -> list[Evidence]:
    return [
        item
        for item in items
        if not (isinstance(item, Claim) and item.generation < replaced.get((key.subject_key, item.turn_id), 0))
    ]


def _entering(key: SlotKey, evidence: Sequence[Placed]) -> list[Evidence]:
    subject = (key.subject_key, key.subject)
    return [item for place, item in evidence if place in (key, subject)]


def _write_rows(
    effects: Effects, key: SlotKey, state: SlotState, stored: _Stored, now: datetime
) -> tuple[tuple[Fields, ...], tuple[Fields, ...]]:
    """Write what differs; returns the facts and overrides that go, and those that come."""
    gone: list[Fields] = []
    come: list[Fields] = []
    for table, fresh in table_rows(key, state).items():
        before = stored.rows[table].get(key.slot_id, {})
        old = {row_id: fields for row_id, fields in before.items() if fresh.get(row_id) != fields}
        new = [fields for row_id, fields in fresh.items() if before.get(row_id) != fields]
        effects.write(f"slots.close_{table}", *({"tenant": key.tenant, "id": row_id, "sys_to": now} for row_id in old))
        effects.write(f"slots.insert_{table}", *({**fields, "sys_from": now} for fields in new))
        if table != VERDICTS.name:
            gone += old.values()
            come += new
    return tuple(gone), tuple(come)


def _slot_row(key: SlotKey, open_state: SlotState, version: int, state: SlotState) -> Fields:
    return {
        **key._asdict(),
        "slot_id": key.slot_id,
        "version": version,
        "contenders": json_value(open_state.contenders),
        "hints": json_value(state.hints),
        "next_change_at": open_state.next_change_at,
    }


async def _stored_rows(unit: UnitOfWork, slots: Sequence[SlotKey]) -> _Stored:
    ids = [key.slot_id for key in slots]
    rows: dict[str, dict[str, dict[str, Fields]]] = {}
    for table in TABLES:
        by_slot: dict[str, dict[str, Fields]] = {}
        for row in await unit.fetch(f"slots.stored_{table.name}", slots=ids):
            fields = stored_fields(row)
            by_slot.setdefault(fields["slot_id"], {})[fields[table.id_column]] = fields
        rows[table.name] = by_slot
    conflicts: dict[str, set[tuple[str, str]]] = {}
    for row in await unit.fetch("slots.stored_conflicts", slots=ids):
        conflicts.setdefault(str(row["slot_id"]), set()).add((str(row["conflict_id"]), row["resolution"]))
    versions = {str(row["slot_id"]): row["version"] for row in await unit.fetch("slots.versions", slots=ids)}
    return _Stored(rows, conflicts, versions)
