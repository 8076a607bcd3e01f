"""Compares the claims of an extractor with the labels: precision, recall, F1, and false facts by category."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from zoneinfo import ZoneInfo

from benchmarks.extraction.labels import ANY, ZONE, Expected, Labelled
from lithify.domain.claims import USER, Claim, Kind
from pipelines.language.catalog import Vocabulary
from pipelines.language.model import Extractor
from pipelines.language.text import normal

NEVER = ("third_party", "hypothetical", "joke", "quote", "fiction", "assistant_text", "question")
"""Categories in which not one false fact is allowed; of a third party, none about the user."""
_PLACE = ZoneInfo(ZONE)


@dataclass(slots=True)
class Score:
    """Counts over some turns; claims that are optional count nowhere."""

    turns: int = 0
    right: int = 0
    false: int = 0
    missed: int = 0
    stamped: int = 0
    """Of the right ones, how many have basis, cue, relation and the stated dates right too."""

    def add(self, other: "Score") -> None:
        """Count `other` in."""
        self.turns += other.turns
        self.right += other.right
        self.false += other.false
        self.missed += other.missed
        self.stamped += other.stamped

    @property
    def precision(self) -> float:
        """Share of found claims that are right; 1 where none were found."""
        return _share(self.right, self.right + self.false)

    @property
    def recall(self) -> float:
        """Share of expected claims that were found; 1 where none were expected."""
        return _share(self.right, self.right + self.missed)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return _share(2 * self.right, 2 * self.right + self.false + self.missed)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


@dataclass(frozen=True, slots=True)
class Finding:
    """What an extractor made of one labelled turn."""

    row: Labelled
    right: tuple[tuple[Expected, Claim], ...]
    false: tuple[Claim, ...]
    missed: tuple[Expected, ...]

    @property
    def score(self) -> Score:
        """The turn's counts."""
        stamped = sum(stamped_right(label, claim) for label, claim in self.right)
        return Score(1, len(self.right), len(self.false), len(self.missed), stamped)

    @property
    def forbidden(self) -> tuple[Claim, ...]:
        """False claims that its category must never give."""
        if self.row.category not in NEVER:
            return ()
        own = self.row.category == "third_party"
        return tuple(claim for claim in self.false if not own or claim.subject == USER)


@dataclass(slots=True)
class Report:
    """The findings of one extractor on one set."""

    findings: list[Finding] = field(default_factory=list)

    def total(self) -> Score:
        """All counts."""
        return _sum(finding.score for finding in self.findings)

    def by_category(self) -> Mapping[str, Score]:
        """Counts by category, in order of first appearance."""
        return self._by(lambda row: row.category)

    def by_language(self) -> Mapping[str, Score]:
        """Counts by language."""
        return self._by(lambda row: row.language)

    def forbidden(self) -> list[tuple[Labelled, Claim]]:
        """Every false fact in a category that allows none."""
        return [(finding.row, claim) for finding in self.findings for claim in finding.forbidden]

    def _by(self, key: Callable[[Labelled], str]) -> Mapping[str, Score]:
        found: dict[str, Score] = defaultdict(Score)
        for finding in self.findings:
            found[key(finding.row)].add(finding.score)
        return found


def measure(extractor: Extractor, rows: Iterable[Labelled], vocabulary: Vocabulary) -> Report:
    """Run `extractor` on every turn and compare what it finds with the labels."""
    report = Report()
    for row in rows:
        found = extractor.extract(row.turn(), row.turn_before())
        report.findings.append(compare(row, found.claims, vocabulary))
    return report


def compare(row: Labelled, claims: Iterable[Claim], vocabulary: Vocabulary) -> Finding:
    """Match claims with expected ones, each expected one once; optional ones take any number."""
    waiting = [label for label in row.claims if not label.optional]
    optional = [label for label in row.claims if label.optional]
    right: list[tuple[Expected, Claim]] = []
    false: list[Claim] = []
    for claim in claims:
        label = next((label for label in waiting if meets(label, claim, vocabulary)), None)
        if label is not None:
            waiting.remove(label)
            right.append((label, claim))
        elif not any(meets(label, claim, vocabulary) for label in (*optional, *(done for done, _ in right))):
            false.append(claim)
    return Finding(row, tuple(right), tuple(false), tuple(waiting))


def meets(label: Expected, claim: Claim, vocabulary: Vocabulary) -> bool:
    """Whether the claim says what the label expects: subject, attribute, value, polarity and kind."""
    if claim.kind != label.kind or claim.subject not in {normal(name) for name in label.subject}:
        return False
    if claim.kind is Kind.WITHDRAWAL:
        return bool(set(_withdrawn(claim)) & set(_topics(label, vocabulary)))
    keys = {*label.attribute, *(vocabulary.attribute_of(name) for name in label.attribute)}
    if claim.polarity != label.polarity or not any(fnmatchcase(claim.attribute, key) for key in keys):
        return False
    return any(_same(value, claim, vocabulary) for value in label.value)


def _withdrawn(claim: Claim) -> Iterator[str]:
    yield claim.value
    yield from claim.topics


def _topics(label: Expected, vocabulary: Vocabulary) -> Iterator[str]:
    """The topics that would meet the label: its values, or where it withdraws attributes, their names."""
    for value in label.value:
        yield normal(value)
        yield vocabulary.known("consumes", value) or vocabulary.known("likes", value) or value
    yield from (key for key in label.attribute if key != ANY)


def _same(value: str, claim: Claim, vocabulary: Vocabulary) -> bool:
    if value == ANY:
        return True
    said = normal(claim.value)
    if value.startswith(ANY) or value.endswith(ANY):
        return any(fnmatchcase(words.replace("[", "("), normal(value)) for words in (said, normal(claim.text)))
    word = normal(value)
    return said in {word, vocabulary.known(claim.attribute, word)} or normal(claim.text) == word


def stamped_right(label: Expected, claim: Claim) -> bool:
    """Whether basis, cue, relation and dates are as labelled too."""
    if ANY not in label.basis and claim.basis not in label.basis:
        return False
    if ANY not in label.basis and claim.cue not in label.cue:
        return False
    if label.relation is not None and claim.relation != label.relation:
        return False
    dates = ((label.valid_from, claim.valid_from), (label.valid_to, claim.valid_to))
    return all(
        not wanted or (said is not None and said.astimezone(_PLACE).date().isoformat() in wanted)
        for wanted, said in dates
    )


def _sum(scores: Iterable[Score]) -> Score:
    total = Score()
    for score in scores:
        total.add(score)
    return total
