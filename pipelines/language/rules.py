"""The rule extractor: claims from the words alone, without a model, in well under a millisecond a turn.

It knows no language: patterns, cue words and value words are data. Cheap tests come first, so that most turns,
which claim nothing, cost next to nothing. It errs on the side of silence: a wrong fact is worse than a missed one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from uuid import UUID, uuid5

from lithify.domain.catalog import AttributeKind
from lithify.domain.claims import Basis, Claim, Kind, Polarity
from pipelines.language.answers import Proposal, proposal
from pipelines.language.catalog import Vocabulary, load_vocabulary
from pipelines.language.clauses import Clause, Sentence, blank_foreign, clauses, sentences
from pipelines.language.matching import Head, Heard, Matcher, turned
from pipelines.language.modality import Frames, Place, find_frames, refusal
from pipelines.language.model import Extraction, Reject, RejectCode, Role, TurnText
from pipelines.language.moments import Moment, Moments, Region
from pipelines.language.patterns import load_language
from pipelines.language.subjects import Subject, speaker
from pipelines.language.text import fold, has_cjk, normal
from pipelines.language.timewords import TimeWords, local_day, time_words
from pipelines.language.values import Value

STAGE = "rules"
NAMESPACE = UUID("6f0f6f2a-5d0e-5b6b-9a53-5d2c0b8e7a11")
"""Of claim ids."""
LIMIT = 20_000
"""Code points of a turn that are read; what follows is reported as too long."""


_SHORT = 24
"""Code points of a clause that may trail another one."""
_FREE_TEXT = frozenset(["constraint", "note"])
"""Attributes whose values are the user's own sentences."""


def claim_id(turn_id: str, stage: str, generation: int, ordinal: int) -> str:
    """The id of the `ordinal`th claim that `stage` found in a turn; the same on every replay."""
    return str(uuid5(NAMESPACE, f"{turn_id}\n{stage}\n{generation}\n{ordinal}"))


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim before it is stamped with its turn."""

    heard: Heard
    moment: Moment
    words: str | None = None
    """The value's words, where they stand in the question and not in the turn."""


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
    drafts: list[Draft] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)

    def reject(self, code: RejectCode, span: tuple[int, int]) -> None:
        """Note a refusal once."""
        if Reject(code, span) not in self.rejects:
            self.rejects.append(Reject(code, span))


@dataclass(slots=True)
class _Flow:
    """What a clause hands on to the next one in its sentence."""

    subject: Subject | None = None
    silent_from: int | None = None
    """Start of the clauses just before, that have neither subject nor claim: they lead the next one."""
    lead: tuple[int, int] | None = None
    """Leading adverbs of the clause whose subject is shared: "this trip", "from today"."""
    changed: bool = False

    def step(self, clause: Clause, head: Head, heard: list[Heard]) -> None:
        """Go past `clause`."""
        silent = not head.own and not heard
        if silent:
            self.silent_from = clause.start if self.silent_from is None else self.silent_from
            return
        if head.own or self.lead is None:
            start = clause.start if self.silent_from is None else self.silent_from
            self.lead = (start, head.start)
        self.silent_from = None
        if head.own:
            self.subject = head.subject
        elif heard:
            self.subject = heard[0].subject


def confirmed(draft: Draft, asked: Proposal, when: Moment, span: tuple[int, int]) -> Draft:
    """A draft read from the question, as the answer at `span` makes it. A no denies; it never asserts the reverse."""
    value = draft.heard.value
    polarity = draft.heard.polarity if asked.affirmed else turned(draft.heard.polarity)
    words = asked.statement[value.start : value.end]
    heard = replace(draft.heard, polarity=polarity, span=span, value=replace(value, start=span[0], end=span[1]))
    return Draft(heard, when, words)


