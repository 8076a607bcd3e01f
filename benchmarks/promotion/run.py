"""Runs the rules over the users of a world, on several processes, the same for the same seeds."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from multiprocessing import get_context
from typing import TypeVar

from benchmarks.promotion.measure import Measured, measure
from benchmarks.promotion.ours import ask, beliefs_of, evidence_of, fold, posteriors
from benchmarks.promotion.outcomes import Outcome, judge
from benchmarks.promotion.rivals import RIVALS
from benchmarks.promotion.worlds import World, simulate
from lithify.domain.policy import Policy

OURS, ASKED, KEPT = "ours", "ours, asking once", "ours, never undoing"
"""The product by evidence alone, with one truthful answer, and without rule 20."""
TUNING, HELD_OUT = 0, 200_000
"""First seed of each half: defaults are chosen on one and reported on the other."""
_CHUNK = 50
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Task:
    """Some users of one world."""

    world: World
    policy: Policy
    seeds: tuple[int, ...]
    changes: bool


Outcomes = dict[str, list[Outcome]]
"""By rule, in the order of the seeds."""


def follow(task: Task) -> Outcomes:
    """What every rule made of the users of a task."""
    found: Outcomes = {name: [] for name in (*RIVALS, OURS, ASKED, KEPT)}
    for seed in task.seeds:
        user = simulate(task.world, seed, changes=task.changes)
        for name, rule in RIVALS.items():
            found[name].append(judge(user, rule(user)))
        state = fold(user, evidence_of(user), task.policy)
        plain = judge(user, beliefs_of(state))
        answered, questions = ask(user, task.policy, state)
        found[OURS].append(plain)
        found[ASKED].append(judge(user, beliefs_of(answered), questions))
        kept = (
            judge(user, beliefs_of(fold(user, evidence_of(user), _never_undoing(task.policy))))
            if plain.false
            else plain
        )
        found[KEPT].append(kept)
    return found


def _never_undoing(policy: Policy) -> Policy:
    return replace(policy, promotion=replace(policy.promotion, undo_window=timedelta(0)))


def posteriors_of(task: Task) -> list[list[tuple[float, bool]]]:
    """For each user of a task, the posterior of every day that spoke, and whether it was right."""
    return [posteriors(simulate(task.world, seed, changes=task.changes), task.policy) for seed in task.seeds]


def compare(
    worlds: Sequence[World], policy: Policy, *, first: int, users: int, jobs: int
) -> dict[str, dict[str, Measured]]:
    """Measure every rule in every world.

    Args:
        worlds: what to simulate.
        policy: what the product goes by.
        first: the first seed.
        users: users of each kind (unchanged, changing) and world.
        jobs: processes.

    Returns:
        By world and rule.
    """
    tasks = [
        task
        for world in worlds
        for changes in (False, True)
        for task in _tasks(world, policy, range(first, first + users), changes=changes)
    ]
    gathered: dict[tuple[str, bool], Outcomes] = {}
    for task, outcomes in zip(tasks, spread(follow, tasks, jobs), strict=True):
        known = gathered.setdefault((task.world.name, task.changes), {})
        for rule, rows in outcomes.items():
            known.setdefault(rule, []).extend(rows)
    return {
        world.name: {
            rule: measure(rows, gathered[world.name, True][rule]) for rule, rows in gathered[world.name, False].items()
        }
        for world in worlds
    }


def followed(
    worlds: Sequence[World], policy: Policy, *, first: int, users: int, jobs: int
) -> list[list[tuple[float, bool]]]:
    """The posteriors of `users` changers and as many others of each world; see `posteriors_of`."""
    seeds = range(first, first + users)
    tasks = [
        task for world in worlds for changes in (False, True) for task in _tasks(world, policy, seeds, changes=changes)
    ]
    return [user for users_of_task in spread(posteriors_of, tasks, jobs) for user in users_of_task]


def _tasks(world: World, policy: Policy, seeds: Sequence[int], *, changes: bool) -> list[Task]:
    return [
        Task(world, policy, tuple(seeds[start : start + _CHUNK]), changes) for start in range(0, len(seeds), _CHUNK)
    ]


def spread(work: Callable[[Task], T], tasks: Sequence[Task], jobs: int) -> Iterable[T]:
    """Results of `work` in the order of the tasks."""
    if jobs <= 1:
        return map(work, tasks)
    with get_context("spawn").Pool(jobs) as pool:
        return pool.map(work, tasks, chunksize=1)
