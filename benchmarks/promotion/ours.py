"""The product's own fold on simulated users: uses become claims, `replay` decides, and hints may be answered."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from benchmarks.promotion.outcomes import Belief
from benchmarks.promotion.worlds import NEW, OLD, Use, User
from lithify.domain.catalog import Attribute, AttributeKind
from lithify.domain.claims import USER, Basis, Cardinality, Claim, Cue, Evidence, Polarity
from lithify.domain.policy import Policy
from lithify.domain.slots import replay
from lithify.domain.slots.state import Fact, Hint, SlotState

START = datetime(2026, 1, 5, tzinfo=UTC)
"""Day 0, a Monday. The slot is filled the day before."""
_DAY = timedelta(days=1)
_SINGLE = Attribute("drink", AttributeKind.PREFERENCE, Cardinality.SINGLE, "drink", "饮品")
_SET = Attribute("likes", AttributeKind.PREFERENCE, Cardinality.MULTI, "likes", "喜好")
_SLOT = "benchmark"


def evidence_of(user: User) -> list[Evidence]:
    """The claims that a user's uses make, with the statement that filled the slot."""
    uses: list[Evidence] = [_use(user, number, use) for number, use in enumerate(user.uses)]
    if user.world.empty:
        return uses
    at = START - timedelta(hours=12)
    return [_claim(user, "start", at, OLD, day_end=START, basis=Basis.STATEMENT), *uses]


def fold(user: User, evidence: list[Evidence], policy: Policy, as_of: datetime | None = None) -> SlotState:
    """The slot of a user."""
    return replay(_SLOT, _SET if user.world.spread else _SINGLE, evidence, (), policy, as_of)


def beliefs_of(state: SlotState) -> list[Belief]:
    """What the fold promoted, by evidence or by a confirmed question, and when it stopped believing it."""
    undone = {verdict.replaced for verdict in state.verdicts if verdict.rule == "undone"}
    back = {verdict.fact_id for verdict in state.verdicts if verdict.rule == "undone"}
    rows = [fact for fact in state.facts if fact.opened_by in ("evidence", "confirmation") and fact.id not in back]
    return [
        Belief(
            fact.value,
            deciding_day(fact),
            None if fact.valid_to is None else _day(fact.valid_to),
            undone=fact.superseded_by in back and fact.value in undone,
        )
        for fact in rows
    ]


def deciding_day(fact: Fact) -> int:
    """The day whose end, or whose answer, opened a fact."""
    return _day(fact.valid_from)


def ask(user: User, policy: Policy, state: SlotState) -> tuple[SlotState, int]:
    """Answer the first clarify hint about a contender, truthfully, in the user's next session about the slot.

    Args:
        user: who is asked.
        policy: what the fold goes by.
        state: the user's slot by evidence alone.

    Returns:
        The state with the answer in it, and how many such hints it raises in all.
    """
    first = next(iter(_questions(state)), None)
    reply = None if first is None else _answer(user, first)
    if reply is not None:
        state = fold(user, [*evidence_of(user), reply], policy)
    return state, len(_questions(state))


def _questions(state: SlotState) -> list[Hint]:
    return [hint for hint in state.hints if hint.code == "contender"]


def _answer(user: User, hint: Hint) -> Claim | None:
    """Yes or no to "is it for good?", at the start of the first session after the hint; None: there is none."""
    for number, use in enumerate(user.uses):
        at = _instant(use)
        if at > hint.since and (hint.until is None or at < hint.until):
            truth = Polarity.POSITIVE if user.lasting[use.day] == hint.value else Polarity.NEGATIVE
            return _claim(
                user,
                f"{number}",
                at - timedelta(minutes=1),
                hint.value,
                day_end=_day_end(use),
                basis=Basis.CONFIRMATION,
                cue=Cue.PERMANENT,
                polarity=truth,
                claim_id=f"answer-{number}",
            )
    return None


def posteriors(user: User, policy: Policy) -> list[tuple[float, bool]]:
    """For each day that spoke, P(the new value is lasting) as evidence alone has it, and whether it was.

    A user is followed up to the first promotion.
    """
    evidence = evidence_of(user)
    ends = sorted({(_day_end(use), use.day) for use in user.uses})
    seen: list[tuple[float, bool]] = []
    for end, day in ends:
        state = fold(user, evidence, policy, end - timedelta(seconds=1))
        held = next((item.posterior for item in state.contenders if item.value == NEW), None)
        if held is not None:
            seen.append((held, user.lasting[day] == NEW))
        if any(fact.opened_by == "evidence" for fact in state.facts):
            break
    return seen


def _use(user: User, number: int, use: Use) -> Claim:
    cue = Cue.TEMPORARY if use.cued else Cue.NONE
    at, end = _instant(use), _day_end(use)
    return _claim(user, f"{number}", at, use.value, day_end=end, basis=Basis.CHOICE, cue=cue)


def _claim(
    user: User,
    session: str,
    at: datetime,
    value: str,
    *,
    day_end: datetime,
    basis: Basis,
    cue: Cue = Cue.NONE,
    polarity: Polarity = Polarity.POSITIVE,
    claim_id: str | None = None,
) -> Claim:
    name = claim_id or session
    return Claim(
        id=name,
        turn_id=name,
        session_id=session,
        turn_index=0,
        ordinal=0,
        subject=USER,
        attribute=(_SET if user.world.spread else _SINGLE).key,
        value=value,
        text=value,
        occurred_at=at,
        local_date=(day_end - timedelta(hours=12)).date(),
        day_end=day_end,
        polarity=polarity,
        basis=basis,
        cue=cue,
    )


def _instant(use: Use) -> datetime:
    return _day_end(use) - _DAY + timedelta(hours=use.hour)


def _day_end(use: Use) -> datetime:
    return _midnight(use.day + 1, use.zone)


@lru_cache(maxsize=4096)
def _midnight(day: int, zone: str) -> datetime:
    date = (START + day * _DAY).date()
    return datetime(date.year, date.month, date.day, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def _day(at: datetime) -> int:
    """The day that `at` falls on or ends."""
    return (at - START - timedelta(microseconds=1)) // _DAY
