"""A plain yes or no: what the assistant's question proposed, as the user's own statement."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pipelines.language.clauses import blank_foreign, sentences
from pipelines.language.languages import Language
from pipelines.language.text import fold, has_cjk


@dataclass(frozen=True, slots=True)
class Proposal:
    """What was asked, turned into what a yes would assert."""

    statement: str
    """The question as a statement in the first person."""
    question: str
    affirmed: bool
    """Whether the answer was yes."""
    language: Language


_EITHER_WAY = re.compile(r"(.)[不没]\1")
"""是不是, 有没有: asks without denying."""
_LONGEST = 120
"""Code points of an answer that can still be plain."""


def proposal(languages: Iterable[Language], question_turn: str, answer: str) -> Proposal | None:
    """What a plain yes or no agrees to or denies: the question that ends the turn before. Else None."""
    answer = fold(answer).strip()
    if not answer or len(answer) > _LONGEST:
        return None
    affirmed = next((yes for language in languages if (yes := _answer(language, answer)) is not None), None)
    if affirmed is None:
        return None
    question = _last_question(blank_foreign(fold(question_turn))[0])
    if question is None:
        return None
    chinese = has_cjk(question)
    language = next((item for item in languages if (item.name == "zh") is chinese), None)
    if language is None:
        return None
    asked, question = question, _untagged(language, question)
    if affirmed and language.marked("alternatives", question):
        return None  # yes to "tea or coffee?" says neither
    if not _plain(language, asked, question, answer, affirmed=affirmed):
        return None
    return Proposal(_turned(language, question), question, affirmed, language)


def _plain(language: Language, asked: str, question: str, answer: str, *, affirmed: bool) -> bool:
    """Whether the answer says one thing: no to "you don't eat pork?" says either.

    So does yes, after "not"; but "right" agrees, and so does a yes to ", right?" and to "no longer".
    """
    denying = _EITHER_WAY.sub(r"\1", question)
    if not language.marked("negated", denying):
        return True
    if not affirmed:
        return False
    agreed = language.marked("agreed", answer) or language.marked("agreed", asked[len(question) :])
    return agreed is not None or not language.marked("not", denying)


def _untagged(language: Language, question: str) -> str:
    """`question` without its tag: ", right", 对吧."""
    head, comma, tail = question.replace("，", ",").rpartition(",")
    return head if comma and language.marks["tag"].fullmatch(tail.strip(" ?？")) else question


def _answer(language: Language, answer: str) -> bool | None:
    if language.yes.fullmatch(answer):
        return True
    return False if language.no.fullmatch(answer) else None


def _last_question(text: str) -> str | None:
    found = None
    for sentence in sentences(text):
        words = text[sentence.start : sentence.end]
        asked = sentence.question or words.endswith(("吗", "吧"))
        found = words if asked else None
    return found


def _turned(language: Language, question: str) -> str:
    lead = language.question_lead.match(question)
    words = question[lead.end() :] if lead is not None else question
    for pattern, replacement in language.turnabout:
        words = pattern.sub(replacement, words)
    return words
