"""From turns to facts through all four workers, on a real database."""

import random
from datetime import timedelta

import pytest

from lithify.events import Command, CommandName, SessionEnded, Turn
from pipelines.topics import Topic
from tests.support.pipeline import Pipeline, at, facts_of


def turn(number: int, when: str, content: str, session: str = "s1", **more: object) -> Turn:
    fields: dict[str, object] = {"role": "user", "user_id": "ana"} | more
    return Turn(id=f"t{number}", session_id=session, occurred_at=at(when), content=content, **fields)  # type: ignore[arg-type]


TABLES = "turns, sessions, claims, slots, facts, overrides, conflicts, verdicts, inbox, outbox"
DAYS = [
    turn(1, "2026-03-01 10:00", "diet=vegetarian"),
    turn(2, "2026-03-01 10:05", "hello"),
    turn(3, "2026-03-05 18:00", "diet=meat choice temporary", "s2"),
    turn(4, "2026-03-05 18:10", "thanks", "s2"),
    turn(5, "2026-03-06 09:00", "home=utrecht", "s3"),
    turn(6, "2026-03-08 09:00", "home=rotterdam change", "s4"),
    turn(7, "2026-03-09 09:00", "likes=coffee;likes=!tea", "s5"),
]


async def test_contradiction_becomes_an_override_that_lapses(pipeline: Pipeline) -> None:
    pipeline.publish(*DAYS)
    await pipeline.run()
    diet = pipeline.rows("select value, valid_to from facts where attribute = 'diet' and sys_to is null")
    assert diet == [{"value": "vegetarian", "valid_to": None}]
    [override] = pipeline.rows("select value, started_at, ends_at, end_rule from overrides where sys_to is null")
    assert override["value"] == "meat"
    assert override["ends_at"] == at("2026-03-05 18:40")
    assert override["end_rule"] == "session_end"
    home = pipeline.rows(
        "select value, valid_to from facts where attribute = 'home' and sys_to is null order by valid_from"
    )
    assert [(row["value"], row["valid_to"]) for row in home] == [
        ("utrecht", at("2026-03-08 09:00")),
        ("rotterdam", None),
    ]
    assert len(pipeline.rows("select * from conflicts")) == 2


async def test_outcomes_tell_what_became_of_each_turn(pipeline: Pipeline) -> None:
    pipeline.publish(
        *DAYS, turn(8, "2026-03-09 09:01", "   ", "s5"), turn(9, "2026-03-09 09:02", "=", "s5", role="assistant")
    )
    await pipeline.run()
    outcomes = {row["turn_id"]: (row["outcome"], row["stored"]) for row in pipeline.rows("select * from turns")}
    assert outcomes["t1"] == ("stored", 1)
    assert outcomes["t2"] == ("no_facts", 0)
    assert outcomes["t7"] == ("stored", 2)
    assert outcomes["t8"] == ("skipped", 0)
    assert outcomes["t9"] == ("no_facts", 0)
    assert not pipeline.rows("select * from turns where reflected_at is null")


async def test_every_worker_passes_every_turn_once(pipeline: Pipeline) -> None:
    pipeline.publish(*DAYS, *DAYS)
    await pipeline.run(batch=3)
    rows = pipeline.rows("select worker, array_agg(event_id order by event_id) as ids from inbox group by worker")
    assert {row["worker"]: row["ids"] for row in rows} == {
        name: [item.id for item in DAYS] for name in ("importance", "extraction", "conflict", "reflection")
    }


@pytest.mark.parametrize("seed", range(3))
async def test_c93_order_of_arrival_decides_nothing(
    pipeline: Pipeline, database_facts: list[object], seed: int
) -> None:
    shuffled = [*DAYS, *DAYS]
    random.Random(seed).shuffle(shuffled)
    pipeline.publish(*shuffled)
    await pipeline.run(batch=1 + seed * 3)
    assert facts_of(pipeline) == database_facts


async def test_replaying_the_same_turns_changes_no_fact(pipeline: Pipeline) -> None:
    pipeline.publish(*DAYS)
    await pipeline.run()
    before = pipeline.rows("select * from facts order by fact_id, sys_from")
    pipeline.publish(*DAYS)
    await pipeline.run()
    assert pipeline.rows("select * from facts order by fact_id, sys_from") == before


