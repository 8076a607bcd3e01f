"""Re-deciding, the oracle and the shadow policy: the same evidence under other numbers."""

from lithify.domain.policy import Policy, PromotionPolicy
from pipelines import metrics
from pipelines.envelope import PlainCodec
from pipelines.slots.folding import Folder, Shadow
from pipelines.topics import Topic
from tests.integration.pipeline.conftest import CATALOG
from tests.integration.pipeline.test_nightly import reflector
from tests.integration.pipeline.test_stages import turn
from tests.support.pipeline import Pipeline, at, facts_of
from workers.conflict.worker import ConflictWorker
from workers.redecide import Change, Redecision, redecide
from workers.reflection.nightly import ask_oracle

HABIT = [
    turn(1, "2026-03-01 10:00", "diet=vegetarian", "s0"),
    *(turn(day, f"2026-03-{day:02} 12:00", "diet=meat choice", f"s{day}") for day in range(5, 9)),
]
STRICT = Policy(promotion=PromotionPolicy(threshold=0.999999, min_days=20))
LENIENT = Policy(promotion=PromotionPolicy(threshold=0.01, min_days=2))


async def run(pipeline: Pipeline, policy: Policy, *, write: bool) -> tuple[Redecision, list[Change]]:
    work = Redecision(pipeline.settings, pipeline.pool, Folder(CATALOG, policy), PlainCodec(), write=write)
    changes = [change async for change in redecide(work)]
    pipeline.relay()
    return work, changes


async def test_the_same_policy_changes_nothing(pipeline: Pipeline) -> None:
    pipeline.publish(*HABIT)
    await pipeline.run()
    work, changes = await run(pipeline, Policy(), write=True)
    assert (work.subjects, work.slots, work.changed, changes) == (1, 1, 0, [])


async def test_a_dry_run_prints_and_writes_nothing(pipeline: Pipeline) -> None:
    pipeline.publish(*HABIT)
    await pipeline.run()
    before, published = facts_of(pipeline), len(pipeline.log["lithify-facts"])
    work, [change] = await run(pipeline, LENIENT, write=False)
    assert work.changed == 1
    assert "  + fact meat, 2026-03-07 00:00 to open" in change.as_text()
    assert '"attribute": "diet"' in change.as_json()
    assert facts_of(pipeline) == before
    assert len(pipeline.log["lithify-facts"]) == published


async def test_what_is_written_equals_living_under_the_policy_from_the_start(pipeline: Pipeline) -> None:
    pipeline.publish(*HABIT)
    await pipeline.run()
    await run(pipeline, LENIENT, write=True)
    active = pipeline.rows("select value from facts where sys_to is null and valid_to is null")
    assert active == [{"value": "meat"}]
    [*_, last] = pipeline.bodies(Topic.FACTS, "slot_changed")
    assert [fact["value"] for fact in last.facts] == ["meat"]
    _, again = await run(pipeline, LENIENT, write=True)
    assert again == []
    await run(pipeline, STRICT, write=True)
    active = pipeline.rows("select value from facts where sys_to is null and valid_to is null")
    assert active == [{"value": "vegetarian"}]
    assert pipeline.rows("select distinct value from facts order by 1") == [{"value": "meat"}, {"value": "vegetarian"}]


async def test_the_oracle_finds_a_row_that_was_tampered_with(pipeline: Pipeline) -> None:
    pipeline.publish(*HABIT, turn(50, "2026-03-20 10:00", "home=delft", "s50"))
    await pipeline.run()
    settings = pipeline.settings.model_copy(update={"oracle_percent": 100.0})
    assert await ask_oracle(settings, pipeline.pool, reflector(pipeline), at("2026-04-01 00:00")) == (2, 0)
    pipeline.rows("update facts set value = 'utrecht' where attribute = 'home'")
    assert await ask_oracle(settings, pipeline.pool, reflector(pipeline), at("2026-04-01 00:00")) == (2, 1)
    assert pipeline.rows("select value from facts where attribute = 'home'") == [{"value": "utrecht"}]


async def test_c41_duplicates_are_one_fact_and_a_row_beside_it_is_found_and_removed(pipeline: Pipeline) -> None:
    pipeline.publish(*(turn(day, f"2026-03-{day:02} 10:00", "home=delft", f"s{day}") for day in range(1, 11)))
    await pipeline.run()
    active = "select value, mentions from facts where sys_to is null and attribute = 'home'"
    assert pipeline.rows(active) == [{"value": "delft", "mentions": 10}]
    pipeline.rows(
        "insert into facts select (jsonb_populate_record(f, jsonb_build_object('fact_id', gen_random_uuid()))).*"
        " from facts f where sys_to is null and attribute = 'home'"
    )
    settings = pipeline.settings.model_copy(update={"oracle_percent": 100.0})
    assert len(pipeline.rows(active)) == 2
    assert await ask_oracle(settings, pipeline.pool, reflector(pipeline), at("2026-04-01 00:00")) == (1, 1)
    await run(pipeline, Policy(), write=True)
    assert pipeline.rows(active) == [{"value": "delft", "mentions": 10}]
    assert await ask_oracle(settings, pipeline.pool, reflector(pipeline), at("2026-04-01 00:00")) == (1, 0)


async def test_the_oracle_takes_a_share(pipeline: Pipeline) -> None:
    pipeline.publish(*(turn(n, "2026-03-01 10:00", f"fact{n}=x") for n in range(80)))
    await pipeline.run()
    settings = pipeline.settings.model_copy(update={"oracle_percent": 25.0})
    checked, _ = await ask_oracle(settings, pipeline.pool, reflector(pipeline), at("2026-04-01 00:00"))
    assert 5 <= checked <= 40


async def test_a_shadow_policy_is_counted_and_writes_nothing(pipeline: Pipeline) -> None:
    def folds(differs: str) -> float:
        return float(metrics.SHADOW_FOLDS.labels(differs)._value.get())

    before = {name: folds(name) for name in ("facts", "nothing")}
    folder = Folder(CATALOG, Policy(), Shadow(LENIENT))
    pipeline.workers = [ConflictWorker(PlainCodec(), folder) if w.name == "conflict" else w for w in pipeline.workers]
    pipeline.publish(HABIT[0])
    await pipeline.run()
    pipeline.publish(*HABIT[1:3])
    await pipeline.run()
    assert folds("nothing") - before["nothing"] == 1
    assert folds("facts") - before["facts"] == 1
    active = pipeline.rows("select value from facts where sys_to is null and valid_to is null")
    assert active == [{"value": "vegetarian"}]
