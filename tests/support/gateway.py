"""A gateway over a real database, a publisher that keeps what it was given, and rows to read."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString
from uuid import NAMESPACE_URL, UUID, uuid5

import httpx
import psycopg
from psycopg import sql
from psycopg.types.json import Json, Jsonb
from pydantic import SecretStr

from lithify.domain.catalog import Attribute, AttributeKind, Catalog, Sensitivity
from lithify.domain.claims import Cardinality
from lithify.events import Inbound, TurnDecided
from pipelines.envelope import Origin, seal
from pipelines.settings import Settings
from pipelines.store.pool import make_pool
from tests.support.servers import Database as Addresses
from workers.gateway.app import create_app
from workers.gateway.database import Database
from workers.gateway.deps import Deps
from workers.gateway.faults import UnavailableError
from workers.gateway.publisher import Recent
from workers.gateway.scope import Who

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
FERNET = "MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="


def make_settings(database_url: str, **changed: Any) -> Settings:
    """Settings of a gateway in a test, whose database may be held up by other work."""
    changed = {"gateway_answer_seconds": 60.0, "pool_timeout_seconds": 60.0} | changed
    return Settings(
        kafka_bootstrap=changed.pop("kafka_bootstrap", "127.0.0.1:1"),
        database_url=SecretStr(database_url),
        pseudonym_key=SecretStr("a test's pseudonym key"),
        dead_letter_key=SecretStr(FERNET),
        **changed,
    )


def make_catalog() -> Catalog:
    """A small catalog with one attribute of each kind."""
    single, multi = Cardinality.SINGLE, Cardinality.MULTI
    entries = [
        Attribute("name", AttributeKind.IDENTITY, single, "name", "名字"),
        Attribute("diet", AttributeKind.PREFERENCE, single, "diet", "饮食"),
        Attribute("home", AttributeKind.STATE, single, "home city", "居住城市"),
        Attribute(
            "consumes",
            AttributeKind.PREFERENCE,
            multi,
            "eats and drinks",
            "吃喝",
            is_a={"latte": ("coffee",), "genmaicha": ("tea",)},
        ),
        Attribute("allergy", AttributeKind.SAFETY, multi, "allergy", "过敏"),
        Attribute("medication", AttributeKind.SAFETY, multi, "medication", "用药", Sensitivity.HIGH),
        Attribute("constraint", AttributeKind.CONSTRAINT, multi, "rule", "规则"),
    ]
    return Catalog({entry.key: entry for entry in entries})


class MemoryPublisher:
    """Keeps events instead of sending them; can be told that the broker is down."""

    def __init__(self) -> None:
        self.events: list[Inbound] = []
        self.down = False
        self._recent = Recent()

    async def publish(self, events: Sequence[Inbound]) -> None:
        """Keep `events`. Raises UnavailableError while down."""
        if self.down:
            raise UnavailableError("the broker did not acknowledge")
        self.events += events
        for event in events:
            self._recent.add(event)

    def published(self, tenant: str, user_id: str, event_id: str) -> bool:
        """Whether the event was kept."""
        return (tenant, user_id, event_id) in self._recent

    async def ready(self) -> str:
        """Say ok unless down."""
        return "unreachable" if self.down else "ok"


@dataclass
class World:
    """One gateway in a test: its client, its publisher, and a way to put rows under it."""

    http: httpx.AsyncClient
    publisher: MemoryPublisher
    deps: Deps
    rows: "Rows"


@asynccontextmanager
async def gateway_over(database: Addresses, **changed: Any) -> AsyncIterator[World]:
    """A gateway over `database`; `changed` replaces parts of its Deps."""
    settings = changed.pop("settings", None) or make_settings(database.gateway_url)
    publisher = MemoryPublisher()
    reader = Database(make_pool(settings, "gateway"), settings.gateway_answer_seconds)
    await reader.open()
    deps = replace(
        Deps(settings, reader, publisher, make_catalog(), clock=lambda: NOW),
        **changed,
    )
    transport = httpx.ASGITransport(app=create_app(deps))
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            yield World(http, publisher, deps, Rows(database.superuser_url, deps))
    finally:
        await reader.close()


def uid(name: str) -> UUID:
    """A stable id for a readable name."""
    return uuid5(NAMESPACE_URL, name)


@dataclass
class Rows:
    """Puts rows under the gateway, as the workers would."""

    url: str
    deps: Deps
    defaults: dict[str, Any] = field(default_factory=dict)

    def who(self, user: str, tenant: str = "default") -> Who:
        """The scope of a user."""
        return self.deps.who(tenant, user)

    def subject(self, user: str, *, version: int = 1, tenant: str = "default") -> None:
        """The user is known."""
        who = self.who(user, tenant)
        values = {"tenant": tenant, "subject_key": who.subject_key, "user_id": user, "version": version}
        self._insert("subjects", values, "on conflict (tenant, subject_key) do update set version = excluded.version")

    def slot(self, user: str, attribute: str, **changed: Any) -> UUID:
        """A slot; returns its id."""
        slot_id = uid(f"{user}/{attribute}")
        row = {
            "slot_id": slot_id,
            "subject": "user",
            "attribute": attribute,
            "version": 1,
            "contenders": Jsonb([]),
            "hints": Jsonb([]),
        }
        self._of(user, "slots", row | changed, "on conflict do nothing")
        return slot_id

    def fact(self, user: str, attribute: str, value: str, **changed: Any) -> UUID:
        """A fact, believed since long ago; returns its id."""
        fact_id = uid(f"{user}/{attribute}/{value}")
        row = {
            "fact_id": fact_id,
            "slot_id": self.slot(user, attribute),
            "subject": "user",
            "attribute": attribute,
            "value": value,
            "text": value,
            "polarity": "positive",
            "valid_from": NOW - timedelta(days=20),
            "confidence": 0.9,
            "opened_by": "statement",
            "mentions": 1,
            "last_mention": NOW - timedelta(days=1),
            "pinned": False,
            "corrected": False,
            "claim_ids": Jsonb([]),
            "sys_from": NOW - timedelta(days=20),
        }
        self._of(user, "facts", row | changed)
        return fact_id

    def override(self, user: str, attribute: str, value: str, **changed: Any) -> UUID:
        """An override that runs until tomorrow; returns its id."""
        override_id = uid(f"{user}/{attribute}/{value}/override")
        row = {
            "override_id": override_id,
            "slot_id": self.slot(user, attribute),
            "subject": "user",
            "attribute": attribute,
            "value": value,
            "text": value,
            "polarity": "positive",
            "started_at": NOW - timedelta(hours=1),
            "ends_at": NOW + timedelta(days=1),
            "stated_end": True,
            "last_mention": NOW - timedelta(hours=1),
            "end_rule": "stated_end",
            "claim_ids": Jsonb([]),
            "sys_from": NOW - timedelta(hours=1),
        }
        self._of(user, "overrides", row | changed)
        return override_id

    def turn(self, user: str, turn_id: str, content: str, **changed: Any) -> None:
        """A stored turn."""
        row = {
            "turn_id": turn_id,
            "session_id": "s1",
            "role": "user",
            "content": content,
            "timezone": "UTC",
            "turn_index": 0,
            "importance": 5,
            "skipped": False,
            "body": Jsonb({}),
            "occurred_at": NOW - timedelta(minutes=5),
            "received_at": NOW - timedelta(minutes=5),
            "epoch": 0,
        }
        self._of(user, "turns", row | changed)

    def decided(self, user: str, turn_id: str, outcome: str, **told: Any) -> Json:
        """The column of a decided turn."""
        origin = Origin("default", self.who(user).subject_key, NOW, NOW)
        body = TurnDecided(turn_id=turn_id, session_id="s1", outcome=outcome, **told)
        return Json(json.loads(seal(origin, turn_id, body, self.deps.codec)))

    def claim(self, user: str, attribute: str, value: str, turn_id: str, **changed: Any) -> UUID:
        """A claim read from a turn; returns its id."""
        claim_id = uid(f"{user}/{turn_id}/{value}")
        body = {"value": value, "polarity": "positive", "basis": "self_statement", "cue": "none", "span": [0, 4]}
        row = {
            "claim_id": claim_id,
            "turn_id": turn_id,
            "session_id": "s1",
            "subject": "user",
            "attribute": attribute,
            "kind": "value",
            "generation": 0,
            "occurred_at": NOW - timedelta(minutes=5),
            "body": Jsonb(body),
        }
        self._of(user, "claims", row | changed)
        return claim_id

    def verdict(self, user: str, attribute: str, value: str, **changed: Any) -> UUID:
        """A verdict about a slot; returns its id."""
        verdict_id = uid(f"{user}/{attribute}/{value}/verdict")
        row = {
            "verdict_id": verdict_id,
            "slot_id": self.slot(user, attribute),
            "kind": "established",
            "rule": "empty_slot",
            "at": NOW - timedelta(days=20),
            "sys_from": NOW - timedelta(days=20),
            "value": value,
            "polarity": "positive",
            "claim_ids": Jsonb([]),
            "trace": Jsonb({}),
        }
        self._of(user, "verdicts", row | changed)
        return verdict_id

    def conflict(self, user: str, attribute: str, claim_id: UUID, fact_id: UUID, **changed: Any) -> None:
        """A claim disagreed with a fact."""
        row = {
            "conflict_id": uid(f"{claim_id}/{fact_id}"),
            "slot_id": self.slot(user, attribute),
            "subject": "user",
            "attribute": attribute,
            "at": NOW,
            "recorded_at": NOW,
            "claim_id": claim_id,
            "fact_id": fact_id,
            "claim_turn_id": "t1",
            "fact_claim_id": "c0",
            "claim_value": "meat",
            "fact_value": "vegetarian",
            "resolution": "overridden",
        }
        self._of(user, "conflicts", row | changed)

    def episode(self, user: str, name: str, summary: str, **changed: Any) -> UUID:
        """An episode; returns its id."""
        episode_id = uid(f"{user}/{name}")
        row = {
            "episode_id": episode_id,
            "session_id": "s0",
            "started_at": NOW - timedelta(days=3),
            "ended_at": NOW - timedelta(days=3) + timedelta(minutes=10),
            "summary": summary,
            "importance": 5,
            "turn_ids": Jsonb([]),
        }
        self._of(user, "episodes", row | changed)
        return episode_id

    def embedding(self, user: str, item: UUID, model: str, vector: list[float], kind: str = "fact") -> None:
        """The vector of an item."""
        row = {"item_kind": kind, "item_id": item, "model": model, "dimension": len(vector), "embedding": str(vector)}
        self._of(user, "embeddings", row)

    def _of(self, user: str, table: str, row: dict[str, Any], tail: LiteralString = "") -> None:
        who = self.who(user, row.pop("tenant", "default"))
        self._insert(table, {"tenant": who.tenant, "subject_key": who.subject_key} | row, tail)

    def _insert(self, table: str, row: dict[str, Any], tail: LiteralString = "") -> None:
        statement = sql.SQL("insert into {} ({}) values ({}) {}").format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, row)),
            sql.SQL(", ").join(map(sql.Placeholder, row)),
            sql.SQL(tail),
        )
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement, row)