async def test_an_output_lost_with_the_broker_is_published_again(pipeline: Pipeline) -> None:
    pipeline.publish(*DAYS)
    importance, *others = pipeline.workers
    pipeline.workers = [importance]
    await pipeline.run()
    lost = pipeline.log.pop("lithify-scored")
    pipeline.workers = [importance, *others]
    await republish_now(pipeline)
    await pipeline.run()
    assert len(lost) == len(DAYS)
    assert not pipeline.rows("select * from turns where reflected_at is null")


async def test_an_explicit_end_closes_the_override(pipeline: Pipeline) -> None:
    pipeline.publish(DAYS[0], DAYS[2])
    await pipeline.run()
    end = SessionEnded(id="e1", user_id="ana", session_id="s2", occurred_at=at("2026-03-05 18:02"))
    pipeline.publish(end)
    await pipeline.run()
    [override] = pipeline.rows("select ends_at from overrides where sys_to is null")
    assert override["ends_at"] == at("2026-03-05 18:02")
    assert pipeline.rows("select explicit from sessions where session_id = 's2'") == [{"explicit": True}]


async def test_a_computed_end_makes_the_episode_and_publishes_the_lapse(pipeline: Pipeline) -> None:
    pipeline.publish(*DAYS)
    await pipeline.run(batch=1)
    await tick_now(pipeline)
    await pipeline.run()
    episodes = pipeline.rows("select session_id, summary from episodes order by started_at")
    assert [row["session_id"] for row in episodes] == ["s1", "s2", "s3", "s4"]
    changed = [body for body in pipeline.bodies(Topic.FACTS, "slot_changed") if body.attribute == "diet"]
    assert [len(body.overrides) for body in changed] == [0, 1, 1, 0]  # the second turn moved the end
    assert [body.version - changed[0].version for body in changed] == [0, 1, 2, 3]


async def test_of_two_ends_in_one_batch_the_later_publishes_what_fell_due(pipeline: Pipeline) -> None:
    pipeline.publish(DAYS[0], DAYS[2])
    await pipeline.run()
    [slot] = pipeline.rows("select next_change_at from slots")
    assert slot["next_change_at"] < at("2026-03-07 00:00")
    later = [turn(number, f"2026-04-{number} 10:00", "hm", f"s{number}") for number in (10, 11)]
    pipeline.publish(*later)
    await pipeline.run(without="reflection")
    await tick_now(pipeline)
    await pipeline.run(without="reflection")
    await pipeline.run()
    assert pipeline.rows("select next_change_at from slots") == [{"next_change_at": None}]
    episodes = pipeline.rows("select session_id from episodes order by started_at")
    assert [row["session_id"] for row in episodes] == ["s1", "s2", "s10"]


async def test_a_void_end_is_not_passed_on(pipeline: Pipeline) -> None:
    pipeline.publish(DAYS[0], DAYS[1])
    end = SessionEnded(
        id="e1", user_id="ana", session_id="s1", occurred_at=at("2026-03-01 10:30"), computed=True, last_turn_id="t1"
    )
    pipeline.publish(end)
    await pipeline.run()
    assert pipeline.bodies(Topic.CONFLICTS, "session_ended") == []


async def test_a_late_turn_joins_two_sessions(pipeline: Pipeline) -> None:
    first = turn(1, "2026-03-01 10:00", "diet=vegetarian")
    override = turn(2, "2026-03-02 10:00", "diet=meat choice temporary")
    last = turn(3, "2026-03-02 10:50", "bye")
    late = turn(4, "2026-03-02 10:25", "hm")
    pipeline.publish(first, override, last)
    await pipeline.run()
    [row] = pipeline.rows("select ends_at from overrides where sys_to is null")
    assert row["ends_at"] == at("2026-03-02 10:30")
    pipeline.publish(late)
    await pipeline.run()
    [row] = pipeline.rows("select ends_at from overrides where sys_to is null")
    assert row["ends_at"] == at("2026-03-02 11:20")
    assert len(pipeline.rows("select * from sessions")) == 2


async def test_a_told_end_that_comes_before_its_turns_still_makes_their_episode(pipeline: Pipeline) -> None:
    end = SessionEnded(id="e1", user_id="ana", session_id="s1", occurred_at=at("2026-03-01 10:08"))
    pipeline.publish(end)
    await pipeline.run()
    pipeline.publish(*DAYS[:3])
    await pipeline.run()
    assert pipeline.rows("select * from episodes") == []
    await tick_now(pipeline)
    await pipeline.run()
    [episode] = pipeline.rows("select ended_at, turn_ids from episodes")
    assert (episode["ended_at"], episode["turn_ids"]) == (end.occurred_at, ["t1", "t2"])