class RuleExtractor:
    """Finds claims by patterns. Pure: the same turn gives the same claims. Safe to share between threads."""

    def __init__(self, vocabulary: Vocabulary, matchers: Sequence[Matcher], times: TimeWords) -> None:
        self._vocabulary = vocabulary
        self._matchers = {matcher.language.name: matcher for matcher in matchers}
        self._moments = {
            matcher.language.name: Moments(matcher.language, times) for matcher in matchers
        }

    @classmethod
    def default(cls) -> "RuleExtractor":
        """The extractor of this checkout's catalog and patterns, English and Chinese."""
        vocabulary = load_vocabulary()
        matchers = [Matcher(vocabulary, load_language(name, vocabulary)) for name in ("en", "zh")]
        return cls(vocabulary, matchers, time_words())

    def extract(self, turn: TurnText, before: TurnText | None = None) -> Extraction:
        """The claims of a user's turn, in order of their place in it, and what was refused.

        Args:
            turn: read up to `LIMIT` code points. Turns of other roles give nothing.
            before: the turn before it; an assistant's question gives meaning to a plain yes or no.
        """
        if turn.role is not Role.USER:
            return Extraction()
        reading = self._open(turn, turn.content)
        if before is not None and before.role is Role.ASSISTANT:
            self._confirm(reading, before)
        self._read(reading)
        return self._close(reading)

    def _confirm(self, reading: _Reading, before: TurnText) -> None:
        """Take a plain yes or no as a claim for what was asked."""
        languages = [matcher.language for matcher in self._matchers.values()]
        asked = proposal(languages, before.content[-LIMIT:], reading.turn.content)
        if asked is None:
            return
        words = replace(reading.turn, content=asked.statement)
        heard = self._open(words, asked.statement, asserted=True)
        self._read(heard)
        span = (0, len(reading.turn.content))
        answer = Region((span,), (span,))
        when = self._moments[asked.language.name].answer(reading.turn, asked.question, answer)
        for draft in heard.drafts:
            reading.drafts.append(confirmed(draft, asked, when, span))

    def _open(self, turn: TurnText, content: str, *, asserted: bool = False) -> _Reading:
        text, rejects = blank_foreign(fold(content[:LIMIT]))
        if len(content) > LIMIT:
            rejects.append(Reject(RejectCode.TOO_LONG, (LIMIT, len(content))))
        names = ("zh", "en") if has_cjk(text) else ("en",)
        matchers = tuple(self._matchers[name] for name in names if name in self._matchers)
        return _Reading(turn, text, speaker(turn.speaker), matchers, asserted, rejects=rejects)

    def _read(self, reading: _Reading) -> None:
        if not any(matcher.relevant(reading.text) for matcher in reading.matchers):
            return
        found = list(sentences(reading.text))
        for index, sentence in enumerate(found):
            after = found[index + 1] if index + 1 < len(found) else None
            self._sentence(reading, sentence, after)

    def _sentence(self, reading: _Reading, sentence: Sentence, after: Sentence | None) -> None:
        matcher = self._matcher(reading, sentence)
        if not matcher.relevant(reading.text[sentence.start : sentence.end]):
            return
        parts = clauses(matcher.language, reading.text, sentence)
        flow = _Flow()
        for index, clause in enumerate(parts):
            head = matcher.head(reading.text, clause, reading.me)
            heard = matcher.match(reading.text, clause, head, flow.subject, reading.me)
            if heard:
                region = self._region(reading, matcher, flow, head, parts, index)
                place = Place(matcher.language, sentence, after, clause)
                self._judge(reading, place, region, heard)
                flow.changed = flow.changed or self._changed(reading, heard)
            flow.step(clause, head, heard)

    @staticmethod
    def _changed(reading: _Reading, heard: list[Heard]) -> bool:
        return any(
            draft.heard in heard and draft.moment.basis is Basis.CHANGE for draft in reading.drafts[-len(heard) :]
        )

    def _region(
        self, reading: _Reading, matcher: Matcher, flow: _Flow, head: Head, parts: list[Clause], index: int
    ) -> Region:
        """Where the cue words of a clause stand: in it, in lead-only clauses before it, in a short one after it."""
        clause = parts[index]
        own = (flow.silent_from if flow.silent_from is not None else clause.start, clause.end)
        spans = [own, *self._trailing(reading, matcher, parts, index)]
        leads = [(own[0], head.start)]
        if not head.own and flow.lead is not None:
            spans.append(flow.lead)
            leads.append(flow.lead)
        return Region(tuple(spans), tuple(leads), changed=flow.changed and not head.own)

    @staticmethod
    def _matcher(reading: _Reading, sentence: Sentence) -> Matcher:
        chinese = has_cjk(reading.text[sentence.start : sentence.end])
        return reading.matchers[0] if chinese else reading.matchers[-1]

    @staticmethod
    def _trailing(
        reading: _Reading, matcher: Matcher, parts: list[Clause], index: int
    ) -> Iterator[tuple[int, int]]:
        """The next clause, if it is short and says nothing of its own: "just this once"."""
        if index + 1 < len(parts):
            following = parts[index + 1]
            head = matcher.head(reading.text, following, reading.me)
            if head.own or following.end - following.start > _SHORT:
                return
            if not matcher.match(reading.text, following, head, reading.me, reading.me):
                yield following.start, following.end

    def _judge(self, reading: _Reading, place: Place, region: Region, heard: list[Heard]) -> None:
        moments = self._moments[place.language.name]
        for item in heard:
            safety = self._vocabulary.catalog.get(item.attribute).kind is AttributeKind.SAFETY
            own = region.alone() if safety else region
            own = replace(own, value=(item.value.start, item.value.end))
            when = moments.read(reading.turn, reading.text, own, item.rule.data)
            code = self._refused(reading, place, item, when)
            if code is None:
                reading.drafts.append(Draft(item, when))
                reading.drafts.extend(self._also(item, when))
            else:
                reading.reject(code, item.span)

    def _refused(self, reading: _Reading, place: Place, item: Heard, when: Moment) -> RejectCode | None:
        if item.past and when.valid_to is None:
            return RejectCode.PAST
        if reading.asserted:
            return None
        if reading.frames is None:
            reading.frames = find_frames((matcher.language for matcher in reading.matchers), reading.text)
        if item.attribute in _FREE_TEXT and place.language.marked("secret_rule", reading.text, *item.span):
            return RejectCode.INJECTION
        return refusal(reading.text, reading.frames, place, when.basis)

    def _also(self, item: Heard, when: Moment) -> Iterator[Draft]:
        """The broader slots a value speaks about too: a roast duck is a choice of meat."""
        attribute = self._vocabulary.catalog.get(item.attribute)
        kinds = attribute.ancestors(item.value.value) | {item.value.value}
        for kind, slot in item.rule.data.also.items():
            if kind in kinds:
                value = Value(slot, kind, item.value.start, item.value.end)
                heard = Heard(item.subject, slot, value, item.rule, item.polarity, item.span, item.past)
                yield Draft(heard, when)

    def _close(self, reading: _Reading) -> Extraction:
        claims: list[Claim] = []
        seen: set[tuple[str, str, str, Polarity]] = set()
        day, day_end = local_day(reading.turn.occurred_at, reading.turn.timezone)
        for draft in reading.drafts:
            heard = draft.heard
            key = (heard.subject.name, heard.attribute, heard.value.value, heard.polarity)
            if key not in seen:
                seen.add(key)
                claims.append(self._claim(reading.turn, draft, len(claims), day, day_end))
        return Extraction(tuple(claims), tuple(reading.rejects))

    def _claim(self, turn: TurnText, draft: Draft, ordinal: int, day: date, day_end: datetime) -> Claim:
        heard, when, rule = draft.heard, draft.moment, draft.heard.rule.data
        topics = self._topics(heard.value.value) if rule.kind is Kind.WITHDRAWAL else ()
        start = min(heard.span[0], heard.value.start)
        return Claim(
            id=claim_id(turn.turn_id, STAGE, 0, ordinal),
            turn_id=turn.turn_id,
            session_id=turn.session_id,
            turn_index=turn.turn_index,
            ordinal=ordinal,
            subject=heard.subject.name,
            attribute=heard.attribute,
            value=heard.value.value,
            text=draft.words or turn.content[heard.value.start : heard.value.end],
            occurred_at=turn.occurred_at.astimezone(UTC),
            local_date=day,
            day_end=day_end,
            polarity=heard.polarity,
            kind=rule.kind,
            basis=when.basis,
            cue=when.cue,
            scope=when.scope,
            confidence=rule.confidence,
            span=(start, max(heard.span[1], heard.value.end)),
            valid_from=when.valid_from,
            valid_to=when.valid_to,
            quantity=heard.value.quantity,
            topics=topics,
            relation=heard.subject.relation,
            cardinality=rule.cardinality,
        )

    def _topics(self, word: str) -> tuple[str, ...]:
        known = [self._vocabulary.known(key, word) for key in ("consumes", "likes")]
        return tuple(dict.fromkeys(topic for topic in (*known, normal(word)) if topic))
