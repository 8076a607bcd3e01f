"""The same suite against the fake and against a gateway with the four workers behind it: the fake stays honest.

The fake does not understand text, so what turns claim is taught to it; the workers read the same words by rules.
"""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from lithify.client import (
    AsyncLithify,
    BudgetTooSmall,
    ContextTurn,
    Invalid,
    Lithify,
    NotFound,
    Turn,
    Unavailable,
)
from lithify.domain.claims import Basis
from lithify.events import Role
from lithify.testing import AsyncFakeLithify, FakeLithify
from pipelines.language.catalog import load_catalog
from tests.support.processes import PATIENCE
from tests.support.served import served
from tests.support.servers import Database

VEGETARIAN = "I am vegetarian."
MOVED = "I moved to Rotterdam."


@pytest.fixture(params=["fake", "gateway"])
def memory(request: pytest.FixtureRequest) -> Iterator[Lithify]:
    """A client of something that decides at once."""
    if request.param == "fake":
        fake = FakeLithify(catalog=load_catalog())
        fake.teach(VEGETARIAN, attribute="diet", value="vegetarian")
        fake.teach("I live in Utrecht.", attribute="home", value="utrecht")
        fake.teach(MOVED, attribute="home", value="rotterdam", basis=Basis.CHANGE)
        with fake:
            yield fake
        return
    database: Database = request.getfixturevalue("database")
    with served(database) as url, Lithify(url, timeout=PATIENCE) as client:
        yield client


def test_a_turn_becomes_a_fact_a_block_and_an_explanation(memory: Lithify) -> None:
    accepted = memory.add_turn("ada", "s1", VEGETARIAN)
    outcome = memory.wait_for("ada", accepted.id)
    assert (outcome.outcome, outcome.stored) == ("stored", 1)
    [fact] = memory.facts("ada").facts
    assert (fact.attribute, fact.value, fact.polarity) == ("diet", "vegetarian", "positive")
    assert "- diet: vegetarian (since " in memory.context("ada", session_id="s1").block
    why = memory.explain("ada", "diet")
    assert [verdict.kind for verdict in why.verdicts] == ["established"]
    assert why.slot_id == fact.slot_id
    assert memory.explain("ada", fact.id) == why
    told = memory.fact("ada", fact.id)
    assert told.fact == fact
    assert [claim.turn_id for claim in told.claims] == [accepted.id]


def test_small_talk_is_no_facts_never_an_error(memory: Lithify) -> None:
    accepted = memory.add_turn("ada", "s1", "The weather is grand today, isn't it?")
    assert memory.wait_for("ada", accepted.id).outcome in {"no_facts", "skipped"}
    assert memory.facts("ada").facts == ()


def test_the_same_turn_twice_is_one_turn(memory: Lithify) -> None:
    at = datetime.now(UTC) - timedelta(minutes=1)
    for _ in range(2):
        memory.add_turn("ada", "s1", VEGETARIAN, id="t1", occurred_at=at)
    [fact] = memory.facts("ada").facts
    assert fact.mentions == 1


def test_a_change_closes_the_old_fact(memory: Lithify) -> None:
    now = datetime.now(UTC)
    memory.add_turn("ada", "s1", "I live in Utrecht.", occurred_at=now - timedelta(days=3))
    memory.add_turn("ada", "s2", MOVED, occurred_at=now - timedelta(days=1))
    assert [fact.value for fact in memory.facts("ada").facts] == ["rotterdam"]
    assert [fact.value for fact in memory.facts("ada", as_of=now - timedelta(days=2)).facts] == ["utrecht"]
    assert [fact.value for fact in memory.facts("ada", history=True).facts] == ["utrecht", "rotterdam"]
    assert "superseded" in {verdict.kind for verdict in memory.explain("ada", "home").verdicts}


def test_what_is_remembered_and_corrected_by_command(memory: Lithify) -> None:
    memory.remember("ada", "", attribute="home", value="utrecht")
    accepted = memory.correct("ada", attribute="home", value="leiden")
    assert memory.wait_for("ada", accepted.id).outcome == "stored"
    assert [fact.value for fact in memory.facts("ada").facts] == ["leiden"]