async def test_a_told_end_is_published_once(pipeline: Pipeline) -> None:
    end = SessionEnded(id="e1", user_id="ana", session_id="s1", occurred_at=at("2026-03-01 10:08"))
    pipeline.publish(*DAYS[:2], end)
    await pipeline.run(batch=1)
    await tick_now(pipeline)
    await pipeline.run()
    assert len(pipeline.bodies(Topic.CONFLICTS, "session_ended")) == 1


@pytest.mark.parametrize("told", [True, False])
async def test_what_the_topics_hold_from_before_an_emptied_database_is_not_taken_for_applied(
    pipeline: Pipeline, told: bool
) -> None:
    pipeline.publish(*DAYS[:2])
    if told:
        pipeline.publish(SessionEnded(id="e1", user_id="ana", session_id="s1", occurred_at=at("2026-03-01 10:08")))
    last = turn(99, "2026-03-20 10:00", "hello", "s99")
    pipeline.publish(*DAYS[2:], last)
    await pipeline.run()
    await tick_now(pipeline)
    await pipeline.run()
    believed, episodes = facts_of(pipeline), pipeline.rows("select * from episodes order by episode_id")
    pipeline.rows(f"truncate {TABLES}, episodes, session_ends")
    # Later stages come first, and the subject is known again by another turn.
    turns = pipeline.log.pop("lithify-turns")
    importance, *later = pipeline.workers
    pipeline.publish(last)
    pipeline.read.clear()
    pipeline.workers = [importance]
    await pipeline.run()
    pipeline.workers = list(reversed(later))
    await pipeline.run()
    pipeline.log["lithify-turns"] += turns
    pipeline.workers = [importance, *later]
    await pipeline.run()
    await tick_now(pipeline)
    await pipeline.run()
    assert not pipeline.rows("select * from turns where reflected_at is null")
    assert facts_of(pipeline) == believed
    again = pipeline.rows("select * from episodes order by episode_id")
    assert [row["turn_ids"] for row in again] == [row["turn_ids"] for row in episodes]


async def test_commands_name_slots_facts_or_words(pipeline: Pipeline) -> None:
    pipeline.publish(DAYS[4], _command(1, "2026-03-07 10:00", CommandName.REMEMBER, text="diet=vegan"))
    pipeline.publish(_command(2, "2026-03-07 10:01", CommandName.REMEMBER, text="locker tag KX-4471-Q"))
    pipeline.publish(_command(3, "2026-03-07 10:02", CommandName.CORRECT, attribute="home", value="delft"))
    await pipeline.run()
    active = {
        (row["attribute"], row["value"])
        for row in pipeline.rows("select * from facts where sys_to is null and not corrected and valid_to is null")
    }
    assert active == {("diet", "vegan"), ("note", "locker tag KX-4471-Q"), ("home", "delft")}
    [fact] = pipeline.rows("select fact_id from facts where attribute = 'diet' and sys_to is null")
    pipeline.publish(_command(4, "2026-03-07 10:03", CommandName.PIN, fact_id=str(fact["fact_id"])))
    await pipeline.run()
    assert pipeline.rows("select pinned from facts where attribute = 'diet' and sys_to is null") == [{"pinned": True}]


def _command(number: int, when: str, name: CommandName, **more: str) -> Command:
    return Command(id=f"c{number}", user_id="ana", session_id="s9", occurred_at=at(when), command=name, **more)  # type: ignore[arg-type]


async def tick_now(pipeline: Pipeline) -> None:
    ticker, _ = pipeline.workers[0].periodics
    await ticker.run(pipeline.pool)
    pipeline.relay()


async def republish_now(pipeline: Pipeline) -> None:
    pipeline.rows(f"update turns set appended_at = appended_at - interval '{timedelta(hours=1)}'")
    _, republish = pipeline.workers[0].periodics
    await republish.run(pipeline.pool)
    pipeline.relay()


@pytest.fixture
async def database_facts(pipeline: Pipeline) -> list[object]:
    """What the pure fold makes of the same turns, in order: arranged by a first run, then emptied."""
    pipeline.publish(*DAYS)
    await pipeline.run()
    found: list[object] = list(facts_of(pipeline))
    pipeline.rows(f"truncate {TABLES}")
    pipeline.log.clear()
    pipeline.read.clear()
    return found
