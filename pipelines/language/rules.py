"""The rule extractor: claims from the words alone, without a model, in well under a millisecond a turn.

It knows no language: patterns, cue words and value words are data. Cheap tests come first, so that a turn
that claims nothing costs next to nothing. A wrong fact is worse than a missed one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from lithify.domain.catalog import AttributeKind
from lithify.domain.claims import Basis, Cue, Polarity
from pipelines.language.answers import proposal
from pipelines.language.catalog import FREE_TEXT, WHOLE, Vocabulary, load_vocabulary
from pipelines.language.clauses import Clause, Sentence, blank_foreign, clauses, sentences
from pipelines.language.drafts import Draft, answered, stamped
from pipelines.language.languages import Language, load_language
from pipelines.language.matching import Around, Head, Heard, Matcher, Spoken
from pipelines.language.modality import Frames, Place, find_frames, limited, refusal, smuggled
from pipelines.language.model import Extraction, Reject, RejectCode, Role, TurnText
from pipelines.language.moments import Moment, Moments, Region
from pipelines.language.plain import plain
from pipelines.language.subjects import Subject, dropped_other, elsewhere, speaker
from pipelines.language.text import fold, has_cjk, is_chinese
from pipelines.language.timewords import TimeWords, time_words

LIMIT = 20_000
"""Code points of a turn that are read; what follows is reported as too long."""
MOST = 64
"""Findings in one turn after which reading stops: nobody says more about themselves in one message."""
_SHORT = 24
"""Code points of a clause that may trail another one."""


@dataclass(slots=True)
class _Reading:
    """What is known while a turn is read."""

    turn: TurnText
    text: str
    me: Subject
    matchers: tuple[Matcher, ...]
    asserted: bool = False
    """Whether modality is taken for granted: the words are a question that was answered."""
    frames: Frames | None = None
    others: list[tuple[int, Subject]] = field(default_factory=list)
    """Third parties that clauses were about, with the place of each, in order."""
    elsewhere: bool = False
    """Whether the sentences before brought up somebody else, who may be meant where a subject is left out."""
    drafts: list[Draft] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)

    def reject(self, code: RejectCode, span: tuple[int, int]) -> None:
        """Note a refusal once."""
        if Reject(code, span) not in self.rejects:
            self.rejects.append(Reject(code, span))

    def antecedent(self, head: Head, language: Language, since: int) -> Head:
        """`head` with the person that its pronoun stands for: the only one since `since` whom it fits."""
        if head.pronoun is None:
            return head
        unfit = language.pronouns.get(head.pronoun, frozenset())
        people = {person for start, person in self.others if start >= since and person.relation not in unfit}
        return replace(head, subject=people.pop()) if len(people) == 1 else head

    def pass_by(self, language: Language, sentence: Sentence, *, other: bool) -> None:
        """Go past a sentence. `other`: whether it ends with somebody else; what counts where "I" may be left out."""
        self.elsewhere = other if language.drops_subject else elsewhere(language, self.text, sentence, self.elsewhere)

    @property
    def full(self) -> bool:
        """Whether so much was found that reading stops."""
        return len(self.drafts) + len(self.rejects) >= MOST

    def matcher(self, start: int, end: int) -> Matcher:
        """The matcher of the language in which `text[start:end]` is written."""
        return self.matchers[0] if is_chinese(self.text[start:end]) else self.matchers[-1]


@dataclass(slots=True)
class _Flow:
    """What a clause hands on to the next one in its sentence."""

    subject: Subject | None = None
    described: bool = False
    """Whether clauses with the shared subject told something of it."""
    stranger: bool = False
    """Whether the shared subject is somebody unknown: a "she" whom nothing before names."""
    silent_from: int | None = None
    """Start of the clauses just before, that have neither subject nor claim: they lead the next one."""
    lead: tuple[int, int] | None = None
    """Leading adverbs of the clause whose subject is shared: "this trip", "from today"."""
    changed: bool = False
    """Whether a clause with the shared subject told of a change."""
    owner: int | None = None
    """Start of the clause whose subject is shared."""

    def region(self, clause: Clause, head: Head, trailing: Iterator[tuple[int, int]]) -> Region:
        """Where the cue words of a clause stand: in it, in those that lead it, in a short one after it."""
        own = (self._start(clause), clause.end)
        spans = [own, *trailing]
        leads = [(own[0], head.start)]
        if not head.own and self.lead is not None:
            spans.append(self.lead)
            leads.append(self.lead)
        return Region(tuple(spans), tuple(leads), changed=self.changed and not head.own)

    def spoken(self, reading: _Reading, clause: Clause, head: Head, around: Around) -> Spoken:
        """`clause` with what the clauses before it hand on."""
        return Spoken(reading.text, clause, head, self.subject, self.described, self.stranger, reading.me, around)

    def shared(self, clause: Clause, head: Head, language: Language) -> int:
        """Where the clause starts whose subject `clause` shares; itself where languages leave subjects out freely."""
        return clause.start if head.own or language.drops_subject or self.owner is None else self.owner

    def step(self, clause: Clause, head: Head, heard: list[Heard], *, changed: bool) -> None:
        """Go past `clause`."""
        if head.own:
            self.owner = clause.start
        self.changed = changed or (self.changed and not head.own)
        if not head.own and not heard:
            self.silent_from = self._start(clause)
            return
        if head.own or self.lead is None:
            self.lead = (self._start(clause), head.start)
        self.silent_from = None
        self.stranger = head.stranger if head.own else self.stranger
        self.described = bool(heard) or (self.described and not head.own)
        self.subject = head.subject if head.own else heard[0].subject

    def elsewhere(self, me: Subject) -> bool:
        """Whether the sentence ends with somebody other than `me`."""
        return self.stranger or self.subject not in {None, me}

    def _start(self, clause: Clause) -> int:
        return clause.start if self.silent_from is None else self.silent_from


class RuleExtractor:
    """Finds claims by patterns. Pure: the same turn gives the same claims. Safe to share between threads."""

    def __init__(self, vocabulary: Vocabulary, matchers: Sequence[Matcher], times: TimeWords) -> None:
        self._vocabulary = vocabulary
        self._matchers = {matcher.language.name: matcher for matcher in matchers}
        self._moments = {matcher.language.name: Moments(matcher.language, times) for matcher in matchers}

    @classmethod
    def default(cls, vocabulary: Vocabulary | None = None, *, check: bool = False) -> "RuleExtractor":
        """The extractor of this checkout's patterns, English and Chinese, with its catalog or the one given.

        With `check` every rule is compiled here: seconds of the start of what serves, none of its first turns.
        """
        vocabulary = vocabulary or load_vocabulary()
        matchers = [Matcher(vocabulary, load_language(name, vocabulary, check=check)) for name in ("en", "zh")]
        return cls(vocabulary, matchers, time_words())

    def extract(self, turn: TurnText, before: TurnText | None = None) -> Extraction:
        """The claims of a user's turn, in order of their place in it, and what was refused.

        Args:
            turn: read up to `LIMIT` code points. Turns of other roles give nothing.
            before: the turn before it; an assistant's question gives meaning to a plain yes or no.
        """
        if turn.role is not Role.USER:
            return Extraction()
        bare = plain(turn.content, LIMIT)
        if bare is None:
            return self._extract(turn, before)
        found = self._extract(replace(turn, content=bare.text), before)
        claims = tuple(
            replace(claim, span=bare.back(claim.span), text=bare.said(claim.text, claim.span, turn.content))
            for claim in found.claims
        )
        return Extraction(claims, tuple(Reject(item.code, bare.back(item.span)) for item in found.rejects))

    def _extract(self, turn: TurnText, before: TurnText | None) -> Extraction:
        reading = self._open(turn)
        if before is not None and before.role is Role.ASSISTANT:
            asked = plain(before.content, LIMIT)
            self._confirm(reading, before if asked is None else replace(before, content=asked.text))
        self._read(reading)
        return Extraction(stamped(turn, reading.drafts, self._vocabulary), tuple(reading.rejects))

    def _confirm(self, reading: _Reading, before: TurnText) -> None:
        """Take a plain yes or no as a claim for what was asked."""
        languages = [matcher.language for matcher in self._matchers.values()]
        asked = proposal(languages, before.content[-LIMIT:], reading.turn.content)
        if asked is None:
            return
        question = self._open(replace(reading.turn, content=asked.statement), asserted=True)
        self._read(question)
        span = (0, len(reading.turn.content))
        moments = self._moments[asked.language.name]
        when = moments.answer(reading.turn, asked.question, Region((span,), (span,)))
        for draft in question.drafts:
            safety = self._vocabulary.catalog.get(draft.heard.attribute).kind is AttributeKind.SAFETY
            answer = answered(draft, asked, when, span, safety=safety)
            reading.drafts += [answer] if answer is not None else []

    def _open(self, turn: TurnText, *, asserted: bool = False) -> _Reading:
        text, rejects = blank_foreign(fold(turn.content[:LIMIT]))
        if len(turn.content) > LIMIT:
            rejects.append(Reject(RejectCode.TOO_LONG, (LIMIT, len(turn.content))))
        names = ("zh", "en") if has_cjk(text) else ("en",)
        matchers = tuple(self._matchers[name] for name in names if name in self._matchers)
        return _Reading(turn, text, speaker(turn.speaker), matchers, asserted, rejects=rejects)

    def _read(self, reading: _Reading) -> None:
        self._suspect(reading)
        if not any(matcher.relevant(reading.text) for matcher in reading.matchers):
            return
        found = list(sentences(reading.text))
        for index, sentence in enumerate(found):
            if reading.full:
                return
            after = found[index + 1] if index + 1 < len(found) else None
            self._sentence(reading, sentence, found[index - 1] if index else None, after)

    @staticmethod
    def _suspect(reading: _Reading) -> None:
        """Report what tries to give rights or to change the rules, whether or not it looks like a claim."""
        lowered = reading.text.lower()
        for matcher in reading.matchers:
            if any(word in lowered for word in matcher.language.suspicious):
                for span in smuggled(matcher.language, reading.text):
                    reading.reject(RejectCode.INJECTION, span)

    def _sentence(self, reading: _Reading, sentence: Sentence, before: Sentence | None, after: Sentence | None) -> None:
        matcher = reading.matcher(sentence.start, sentence.end)
        drops = matcher.language.drops_subject
        if drops and before is not None and "\n" in reading.text[before.end : sentence.start]:
            reading.elsewhere = False
        if not matcher.relevant(reading.text[sentence.start : sentence.end]):
            head = matcher.head(reading.text, Clause(sentence.start, sentence.end), reading.me)
            reading.pass_by(matcher.language, sentence, other=reading.elsewhere and not head.own)
            return
        around = Around(reading.text[sentence.start : after.end if after is not None else sentence.end])
        flow = _Flow(stranger=drops and reading.elsewhere)
        parts = clauses(matcher.language, reading.text, sentence)
        for clause, following in zip(parts, [*parts[1:], None], strict=True):
            head = matcher.head(reading.text, clause, reading.me)
            head = reading.antecedent(head, matcher.language, before.start if before is not None else sentence.start)
            if head.subject is not None and head.subject is not reading.me:
                reading.others.append((clause.start, head.subject))
            if not head.own and flow.subject is None and not flow.stranger:
                at = (head.start, clause.end)
                flow.stranger = dropped_other(matcher.language, reading.text, *at, elsewhere=reading.elsewhere)
            heard = matcher.match(flow.spoken(reading, clause, head, around))
            changed = False
            if reading.full:
                reading.reject(RejectCode.TOO_LONG, (clause.start, len(reading.text)))
                return
            if heard:
                region = flow.region(clause, head, self._trailing(reading, matcher, following))
                place = Place(matcher.language, sentence, after, clause, flow.shared(clause, head, matcher.language))
                changed = self._judge(reading, place, region, heard)
            flow.step(clause, head, heard, changed=changed)
        reading.pass_by(matcher.language, sentence, other=flow.elsewhere(reading.me))

    def _trailing(self, reading: _Reading, matcher: Matcher, following: Clause | None) -> Iterator[tuple[int, int]]:
        """The next clause, if it holds cue words and nothing else: "just this once"."""
        if following is None or following.end - following.start > _SHORT:
            return
        if self._moments[matcher.language.name].only_cues(reading.turn, reading.text, following):
            yield following.start, following.end

    def _judge(self, reading: _Reading, place: Place, region: Region, heard: list[Heard]) -> bool:
        """Turn what was heard into drafts or rejects; whether any draft tells of a change."""
        moments = self._moments[place.language.name]
        changed = False
        for item in heard[:MOST]:
            safety = self._vocabulary.catalog.get(item.attribute).kind is AttributeKind.SAFETY
            own = replace(region.alone() if safety else region, value=(item.value.start, item.value.end))
            when = moments.read(reading.turn, reading.text, own, item.rule.data)
            code = self._refused(reading, place, item, when)
            if code is None:
                reading.drafts += [Draft(item, when), *self._contrasted(reading, place, item, when)]
                reading.drafts += self._also(item, when)
                changed = changed or when.basis is Basis.CHANGE
            else:
                reading.reject(code, item.span)
        return changed

    def _contrasted(self, reading: _Reading, place: Place, item: Heard, when: Moment) -> Iterator[Draft]:
        if when.cue is not Cue.TEMPORARY and when.basis in {Basis.STATEMENT, Basis.CHANGE}:
            matcher = self._matchers[place.language.name]
            for denied in matcher.contrasted(reading.text, item, place.sentence.end):
                yield Draft(denied, when)

    def _refused(self, reading: _Reading, place: Place, item: Heard, when: Moment) -> RejectCode | None:
        if item.past and when.valid_to is None:
            return RejectCode.PAST
        if reading.asserted:
            return None
        if reading.frames is None:
            reading.frames = find_frames((matcher.language for matcher in reading.matchers), reading.text)
        if item.attribute in FREE_TEXT and place.language.marked("secret_rule", reading.text, *item.span):
            return RejectCode.INJECTION
        code = refusal(reading.text, reading.frames, place, when.basis)
        if code is None and self._hedged(reading, place, item, when):
            return RejectCode.HEDGED
        return code

    @staticmethod
    def _hedged(reading: _Reading, place: Place, item: Heard, when: Moment) -> bool:
        """Whether a limit makes a denial, or a diet, no lasting one: "I don't drink coffee after five"."""
        if when.cue is Cue.TEMPORARY or when.basis not in {Basis.STATEMENT, Basis.CHANGE}:
            return False
        if item.polarity is Polarity.POSITIVE and item.attribute not in WHOLE:
            return False
        return limited(reading.text, place, item.span, (item.value.start, item.value.end))

    def _also(self, item: Heard, when: Moment) -> Iterator[Draft]:
        """The broader slots a value speaks about too: a roast duck is a choice of meat."""
        attribute = self._vocabulary.catalog.get(item.attribute)
        kinds = attribute.ancestors(item.value.value) | {item.value.value}
        for kind, slot in item.rule.data.also.items():
            if kind in kinds:
                value = replace(item.value, attribute=slot, value=kind, quantity=None)
                yield Draft(replace(item, attribute=slot, value=value), when)
