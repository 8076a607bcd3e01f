"""What a rule made of one simulated user, in days, so that all rules are measured alike."""

from dataclasses import dataclass

from benchmarks.promotion.worlds import CHANGE_DAY, User


@dataclass(frozen=True, slots=True)
class Belief:
    """A value that a rule took for the lasting one."""

    value: str
    day: int
    """The day whose evidence decided; it is believed from the next one on."""
    until: int | None = None
    """The last day on which it is believed; None: to the end."""
    undone: bool = False
    """Whether it ended because the rule took it back."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a rule did on one user."""

    false: bool
    """Whether any promotion was to a value that was not lasting on its day."""
    delay: int | None
    """Days from the change to the promotion of the new value; None: unchanged, or missed."""
    sessions: int | None
    """Sessions about the slot within these days."""
    missed: bool
    wrong_days: int
    """Days on which a falsely promoted value was believed while it was not lasting."""
    undone: bool
    """Whether a true promotion was taken back while the new value was lasting."""
    questions: int = 0


def judge(user: User, beliefs: list[Belief], questions: int = 0) -> Outcome:
    """Compare what a rule promoted with what was true.

    Args:
        user: the simulated user.
        beliefs: promotions by the rule, oldest first; what the slot started with is none of them.
        questions: how often the rule asked.
    """
    wrong = [belief for belief in beliefs if user.lasting[belief.day] != belief.value]
    right = [belief for belief in beliefs if belief not in wrong]
    days = len(user.lasting)
    wrong_days = sum(
        user.lasting[day] != belief.value
        for belief in wrong
        for day in range(belief.day + 1, (days - 1 if belief.until is None else belief.until) + 1)
    )
    change = change_day(user)
    found = next((belief.day for belief in right if change is not None and belief.day >= change), None)
    return Outcome(
        false=bool(wrong),
        delay=None if found is None or change is None else found - change,
        sessions=None if found is None else sum(CHANGE_DAY <= use.day <= found for use in user.uses),
        missed=change is not None and found is None,
        wrong_days=wrong_days,
        undone=any(
            belief.undone and belief.until is not None and user.lasting[belief.until] == belief.value
            for belief in right
        ),
        questions=questions,
    )


def change_day(user: User) -> int | None:
    """The first day on which another value is lasting than at the start; None: there is none."""
    return next((day for day, value in enumerate(user.lasting) if value != user.lasting[0]), None)
