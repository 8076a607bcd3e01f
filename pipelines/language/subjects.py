"""Who a clause is about."""

from dataclasses import dataclass

from lithify.domain.claims import USER
from pipelines.language.clauses import Sentence
from pipelines.language.languages import Language
from pipelines.language.text import normal


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a clause."""

    name: str
    """`USER`, or the normalised name (or relation, where nameless) of somebody else."""
    relation: str | None = None
    first_person: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A subject at the start of a clause, and where its predicate starts. No subject: not one we can name."""

    subject: Subject | None
    end: int
    stranger: bool = False
    """Whether somebody is brought up whom nothing names: "there is a man who"."""
    pronoun: str | None = None
    """"he", "she", 他, 她: whoever else was spoken of last, where that fits."""


def find_subject(language: Language, text: str, start: int, end: int, me: Subject) -> Found | None:
    """The subject that starts at `start`, or None where the clause has none of its own.

    Args:
        language: whose patterns apply.
        text: the folded turn.
        start: where the clause starts, after its leading adverbs.
        end: where it ends.
        me: who "I" is.
    """
    match = language.subject.match(text, start, end)
    if match is None:
        return None
    found = match.groupdict()
    if found.get("me") or found.get("me2") or found.get("we"):
        return Found(me, match.end())
    if found.get("person"):
        return Found(None, match.end(), pronoun=found["person"].lower())
    if any(found.get(key) for key in ("stranger", "stranger2", "stranger3")):
        return Found(None, match.end(), stranger=True)
    if found.get("pronoun") or found.get("pronoun2"):
        return Found(None, match.end())
    relation = found.get("relation") or found.get("relation2") or found.get("relation3")
    relation = language.relations.get(relation.lower()) if relation else None
    name = found.get("named") or found.get("named2") or found.get("name")
    if name and not relation and (kin := language.relations.get(name.lower())) is not None:
        return Found(Subject(kin, kin), match.end())  # "Grandpa takes warfarin"
    if name and normal(name.split()[0]) in language.not_names:
        return None if found.get("name") else Found(Subject(relation or normal(name), relation), match.end())
    if name or relation:
        return Found(Subject(normal(name or relation or ""), relation), match.end())
    return None


def elsewhere(language: Language, text: str, sentence: Sentence, earlier: bool) -> bool:
    """Whether, after `sentence`, a subject left out may be somebody else ("A gift for him. Loves jazz").

    Args:
        language: whose patterns apply; none that drops "I" anywhere tells the two apart.
        text: the folded turn.
        sentence: the one that was read.
        earlier: what held before it.
    """
    if language.drops_subject:
        return False
    if language.marked("brought_up", text, sentence.start, sentence.end):
        return True
    if language.marked("own", text, sentence.start, sentence.end):
        return False
    return earlier or language.marked("mentions", text, sentence.start, sentence.end) is not None


def dropped_other(language: Language, text: str, start: int, end: int, *, elsewhere: bool) -> bool:
    """Whether a clause that starts at `start` without a subject is not about "I": "speaks Basque".

    Args:
        language: whose patterns apply.
        text: the folded turn.
        start: where its words start.
        end: where it ends.
        elsewhere: whether somebody else was brought up before; "love jazz" is about "I" even then.
    """
    if language.drops_subject:
        return False
    if language.marks["third_verb"].match(text, start, end):
        return True
    return elsewhere and not language.marks["own_verb"].match(text, start, end)


def speaker(name: str | None) -> Subject:
    """The subject of first-person claims: the user, or the speaker who is not the user."""
    return Subject(normal(name) if name else USER, first_person=True)
