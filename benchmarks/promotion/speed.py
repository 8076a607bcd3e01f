"""How long a slot of 200 claims with one contender takes to fold."""

from dataclasses import replace
from time import process_time

from benchmarks.promotion.ours import evidence_of, fold
from benchmarks.promotion.worlds import BASE, World, simulate
from lithify.domain.policy import Policy

CLAIMS = 200
_DENSE = replace(BASE, name="speed, dense", per_day=(4, 6), days=70)
"""About 280 claims within 70 days, so that 200 may be taken."""


def measure_speed(policy: Policy, slots: int = 40) -> str:
    """Processor time of full replays, in words.

    Args:
        policy: what the fold goes by.
        slots: how many slots are folded; each three times, of which the fastest counts.
    """
    daily, dense = (_per_slot(world, policy, slots) for world in (_spread(BASE), _DENSE))
    return (
        f"{1000 * daily:.1f} ms for {CLAIMS} claims on as many days, {1000 * dense:.1f} ms for {CLAIMS} claims "
        f"in six weeks; 1,000 slots take {1000 * daily:.0f} s and {1000 * dense:.0f} s on one core"
    )


def _spread(world: World) -> World:
    return replace(world, name="speed, daily", days=300)


def _per_slot(world: World, policy: Policy, slots: int) -> float:
    """Seconds per slot."""
    users = [simulate(world, seed, changes=False) for seed in range(slots)]
    cases = [(user, evidence_of(user)[:CLAIMS]) for user in users]
    assert all(len(evidence) == CLAIMS for _, evidence in cases)
    best = float("inf")
    for _ in range(3):
        start = process_time()
        for user, evidence in cases:
            fold(user, evidence, policy)
        best = min(best, process_time() - start)
    return best / slots
