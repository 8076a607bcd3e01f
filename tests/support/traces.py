"""Golden traces: conversations with what they must make true, readable by every suite.

A trace in `schemas/traces/` says what was claimed in which session, and what the slot must hold then.
Times without an offset are UTC. See `schemas/traces/README.md` for the fields.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from lithify.domain.catalog import Attribute, AttributeKind
from lithify.domain.claims import (
    USER,
    Basis,
    Cardinality,
    Claim,
    Command,
    CommandKind,
    Cue,
    Evidence,
    Kind,
    Polarity,
    Quantity,
    Scope,
)
from lithify.domain.ids import derive
from lithify.domain.sessions import Session, fold_sessions
from lithify.domain.slots.state import SlotState

FOLDER = Path(__file__).resolve().parents[2] / "schemas" / "traces"


@dataclass(frozen=True)
class Trace:
    """One trace, with its evidence built."""

    name: str
    title: str
    attribute: Attribute
    evidence: tuple[Evidence, ...]
    sessions: tuple[Session, ...]
    expect: dict[str, Any]
    turns: tuple[tuple[str, str, datetime], ...] = ()
    """Id, session and instant of every turn, those without claims included."""
    ends: tuple[tuple[str, datetime], ...] = ()
    """Explicit session ends."""


def paths() -> list[Path]:
    """All traces, by name."""
    return sorted(FOLDER.glob("*.json"))


def load(path: Path) -> Trace:
    """Read one trace. A field that is missing or unknown raises."""
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    unknown = data.keys() - {"title", "cases", "rules", "zone", "attribute", "turns", "ends", "expect"}
    if unknown:
        raise ValueError(f"{path.name}: unknown fields {sorted(unknown)}")
    zone = ZoneInfo(data.get("zone", "UTC"))
    attribute = _attribute(data["attribute"])
    evidence = [item for number, turn in enumerate(data["turns"]) for item in _turn(turn, number, attribute.key, zone)]
    turns = [
        (_turn_id(turn, number), turn["session"], instant(turn["at"])) for number, turn in enumerate(data["turns"])
    ]
    ends = [(end["session"], instant(end["at"])) for end in data.get("ends", [])]
    sessions = tuple(_sessions(data))
    return Trace(
        path.stem, data["title"], attribute, tuple(evidence), sessions, data["expect"], tuple(turns), tuple(ends)
    )


def _turn_id(turn: dict[str, Any], number: int) -> str:
    return str(turn.get("id", f"turn-{number:03}"))


def instant(text: str) -> datetime:
    """An instant; UTC where no offset is given."""
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _attribute(data: dict[str, Any]) -> Attribute:
    is_a = {value: tuple(broader) for value, broader in data.get("is_a", {}).items()}
    kind, cardinality = AttributeKind(data["kind"]), Cardinality(data["cardinality"])
    return Attribute(data["key"], kind, cardinality, data["key"], data["key"], is_a=is_a)


def _turn(turn: dict[str, Any], number: int, attribute: str, zone: ZoneInfo) -> list[Evidence]:
    at = instant(turn["at"])
    local = at.astimezone(zone).date()
    tomorrow = local + timedelta(days=1)
    where: dict[str, Any] = {
        "session_id": turn["session"],
        "turn_index": 0,
        "subject": USER,
        "attribute": attribute,
        "occurred_at": at,
        "local_date": local,
        "day_end": datetime(tomorrow.year, tomorrow.month, tomorrow.day, tzinfo=zone).astimezone(UTC),
    }
    turn_id = _turn_id(turn, number)
    claims: list[Evidence] = [
        _claim(claim, turn_id, ordinal, where) for ordinal, claim in enumerate(turn.get("claims", []))
    ]
    if "command" in turn:
        command = turn["command"]
        kind, side = CommandKind(command["kind"]), _polarity(command)
        claims.append(Command(id=turn_id, kind=kind, value=command.get("value"), polarity=side, **where))
    return claims


def _claim(data: dict[str, Any], turn_id: str, ordinal: int, where: dict[str, Any]) -> Claim:
    number = data.get("number")
    return Claim(
        id=derive("claim", turn_id, ordinal),
        turn_id=turn_id,
        ordinal=ordinal,
        value=data.get("value", ""),
        text=data.get("text", data.get("value", "")),
        polarity=_polarity(data),
        kind=Kind(data.get("kind", "value")),
        basis=Basis(data.get("basis", "self_statement")),
        cue=Cue(data.get("cue", "none")),
        scope=Scope(data.get("scope", "session")),
        valid_from=instant(data["from"]) if "from" in data else None,
        valid_to=instant(data["to"]) if "to" in data else None,
        topics=tuple(data.get("topics", ())),
        quantity=Quantity(*number) if number else None,
        **where,
    )


def _polarity(data: dict[str, Any]) -> Polarity:
    return Polarity.NEGATIVE if data.get("not") else Polarity.POSITIVE


def _sessions(data: dict[str, Any]) -> list[Session]:
    turns: dict[str, list[datetime]] = {}
    for turn in data["turns"]:
        turns.setdefault(turn["session"], []).append(instant(turn["at"]))
    ends: dict[str, list[datetime]] = {}
    for end in data.get("ends", []):
        ends.setdefault(end["session"], []).append(instant(end["at"]))
    return [session for key, times in turns.items() for session in fold_sessions(key, times, ends.get(key, ()))]


def outcome(state: SlotState) -> dict[str, Any]:
    """What a state says, in the words of a trace's `expect` (all but `reads`)."""
    return {
        "facts": [
            {
                "value": shown(fact.value, fact.polarity),
                "from": _text(fact.valid_from),
                "to": _text(fact.valid_to),
            }
            | ({"corrected": True} if fact.corrected else {})
            for fact in state.facts
        ],
        "overrides": [
            _interval(row.value, row.polarity, row.started_at, row.ends_at)
            | {"rule": row.end_rule, "session": row.session[0] if row.session else None}
            for row in state.overrides
        ],
        "verdicts": [f"{v.kind}/{v.rule} {shown(v.value, v.polarity)}".rstrip() for v in state.verdicts],
        "hints": [f"{hint.code} {shown(hint.value, hint.polarity)}" for hint in state.hints],
        "conflicts": len(state.conflicts),
    }


def _interval(value: str, polarity: Polarity, start: datetime, end: datetime | None) -> dict[str, Any]:
    return {"value": shown(value, polarity), "from": _text(start), "to": _text(end)}


def seen(state: SlotState, at: datetime, session: str | None) -> list[str]:
    """What a reader is given: the facts, then the overrides in brackets, the newest last."""
    facts = [shown(fact.value, fact.polarity) for fact in state.active(at)]
    return facts + [f"({shown(row.value, row.polarity)})" for row in state.running(at, session)]


def shown(value: str, polarity: Polarity) -> str:
    """A value with its side: "x", or "not x"."""
    return f"not {value}" if polarity is Polarity.NEGATIVE else value


def _text(at: datetime | None) -> str | None:
    return at.strftime("%Y-%m-%dT%H:%M") if at else None
