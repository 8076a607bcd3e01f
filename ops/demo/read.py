"""Reading back, through the gateway alone: what was decided and why, and what an agent would have been told."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from lithify.client import Context, Explanation, Lithify, TurnOutcome
from lithify.domain.claims import USER
from lithify.domain.slots.state import VerdictKind
from lithify.events import Turn
from lithify.events.api import VerdictView
from ops.demo.play import Played
from ops.demo.script import Look, Script, session_id

BUDGET_TOKENS = 500
_TRIES = 10
_BY_TIME = (VerdictKind.LAPSED, VerdictKind.PROMOTED, VerdictKind.RETRACTED)


@dataclass(frozen=True, slots=True)
class Decided:
    """One verdict, and the slot it is about."""

    subject: str
    attribute: str
    verdict: VerdictView

    @property
    def by_time(self) -> bool:
        """Whether time decided, not a turn."""
        return VerdictKind(self.verdict.kind) in _BY_TIME


@dataclass(frozen=True, slots=True)
class Said:
    """A turn, what became of it, and what it decided."""

    turn: Turn
    outcome: TurnOutcome
    decided: tuple[Decided, ...]


@dataclass(frozen=True, slots=True)
class Looked:
    """What an agent was told at a moment."""

    title: str
    at: datetime
    timezone: str
    query: str | None
    context: Context

    def values(self, attribute: str, kind: str) -> list[str]:
        """The lines shown about an attribute of the user, of one kind (fact, override, ...)."""
        shown = self.context.items
        return [item.line for item in shown if (item.subject, item.attribute, item.kind) == (USER, attribute, kind)]


@dataclass(frozen=True, slots=True)
class Diary:
    """Everything the demo shows and checks."""

    script: Script
    said: tuple[Said, ...]
    by_time: tuple[Decided, ...]
    """Lapses, promotions and retractions, in order of time."""
    looked: tuple[Looked, ...]
    slots: Mapping[tuple[str, str], Explanation]
    """By (subject, attribute)."""

    def look(self, title: str) -> Looked:
        """The look of this title. Raises KeyError."""
        found = {item.title: item for item in self.looked}
        return found[title]


def read_back(script: Script, played: Played, memory: Lithify) -> Diary:
    """Read everything about the user.

    Raises:
        Unavailable: the gateway cannot be reached.
    """
    slots = _slots(script, memory)
    decided = [
        Decided(subject, attribute, verdict)
        for (subject, attribute), slot in slots.items()
        for verdict in slot.verdicts
    ]
    turn_of = {claim.id: claim.turn_id for slot in slots.values() for claim in slot.claims}
    by_turn: dict[str, list[Decided]] = {}
    for item in decided:
        if not item.by_time:
            by_turn.setdefault(turn_of[item.verdict.claim_ids[-1]], []).append(item)
    said = [Said(turn, played.outcomes[turn.id], tuple(by_turn.get(turn.id, ()))) for turn in played.turns]
    by_time = sorted((item for item in decided if item.by_time), key=lambda item: item.verdict.at)
    return Diary(script, tuple(said), tuple(by_time), tuple(_looks(script, by_time, memory)), slots)


def _slots(script: Script, memory: Lithify) -> dict[tuple[str, str], Explanation]:
    known = memory.facts(script.user, history=True, as_of=script.ends_at)
    ids = [row.slot_id for row in known.facts] + [row.slot_id for row in known.overrides]
    ids += [row.slot_id for row in known.contenders]
    found = [memory.explain(script.user, slot_id) for slot_id in dict.fromkeys(ids)]
    return {(slot.subject, slot.attribute): slot for slot in found}


def _looks(script: Script, by_time: Iterable[Decided], memory: Lithify) -> list[Looked]:
    looked = [_ask(script, memory, look, script.instant(look.day, look.at, look.timezone)) for look in script.looks]
    for item in by_time:
        if item.verdict.kind == VerdictKind.PROMOTED:
            at = item.verdict.at
            for title, moment in (("just before that midnight", at - timedelta(seconds=1)), ("from that midnight", at)):
                look = Look(title=title, day=script.day_of(at), at="24:00", query=script.midnight_query)
                looked.append(_ask(script, memory, look, moment))
    return sorted(looked, key=lambda item: item.at)


def _ask(script: Script, memory: Lithify, look: Look, at: datetime) -> Looked:
    context = _context(script, memory, look, at)
    for _ in range(_TRIES):
        # On a busy machine an answer may come without similarity; the demo shows what is normal.
        if not any(notice.code == "embedder_slow" for notice in context.notices):
            break
        context = _context(script, memory, look, at)
    return Looked(look.title, at, look.timezone or script.timezone, look.query, context)


def _context(script: Script, memory: Lithify, look: Look, at: datetime) -> Context:
    return memory.context(
        script.user,
        session_id=session_id(look.session) if look.session is not None else None,
        query=look.query,
        budget_tokens=BUDGET_TOKENS,
        lang="en",
        as_of=at,
    )
