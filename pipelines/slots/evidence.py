"""Evidence and sessions of slots, as the fold takes them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from lithify.domain.claims import Claim, Command, Evidence, Kind
from lithify.domain.sessions import Session
from pipelines.slots.rows import SlotKey
from pipelines.store.unit_of_work import UnitOfWork

COMMAND = "command"
_claims = msgspec.json.Decoder(Claim)
_commands = msgspec.json.Decoder(Command)
BROAD = (Kind.WITHDRAWAL, Kind.RETURN)


def decode_evidence(kind: str, body: str) -> Evidence:
    """A stored body as the domain's record."""
    return _commands.decode(body) if kind == COMMAND else _claims.decode(body)


def evidence_kind(item: Evidence) -> str:
    """What the `kind` column holds for it."""
    return COMMAND if isinstance(item, Command) else str(item.kind)


def is_broad(item: Evidence) -> bool:
    """Whether it enters every slot of its subject."""
    return isinstance(item, Claim) and item.kind in BROAD


async def stored_evidence(unit: UnitOfWork, slots: Iterable[SlotKey]) -> dict[SlotKey, list[Evidence]]:
    """What is stored for each slot, the broad evidence of its subject included."""
    wanted = list(slots)
    found: dict[SlotKey, list[Evidence]] = {key: [] for key in wanted}
    broad: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    rows = await unit.fetch("slots.evidence", rows=[key._asdict() for key in wanted])
    for row in rows:
        item = decode_evidence(row["kind"], row["body"])
        if is_broad(item):
            broad[row["subject_key"], row["subject"]].append(item)
        else:
            found[SlotKey(row["tenant"], row["subject_key"], row["subject"], row["attribute"])].append(item)
    for key, items in found.items():
        items.extend(broad.get((key.subject_key, key.subject), ()))
    return found


async def stored_sessions(unit: UnitOfWork, subjects: Iterable[str]) -> Mapping[str, list[Session]]:
    """All sessions of some subjects, by subject key."""
    found: dict[str, list[Session]] = defaultdict(list)
    for row in await unit.fetch("slots.sessions", subjects=sorted(set(subjects))):
        found[row["subject_key"]].append(_session(row))
    return found


def _session(row: Mapping[str, Any]) -> Session:
    return Session(row["started_at"], row["last_at"], row["ended_at"], row["session_id"], row["explicit"])