def test_users_and_tenants_are_apart(memory: Lithify) -> None:
    accepted = memory.add_turn("ada", "s1", VEGETARIAN)
    fact = memory.facts("ada").facts[0]
    assert memory.facts("bob").facts == ()
    for ask in (
        lambda: memory.turn_outcome("bob", accepted.id),
        lambda: memory.fact("bob", fact.id),
        lambda: memory.explain("bob", fact.id),
    ):
        with pytest.raises(NotFound):
            ask()
    memory.tenant = "acme"
    assert memory.facts("ada").facts == ()


def test_unknown_names_are_not_found(memory: Lithify) -> None:
    with pytest.raises(NotFound):
        memory.turn_outcome("ada", "no/such turn..")
    with pytest.raises(NotFound):
        memory.fact("ada", "00000000-0000-5000-8000-000000000000")
    with pytest.raises(NotFound):
        memory.explain("ada", "nothing")


def test_an_unknown_user_has_an_empty_memory(memory: Lithify) -> None:
    assert memory.facts("nobody").facts == ()
    block = memory.context("nobody", query="anything")
    assert block.items == ()
    assert block.block.startswith("<lithify-memory ")
    assert 0 < block.tokens < 100


def test_turns_of_the_request_are_shown_and_the_budget_holds(memory: Lithify) -> None:
    turns = [ContextTurn(role=Role.USER, content=f"line {i} about the harbour") for i in range(50)]
    block = memory.context("ada", session_id="s1", turns=turns, budget_tokens=200)
    assert block.tokens <= 200
    assert "line 49" in block.block
    assert "line 0 " not in block.block
    assert "turns_cut" in {notice.code for notice in block.notices}
    with pytest.raises(BudgetTooSmall):
        memory.context("ada", budget_tokens=5)


def test_wrong_input_is_invalid(memory: Lithify) -> None:
    with pytest.raises(Invalid):
        memory.add_turn("", "s1", "hi")
    with pytest.raises(Invalid):
        memory.add_turn("ada", "s1", "hi", role="robot")
    with pytest.raises(Invalid):
        memory.facts("ada", as_of=datetime(2026, 3, 2))  # noqa: DTZ001 - naive on purpose
    with pytest.raises(Invalid):
        memory.context("", query="x")


def test_many_turns_and_a_session_end(memory: Lithify) -> None:
    now = datetime.now(UTC)
    turns = [
        Turn(id=f"t{i}", user_id="ada", session_id="s/1", occurred_at=now, role=Role.USER, content="hm", index=i)
        for i in range(120)
    ]
    assert [item.id for item in memory.add_turns(turns)] == [turn.id for turn in turns]
    assert memory.end_session("ada", "s/1", occurred_at=now + timedelta(minutes=1)).id
    assert memory.turn_outcome("ada", "t119").id == "t119"


async def test_the_asynchronous_clients_do_the_same(database: Database) -> None:
    async def story(memory: AsyncLithify) -> list[str]:
        accepted = await memory.add_turn("ada", "s1", VEGETARIAN)
        outcome = await memory.wait_for("ada", accepted.id)
        facts, block = await asyncio.gather(memory.facts("ada"), memory.context("ada"))
        with pytest.raises(NotFound):
            await memory.explain("ada", "nothing")
        return [outcome.outcome, *[fact.value for fact in facts.facts], block.items[0].line]

    fake = AsyncFakeLithify(catalog=load_catalog())
    fake.teach(VEGETARIAN, attribute="diet", value="vegetarian")
    async with fake:
        told = await story(fake)
    with served(database) as url:
        async with AsyncLithify(url, timeout=PATIENCE) as real:
            assert await story(real) == told


def test_a_gateway_that_is_gone_is_unavailable_never_empty() -> None:
    with Lithify("http://127.0.0.1:1") as memory:
        for ask in (
            lambda: memory.facts("ada"),
            lambda: memory.context("ada"),
            lambda: memory.add_turn("ada", "s1", "hi"),
            lambda: memory.wait_for("ada", "t1", timeout=5),
        ):
            with pytest.raises(Unavailable):
                ask()
