"""Random conversations about one slot, dense enough that rules meet each other."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from lithify.domain.catalog import Attribute
from lithify.domain.claims import Basis, CommandKind, Cue, Scope
from tests.support.slots import ALLERGY, DIET, LIKES, Talk, day

VALUES = ("meat", "fish", "tofu")
SESSIONS = tuple("abcdefgh")


@dataclass(frozen=True)
class Step:
    """One turn: how long after the one before, where, and what."""

    hours: float
    session: str
    value: str
    basis: Basis
    negative: bool
    cue: Cue
    scope: Scope
    ends_in: float | None
    """Hours from now to the stated end; negative: it is past."""
    starts_in: float | None
    command: CommandKind | None
    broad: str | None


def steps(*, commands: bool = True, ends_facts: bool = True) -> st.SearchStrategy[list[Step]]:
    """Conversations; without `ends_facts` nothing may leave a slot empty on purpose."""
    kinds = [kind for kind in CommandKind if ends_facts or kind is not CommandKind.REJECT]
    ends = st.sampled_from([None, None, None, 5.0, 60.0] + ([-30.0] if ends_facts else []))
    return st.lists(
        st.builds(
            Step,
            hours=st.sampled_from([0.1, 0.3, 2.0, 12.0, 24.0, 24.0, 24.0, 60.0, 300.0]),
            session=st.sampled_from(SESSIONS),
            value=st.sampled_from(VALUES),
            basis=st.sampled_from(list(Basis)),
            negative=st.sampled_from([False, False, False, True]),
            cue=st.sampled_from([Cue.NONE, Cue.NONE, Cue.NONE, Cue.TEMPORARY, Cue.PERMANENT]),
            scope=st.sampled_from([Scope.SESSION, Scope.SESSION, Scope.SESSION, Scope.TRIP, Scope.NEXT_SESSION]),
            ends_in=ends,
            starts_in=st.sampled_from([None, None, None, None, 48.0, -48.0]),
            command=st.sampled_from([None] * 8 + kinds) if commands else st.none(),
            broad=st.sampled_from([None] * 12 + (["withdraw"] if ends_facts else []) + ["return"]),
        ),
        max_size=25,
    )


ATTRIBUTES = st.sampled_from([DIET, LIKES, ALLERGY])


def hold(attribute: Attribute, said: list[Step]) -> Talk:
    """Hold the conversation."""
    talk, at = Talk(attribute), day(0)
    for step in said:
        at += timedelta(hours=step.hours)
        _turn(talk, at, step)
    return talk


def _turn(talk: Talk, at: datetime, step: Step) -> None:
    if step.command is not None:
        value = None if step.command in (CommandKind.UNPIN, CommandKind.REJECT) else step.value
        talk.command(at, step.command, value, session=step.session, no=step.negative)
    elif step.broad == "withdraw":
        talk.withdraw(at, step.value, session=step.session)
    elif step.broad == "return":
        talk.come_back(at, step.session)
    else:
        talk.say(at, step.value, step.basis, step.session, **_details(at, step))


def _details(at: datetime, step: Step) -> dict[str, Any]:
    start, end = _moved(at, step.starts_in), _moved(at, step.ends_in)
    if start is not None and end is not None and end <= start:
        start = None
    scope = step.scope if step.cue is Cue.TEMPORARY else Scope.SESSION
    return {"no": step.negative, "cue": step.cue, "scope": scope, "valid_from": start, "valid_to": end}


def _moved(at: datetime, hours: float | None) -> datetime | None:
    return None if hours is None else at + timedelta(hours=hours)


def without_session(talk: Talk, session: str) -> Talk:
    """The same conversation, had `session` never been."""
    return replace(talk, evidence=[item for item in talk.evidence if item.session_id != session])
