"""Builds slots from few words: a conversation of claims, its sessions, and the replay of both."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
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
    Evidence,
    Kind,
    Polarity,
)
from lithify.domain.ids import derive
from lithify.domain.policy import Policy, PromotionPolicy
from lithify.domain.sessions import Session, fold_sessions
from lithify.domain.slots import replay
from lithify.domain.slots.state import SlotState

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""A Monday, nine in the morning: day 0 of most conversations here."""
EAGER = Policy(
    promotion=PromotionPolicy(
        hazard=1 / 2000,
        episode_rate=1 / 5000,
        deviation_rates=((0.15, 1.0),),
        cue_rates=((0.6, 1.0),),
        cue_noise=((0.02, 1.0),),
    )
)
"""Promotes on the fourth day in a row: for tests of rules that do not ask how soon."""
SLOT = "6a1d8c4e-0000-5000-8000-000000000001"
DIET = Attribute("diet", AttributeKind.STATE, Cardinality.SINGLE, "diet", "饮食")
LIKES = Attribute(
    "likes",
    AttributeKind.PREFERENCE,
    Cardinality.MULTI,
    "likes",
    "喜好",
    is_a={
        "latte": ("coffee",),
        "americano": ("coffee",),
        "pour-over yirgacheffe": ("pour-over",),
        "pour-over": ("coffee",),
    },
)
ALLERGY = Attribute("allergy", AttributeKind.SAFETY, Cardinality.MULTI, "allergy", "过敏")


def day(number: float, hour: float = 9.0) -> datetime:
    """An instant `number` days after the first day, at `hour` UTC."""
    return START.replace(hour=0) + timedelta(days=number, hours=hour)


def midnight(at: datetime, zone: str = "UTC") -> datetime:
    """The instant (UTC) of the local midnight that ends the local date of `at`."""
    local = at.astimezone(ZoneInfo(zone)).date() + timedelta(days=1)
    return datetime(local.year, local.month, local.day, tzinfo=ZoneInfo(zone)).astimezone(UTC)


@dataclass
class Talk:
    """A conversation about one slot. Each turn is its own session unless one is named."""

    attribute: Attribute = DIET
    policy: Policy = field(default_factory=Policy)
    zone: str = "UTC"
    evidence: list[Evidence] = field(default_factory=list)
    ends: dict[str, list[datetime]] = field(default_factory=dict)
    silent: dict[str, list[datetime]] = field(default_factory=dict)

    def say(self, at: datetime, value: str, basis: Basis = Basis.STATEMENT, session: str = "", **more: Any) -> Claim:
        """Add a claim. `no=True` makes it negative; other words are fields of `Claim`."""
        number = len(self.evidence)
        if more.pop("no", False):
            more["polarity"] = Polarity.NEGATIVE
        turn_id = more.pop("turn_id", f"turn-{number:04}")
        claim = Claim(
            id=derive("claim", turn_id, more.get("generation", 0), more.get("ordinal", 0)),
            turn_id=turn_id,
            session_id=session or f"session-{at:%m%d%H%M}",
            turn_index=more.pop("turn_index", 0),
            ordinal=more.pop("ordinal", 0),
            subject=USER,
            attribute=self.attribute.key,
            value=value,
            text=more.pop("text", value),
            occurred_at=at,
            local_date=at.astimezone(ZoneInfo(self.zone)).date(),
            day_end=more.pop("day_end", midnight(at, self.zone)),
            basis=basis,
            **more,
        )
        self.evidence.append(claim)
        return claim

    def choose(self, at: datetime, value: str, session: str = "", **more: Any) -> Claim:
        """Add a choice."""
        return self.say(at, value, Basis.CHOICE, session, **more)

    def change(self, at: datetime, value: str, session: str = "", **more: Any) -> Claim:
        """Add a change."""
        return self.say(at, value, Basis.CHANGE, session, **more)

    def instruct(self, at: datetime, value: str, session: str = "", **more: Any) -> Claim:
        """Add an instruction."""
        return self.say(at, value, Basis.INSTRUCTION, session, **more)

    def answer(self, at: datetime, value: str, session: str = "", **more: Any) -> Claim:
        """Add a yes (or, with `no=True`, a no) to a question about `value`."""
        return self.say(at, value, Basis.CONFIRMATION, session, **more)

    def withdraw(self, at: datetime, *topics: str, **more: Any) -> Claim:
        """Add a broad withdrawal."""
        return self.say(at, "", Basis.INSTRUCTION, kind=Kind.WITHDRAWAL, topics=topics, **more)

    def come_back(self, at: datetime, session: str = "") -> Claim:
        """Add a return cue."""
        return self.say(at, "", Basis.STATEMENT, session, kind=Kind.RETURN)

    def command(self, at: datetime, kind: CommandKind, value: str | None = None, **more: Any) -> Command:
        """Add a command."""
        number = len(self.evidence)
        if more.pop("no", False):
            more["polarity"] = Polarity.NEGATIVE
        command = Command(
            id=derive("command", number),
            kind=kind,
            session_id=more.pop("session", "") or f"session-{at:%m%d%H%M}",
            turn_index=0,
            subject=USER,
            attribute=self.attribute.key,
            occurred_at=at,
            local_date=at.astimezone(ZoneInfo(self.zone)).date(),
            day_end=midnight(at, self.zone),
            value=value,
            **more,
        )
        self.evidence.append(command)
        return command

    def chat(self, at: datetime, session: str) -> None:
        """A turn that says nothing about the slot."""
        self.silent.setdefault(session, []).append(at)

    def end(self, at: datetime, session: str) -> None:
        """An explicit end of a session."""
        self.ends.setdefault(session, []).append(at)

    def sessions(self, evidence: Sequence[Evidence] | None = None) -> list[Session]:
        """The sessions of all turns, silent ones included."""
        turns: dict[str, list[datetime]] = {key: list(times) for key, times in self.silent.items()}
        for item in self.evidence if evidence is None else evidence:
            turns.setdefault(item.session_id, []).append(item.occurred_at)
        return [
            session for key, times in turns.items() for session in fold_sessions(key, times, self.ends.get(key, ()))
        ]

    def replay(self, as_of: datetime | None = None) -> SlotState:
        """Fold the slot."""
        return replay(SLOT, self.attribute, self.evidence, self.sessions(), self.policy, as_of)


def read(state: SlotState, at: datetime, session: str | None = None) -> list[str]:
    """What a reader in `session` sees at `at`: the top override, else the facts; "not x" for a denied value.

    In a set each override shadows the fact of its own value only; use `active` and `running` there.
    """
    running = state.running(at, session)
    rows = running[-1:] or state.active(at)
    return [row.value if row.polarity is Polarity.POSITIVE else f"not {row.value}" for row in rows]


def held(state: SlotState, at: datetime) -> set[str]:
    """The facts at `at`, denied ones as "not x"."""
    return {f.value if f.polarity is Polarity.POSITIVE else f"not {f.value}" for f in state.active(at)}


def rules(state: SlotState) -> list[str]:
    """Verdicts as "kind/rule", in order."""
    return [f"{verdict.kind}/{verdict.rule}" for verdict in state.verdicts]


def hints(state: SlotState, at: datetime) -> set[str]:
    """Hints that stand at `at`, as "code/value"."""
    return {
        f"{hint.code}/{hint.value}"
        for hint in state.hints
        if hint.since <= at and (hint.until is None or at < hint.until)
    }
