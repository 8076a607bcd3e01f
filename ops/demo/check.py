"""What the demo promises, checked on the data that was read back."""

from collections.abc import Iterator

from lithify.domain.claims import USER
from lithify.domain.slots.state import VerdictKind
from ops.demo.play import DemoError
from ops.demo.read import Diary
from ops.demo.script import session_id


def check(diary: Diary) -> int:
    """Check every promise.

    Returns:
        How many promises were checked.

    Raises:
        DemoError: naming each that does not hold.
    """
    promises = list(_promises(diary))
    broken = [text for text, kept in promises if not kept]
    if broken:
        raise DemoError("these do not hold:\n" + "\n".join(f"  - {text}" for text in broken))
    return len(promises)


def _promises(diary: Diary) -> Iterator[tuple[str, bool]]:
    yield "every turn came to an outcome", all(_is_final(said.outcome.outcome) for said in diary.said)
    yield from _nothing_about_the_user(diary)
    yield from _diet(diary)
    yield from _declaration(diary)
    yield from _promotion(diary)


def _is_final(outcome: str) -> bool:
    return outcome in {"stored", "no_facts", "skipped"}


def _nothing_about_the_user(diary: Diary) -> Iterator[tuple[str, bool]]:
    silent = {session_id(session.day) for session in diary.script.sessions if not session.about_user}
    claims = [claim for key, slot in diary.slots.items() if key[0] == USER for claim in slot.claims]
    yield (
        "a joke, a supposition and a friend's taste leave nothing about the user",
        not any(claim.session_id in silent for claim in claims),
    )


def _diet(diary: Diary) -> Iterator[tuple[str, bool]]:
    diet = diary.slots[USER, "diet"]
    yield "the diet changes once, by evidence", [fact.value for fact in diet.facts] == ["vegetarian", "meat"]
    before = diary.look("before the dinner").values("diet", "override")
    during = diary.look("in the session that asked for it").values("diet", "override")
    after = diary.look("the next morning").values("diet", "override")
    yield "the dinner holds that evening, and only then", not before and "meat" in "".join(during) and not after
    abroad = diary.look("a new session on the trip").values("diet", "override")
    home = diary.look("home again").values("diet", "override")
    yield "the trip holds in another session, until its stated end", "pescatarian" in "".join(abroad) and not home
    asked = [hint.value for hint in diet.hints if hint.code == "contender"]
    yield "before it is sure, it says what to ask", "meat" in asked


def _declaration(diary: Diary) -> Iterator[tuple[str, bool]]:
    old, new = diary.slots[USER, "employer"].facts
    yield "a declaration closes the old fact where the new one starts", old.valid_to == new.valid_from
    yield "the new employer is known at once", "vandelay" in _text(diary, "the moment it was said").casefold()
    yield "the old one was known until then", "globex" in _text(diary, "the evening before the new job").casefold()


def _text(diary: Diary, title: str) -> str:
    return "".join(diary.look(title).values("employer", "fact"))


def _promotion(diary: Diary) -> Iterator[tuple[str, bool]]:
    promoted = [item for item in diary.by_time if item.verdict.kind == VerdictKind.PROMOTED]
    yield (
        "one change is promoted, and nothing else",
        [(item.attribute, item.verdict.value) for item in promoted] == [("diet", "meat")],
    )
    traces = [item.verdict.trace for item in promoted]
    yield (
        "a promotion passes all of its gates",
        all(trace["days"] >= trace["needed_days"] and trace["posterior"] >= trace["threshold"] for trace in traces),
    )
