"""What the words of a turn say about a statement of the model: where it stands, who is meant, whether it was asserted.

The model's own word is never enough: the same cue words and frames decide that decide for the rules.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lithify.domain.claims import USER
from pipelines.language.catalog import Vocabulary
from pipelines.language.clauses import Clause, Sentence, blank_foreign, clauses, sentences
from pipelines.language.languages import Language, load_language
from pipelines.language.matching import Matcher
from pipelines.language.modality import Frames, Place, find_frames, refusal
from pipelines.language.model import Reject, RejectCode, TurnText
from pipelines.language.moments import Moment, Moments, Region
from pipelines.language.patterns import RuleData
from pipelines.language.subjects import Subject, speaker
from pipelines.language.text import fold, has_cjk, normal
from pipelines.language.timewords import time_words

_FIRST_PERSON = re.compile(r"(?<![\w'])(?:i|i'm|i've|i'd|my|mine|me|myself|we|our|us)(?![\w])|[我咱俺]", re.IGNORECASE)
_SELF = frozenset(["user", "i", "me", "myself", "speaker", "the user", "用户", "我"])
_AGENT = frozenset(["assistant", "ai", "agent", "bot", "model", "you", "助手", "系统", "system"])
_PLAIN = RuleData(id="model", pattern="", needs=[])
"""A rule that prescribes nothing: basis, cue and scope come from the words."""
_LONGEST_LOOSE = 2_000
"""Code points of a quote that is sought whatever its case and spaces: a pattern of a whole reply's length takes half a
minute to make."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a statement stands in its turn."""

    quote: Span
    words: Span
    sentence: Sentence
    after: Sentence | None
    clause: Clause
    language: Language


class Refusal(Exception):  # noqa: N818 - no fault: the words say otherwise
    """A statement is no claim."""

    def __init__(self, code: RejectCode, span: Span = (0, 0)) -> None:
        super().__init__(str(code))
        self.reject = Reject(code, span)


@dataclass(frozen=True, slots=True)
class TurnWords:
    """A turn's words, made ready once for all of its statements."""

    turn: TurnText
    text: str
    """Folded, with what is not the speaker's own blanked; positions are those of the turn."""
    blanked: Sequence[Reject]
    sentences: Sequence[Sentence]
    frames: Frames
    me: Subject


class Guard:
    """Holds statements against the words. Pure; safe to share."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        matchers = [Matcher(vocabulary, load_language(name, vocabulary)) for name in ("en", "zh")]
        self._matchers = {matcher.language.name: matcher for matcher in matchers}
        self._moments = {matcher.language.name: Moments(matcher.language, time_words()) for matcher in matchers}

    def open(self, turn: TurnText, shown: int) -> TurnWords:
        """Make a turn ready, up to where the model saw it."""
        text, blanked = blank_foreign(fold(turn.content[:shown]))
        frames = find_frames((matcher.language for matcher in self._matchers.values()), text)
        return TurnWords(turn, text, blanked, list(sentences(text)), frames, speaker(turn.speaker))

    def find(self, words: TurnWords, quote: str, value: str) -> Evidence:
        """Where the quote and the value's words in it stand.

        Raises:
            Refusal: they are not in the turn, or are not the speaker's own.
        """
        where = _find(words.text, fold(quote), 0, len(words.text))
        if where is None:
            raise self._not_found(words, quote)
        place = _find(words.text, fold(value), *where)
        if place is None:
            raise Refusal(RejectCode.NO_EVIDENCE, where)
        index = next((i for i, item in enumerate(words.sentences) if item.start <= place[0] < item.end), None)
        if index is None:
            raise Refusal(RejectCode.NO_EVIDENCE, where)
        sentence = words.sentences[index]
        after = words.sentences[index + 1] if index + 1 < len(words.sentences) else None
        language = self._language(words.text, sentence)
        parts = clauses(language, words.text, sentence)
        clause = next((part for part in parts if part.start <= place[0] < part.end), None)
        return Evidence(where, place, sentence, after, clause or Clause(sentence.start, sentence.end), language)

    def _not_found(self, words: TurnWords, quote: str) -> Refusal:
        where = _find(fold(words.turn.content[: len(words.text)]), fold(quote), 0, len(words.text))
        if where is None:
            return Refusal(RejectCode.NO_EVIDENCE)
        codes = (item.code for item in words.blanked if item.span[0] < where[1] and where[0] < item.span[1])
        return Refusal(next(codes, RejectCode.NO_EVIDENCE), where)

    def moment(self, words: TurnWords, evidence: Evidence) -> Moment:
        """Basis, cue, scope and interval, from the words of the clause.

        Raises:
            Refusal: it was not asserted.
        """
        clause = evidence.clause
        span = (min(clause.start, evidence.quote[0]), max(clause.end, evidence.words[1]))
        region = Region((span,), ((span[0], evidence.words[0]),), value=evidence.words)
        moment = self._moments[evidence.language.name].read(words.turn, words.text, region, _PLAIN)
        place = Place(evidence.language, evidence.sentence, evidence.after, clause, clause.start)
        code = refusal(words.text, words.frames, place, moment.basis)
        if code is not None:
            raise Refusal(code, evidence.quote)
        return moment

    def subject(self, words: TurnWords, evidence: Evidence, name: str, relation: str | None) -> Subject:
        """Whom the model means, where the words bear it out.

        Raises:
            Refusal: the clause is about somebody else, or the name is not in the turn.
        """
        said = normal(name)
        if said in _AGENT:
            raise Refusal(RejectCode.ASSISTANT_TEXT, evidence.quote)
        if said in _SELF or said == words.me.name:
            self._no_other(words, evidence)
            return words.me
        relations = evidence.language.relations
        if not said or (said not in normal(words.text) and not _names_relation(words.text, said, relations)):
            raise Refusal(RejectCode.UNRESOLVED, evidence.quote)
        kind = relations.get(normal(relation or ""), relations.get(said))
        return Subject(relations.get(said, said), kind)

    def _no_other(self, words: TurnWords, evidence: Evidence) -> None:
        """Refuse what is said of a person with a relation ("my flatmate Jun"), or by a name without any "I"."""
        clause = evidence.clause
        head = self._matchers[evidence.language.name].head(words.text, clause, words.me)
        other = head.subject if head.own else None
        if other is None or other.name in {USER, words.me.name} or other.first_person:
            return
        if evidence.words[0] < head.predicate:
            return  # the value itself is the subject: "Vim is my editor"
        own = _FIRST_PERSON.search(words.text, clause.start, clause.end)
        if other.relation is not None or own is None:
            raise Refusal(RejectCode.WRONG_SUBJECT, evidence.quote)

    def _language(self, text: str, sentence: Sentence) -> Language:
        return self._matchers["zh" if has_cjk(text[sentence.start : sentence.end]) else "en"].language


def _names_relation(text: str, relation: str, relations: Mapping[str, str]) -> bool:
    words = normal(text)
    return any(word in words for word, kind in relations.items() if relation in (word, kind))


def _find(text: str, part: str, start: int, end: int) -> Span | None:
    """Where `part` stands in `text[start:end]`: letter by letter; unless it is long, whatever its case and spaces."""
    part = part.strip()
    if not part:
        return None
    at = text.find(part, start, end)
    if at >= 0:
        return at, at + len(part)
    if len(part) > _LONGEST_LOOSE:
        return None
    pattern = r"\s+".join(re.escape(word) for word in part.split())
    found = re.compile(pattern, re.IGNORECASE).search(text, start, end)
    return found.span() if found is not None else None
