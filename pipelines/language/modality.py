"""Whether words that look like a claim were asserted: not asked, supposed, joked, quoted or invented."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lithify.domain.claims import Basis
from pipelines.language.clauses import Clause, Sentence
from pipelines.language.languages import Language
from pipelines.language.model import RejectCode

_FRAMES = (
    ("fiction", RejectCode.FICTION),
    ("role_play", RejectCode.ROLE_PLAY),
    ("foreign_text", RejectCode.QUOTE),
)


@dataclass(frozen=True, slots=True)
class Frames:
    """What surrounds the sentences of a turn; found once, and only when a claim needs it."""

    injection: bool
    frame: RejectCode | None
    frame_start: int
    """From the sentence that holds this position on, nothing is the speaker's own."""
    jokes: tuple[int, ...]
    """Where it is said that something was a joke."""
    laughter: tuple[tuple[int, int], ...]
    """Where somebody laughs at the end of what was said; laughter before it answers somebody else."""


def find_frames(languages: Iterable[Language], text: str) -> Frames:
    """The frames of a turn, over all languages in it."""
    injection = False
    frame: RejectCode | None = None
    frame_start = len(text)
    jokes: list[int] = []
    laughter: list[tuple[int, int]] = []
    for language in languages:
        injection = injection or any(smuggled(language, text))
        for mark, code in _FRAMES:
            found = language.marked(mark, text)
            if found is not None and found.start() < frame_start:
                frame, frame_start = code, found.start()
        jokes.extend(found.start() for found in language.marks["joke"].finditer(text))
        laughter.extend(found.span() for found in language.marks["laughter"].finditer(text))
    return Frames(injection, frame, frame_start, tuple(jokes), tuple(laughter))


def smuggled(language: Language, text: str) -> Iterator[tuple[int, int]]:
    """Where the turn tries to give rights or to change the rules."""
    for mark in ("injection", "privilege"):
        found = language.marked(mark, text)
        if found is not None:
            yield found.span()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a claim stands."""

    language: Language
    sentence: Sentence
    after: Sentence | None
    """The sentence that follows, where "just kidding" may stand."""
    clause: Clause
    shared: int
    """Where the clause starts that has the subject of this one: "I'd work there and live in Rome"."""


def refusal(text: str, frames: Frames, place: Place, basis: Basis) -> RejectCode | None:
    """Why a claim with `basis` at `place` in the folded turn is not asserted, or None.

    A request is not refused for being put as a question.
    """
    framed = _framed(frames, place)
    if framed is not None:
        return framed
    language, sentence, clause = place.language, place.sentence, place.clause
    if language.marked("reported", text, sentence.start, clause.end):
        return RejectCode.QUOTE
    request = basis in {Basis.INSTRUCTION, Basis.CHOICE}
    if request and language.marked("request", text, clause.start, clause.end):
        return None
    if _asked(language, text, sentence, clause):
        return RejectCode.QUESTION
    supposed = basis is not Basis.INSTRUCTION and _supposed(text, place)
    return RejectCode.HYPOTHETICAL if supposed else None


def limited(text: str, place: Place, said: tuple[int, int], value: tuple[int, int]) -> bool:
    """Whether what is said of a value holds within limits only: "not in the evening", "not always", 工作日不.

    Args:
        text: the folded turn.
        place: the clause.
        said: from where its subject starts to where the rule's words end.
        value: where the value stands.
    """
    language, clause = place.language, place.clause
    if language.marked("partly", text, said[0], value[0]):
        return True
    stretches = [(clause.start, said[0]), (value[1], clause.end)]
    if not language.spaced:
        stretches.append((said[0], value[0]))
    return any(language.marked("limit", text, *stretch) for stretch in stretches)


def _framed(frames: Frames, place: Place) -> RejectCode | None:
    """What the turn as a whole makes of the sentence."""
    sentence, after = place.sentence, place.after
    if frames.injection:
        return RejectCode.INJECTION
    if frames.frame is not None and frames.frame_start < sentence.end:
        return frames.frame
    last = after.end if after is not None else sentence.end
    joked = any(sentence.start <= joke < last for joke in frames.jokes)
    return RejectCode.JOKE if joked or _laughed_at(frames, place) else None


def _laughed_at(frames: Frames, place: Place) -> bool:
    """Whether laughter ends the sentence, or is all of the next one."""
    start, end, after = place.clause.start, place.sentence.end, place.after
    next_start, next_end = (after.start, after.end) if after is not None else (end, end)
    return any(
        start < first <= end or (next_start <= first <= last and last >= next_end > next_start)
        for first, last in frames.laughter
        if first > place.sentence.start
    )


def _supposed(text: str, place: Place) -> bool:
    language, end = place.language, place.clause.end
    if language.marked("hypothetical", text, place.shared, end):
        return True
    return language.marked("wide_hypothetical", text, place.sentence.start, end) is not None


def _asked(language: Language, text: str, sentence: Sentence, clause: Clause) -> bool:
    if language.marked("question_any", text, clause.start, clause.end):
        return True
    if language.marks["question_open"].match(text, clause.start, clause.end):
        # ", am allergic to latex" goes on with a list about its subject
        return sentence.question or (language.spaced and clause.start == sentence.start)
    if not sentence.question:
        return False
    # An assertion may lead to the question: "I'm vegetarian, what can I cook?"
    opener = _first_opener(language, text, clause.end, sentence.end)
    return not opener


def _first_opener(language: Language, text: str, start: int, end: int) -> bool:
    while start < end and not text[start].isalnum():
        start += 1
    skip = language.lead.match(text, start, end)
    start = skip.end() if skip is not None else start
    if language.marked("tag", text, start, end):
        return False
    return language.marks["question_open"].match(text, start, end) is not None or (
        language.marked("question_any", text, start, end) is not None
    )
