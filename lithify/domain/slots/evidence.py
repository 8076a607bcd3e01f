"""The evidence of one cell: which session spoke for what, on which day, and the filters that follow from it.

A session supports the last value it spoke for, and counts once for a value, on the day of its first claim
for it. A day gives one observation: the value of the last session that spoke.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from lithify.domain.claims import Claim, Quantity, order
from lithify.domain.policy import PromotionPolicy
from lithify.domain.promotion import ANOTHER, Filter, Observation, Regimes, advance, ruled_out
from lithify.domain.slots.rows import SessionKey, Stance

_DAY = timedelta(days=1)
Order = tuple[datetime, int, str, int]


@dataclass(slots=True, eq=False)
class Day:
    """One local day; ends that lie close together (a flight) are one."""

    first_end: datetime
    end: datetime
    talks: list["Talk"] = field(default_factory=list)
    guess: Stance | None = None
    """What a model guessed, where nobody spoke."""
    observed: bool = False


@dataclass(slots=True, eq=False)
class Talk:
    """What one session said about the cell."""

    key: SessionKey
    latest: Order
    last: Stance | None = None
    firsts: dict[Stance, Day] = field(default_factory=dict)
    cued: set[Stance] = field(default_factory=set)
    strong: set[Stance] = field(default_factory=set)

    def supports(self, stance: Stance) -> bool:
        """Whether the session ended up for `stance`."""
        return self.last == stance and stance in self.firsts

    def plainly(self, stance: Stance) -> bool:
        """Whether its support of `stance` was not marked as passing."""
        return stance not in self.cued or stance in self.strong


@dataclass(slots=True)
class Track:
    """A filter with the state before its last day, so that a late claim of that day is observed anew."""

    state: Filter
    before: Filter
    day: Day | None = None
    _ahead: tuple[Filter, int, Observation, Filter] | None = None
    """The last step taken or looked at: a day is often looked at while it runs, and ends as it looked."""

    def start_of(self, day: Day) -> Filter:
        """The state in which `day` begins."""
        return self.before if self.day is day else self.state

    def step(self, start: Filter, gap: int, seen: Observation) -> Filter:
        """The state after a day that begins in `start`, without taking it in."""
        known = self._ahead
        if known is not None and known[0] is start and known[1] == gap and known[2] == seen:
            return known[3]
        after = advance(start, gap, seen)
        self._ahead = (start, gap, seen, after)
        return after

    def observe(self, day: Day, gap: int, seen: Observation) -> None:
        """Take `day` in, in place of what was known of it."""
        self.before = self.start_of(day)
        self.day = day
        self.state = self.step(self.before, gap, seen)


@dataclass(slots=True)
class ContenderRow:
    """A value that is gathering evidence."""

    value: str
    text: str
    stance: Stance
    quantity: Quantity | None
    first_support: datetime
    last_support: datetime
    regimes: Regimes
    claim_ids: list[str] = field(default_factory=list)
    track: Track | None = None
    """None until its first day ended."""
    ended_at: datetime | None = None
    """When it was promoted, dropped or voided."""


@dataclass(slots=True)
class Book:
    """All evidence of a cell since it was last voided."""

    origin: datetime
    """When the fact opened, or the cell began; the filters count from here."""
    talks: dict[SessionKey, Talk] = field(default_factory=dict)
    """In the order of each session's latest claim."""
    supporters: dict[Stance, list[Talk]] = field(default_factory=dict)
    """Sessions by what they spoke for, in the order of their first claim for it."""
    days: list[Day] = field(default_factory=list)
    _own: set[Day] = field(default_factory=set)
    seen: list[Day] = field(default_factory=list)
    """Days already observed, in order."""
    contenders: dict[Stance, ContenderRow] = field(default_factory=dict)
    _past: list[tuple[int, Observation]] = field(default_factory=list)
    """Of each day in `seen`: days since the one before, and what a value without support saw of it."""
    _bases: dict[Regimes | Stance, tuple[int, Filter]] = field(default_factory=dict)
    """How many of these days a base state has taken in so far, and the state; a denied contender has its own."""
    unsupported: list[Day] = field(default_factory=list)
    """The latest speaking days in a row that did not support the fact."""

    def day_of(self, end: datetime, policy: PromotionPolicy) -> Day:
        """The day that ends at `end`, opened where it is new."""
        for day in reversed(self.days[-3:]):
            if abs(end - day.first_end) < policy.same_day:
                if end > day.end:
                    day.end, day.observed = end, False
                return day
        day = Day(end, end)
        self.days.append(day)
        self._own.add(day)
        return day

    def holds(self, day: Day) -> bool:
        """Whether `day` is one of these, and not of evidence that was voided since."""
        return day in self._own

    def speak(self, claim: Claim, key: SessionKey, stance: Stance, *, cued: bool, strong: bool, day: Day) -> None:
        """Note that a session spoke for `stance` on `day`."""
        talk = self.talks.pop(key, None) or Talk(key, order(claim))
        self.talks[key] = talk
        talk.latest = order(claim)
        talk.last = stance
        if stance not in talk.firsts:
            talk.firsts[stance] = day
            self.supporters.setdefault(stance, []).append(talk)
            if talk not in day.talks:
                day.talks.append(talk)
        if cued:
            talk.cued.add(stance)
        if strong and not cued:
            talk.strong.add(stance)

    def support(self, claim: Claim, stance: Stance, regimes: Regimes) -> ContenderRow:
        """The contender for `stance`, with `claim` added to it; a new one is followed through `regimes`."""
        row = self.contenders.get(stance)
        if row is None:
            at = claim.occurred_at
            row = ContenderRow(stance[0], claim.text or stance[0], stance, claim.quantity, at, at, regimes)
            self.contenders[stance] = row
        row.last_support = claim.occurred_at
        row.claim_ids.append(claim.id)
        return row

    def forget(self, stance: Stance, at: datetime, *, denied: bool = False) -> None:
        """Void the evidence for one stance. If it was denied, what was learned of the user's habits stays."""
        for talk in self.supporters.pop(stance, []):
            del talk.firsts[stance]
            if talk.last == stance:
                talk.last = None
        row = self.contenders.pop(stance, None)
        if row is None:
            return
        row.ended_at = at
        if denied and row.track is not None:
            self._bases[stance] = (len(self._past), ruled_out(row.track.state))

    def observation(self, day: Day) -> tuple[Stance, Observation] | None:
        """The value of the last session that spoke on `day`, and how; None: nobody did, nor guessed."""
        spoke = [talk for talk in day.talks if talk.last is not None and talk.firsts.get(talk.last) is day]
        if not spoke:
            return (day.guess, Observation(supports=True, weak=True)) if day.guess else None
        stance = max(spoke, key=lambda talk: talk.latest).last
        assert stance is not None
        plain = [talk for talk in spoke if talk.last == stance and talk.plainly(stance)]
        strong = any(stance in talk.strong for talk in plain)
        return stance, Observation(supports=True, cued=not plain, strong=strong)

    def gap(self, day: Day) -> int:
        """Days between `day` and the observed day before it, or the opening of the fact; at least 1."""
        earlier = [other for other in self.seen[-2:] if other is not day]
        since = earlier[-1].first_end if earlier else self.origin
        return max(1, (day.first_end - since) // _DAY)

    def observe(self, day: Day) -> tuple[Stance, Observation] | None:
        """End `day`: every filter takes it in. Returns what was observed."""
        observed = self.observation(day)
        day.observed = True
        if observed is None:
            return None
        gap = self.gap(day)
        for row in self.contenders.values():
            if row.track is None:
                row.track = self._base(row)
            row.track.observe(day, gap, _seen_by(row.stance, observed))
        if self.seen and self.seen[-1] is day:
            self._past.pop()
        else:
            self.seen.append(day)
        self._past.append((gap, _GUESS_AT_ANOTHER if observed[1].weak else ANOTHER))
        return observed

    def _base(self, row: ContenderRow) -> Track:
        """Where `row` starts: every observed day spoke for another value (rule 16), since it was denied if it was."""
        key = row.stance if row.stance in self._bases else row.regimes
        taken, before = self._bases.get(key, (0, row.regimes.start))
        if taken >= len(self._past):
            return Track(before, before)
        for gap, seen in self._past[taken:-1]:
            before = advance(before, gap, seen)
        self._bases[key] = (len(self._past) - 1, before)
        return Track(advance(before, *self._past[-1]), before, self.seen[-1])

    def posterior(self, row: ContenderRow) -> float:
        """P(changed for good) of a contender, as if the days still running ended now."""
        track = row.track or self._base(row)
        state = track.state
        for day in self.days[-3:]:
            observed = None if day.observed else self.observation(day)
            if observed is not None:
                start = track.start_of(day) if track.day is day else state
                state = track.step(start, self.gap(day), _seen_by(row.stance, observed))
        return state.posterior

    def day_close(self, now: datetime) -> datetime:
        """The end of the running day where somebody spoke on it, else `now`."""
        return max(now, self.days[-1].end) if self.days else now

    def plain_days(self, stance: Stance, at: datetime, window: timedelta) -> list[Day]:
        """The distinct days within `window` before `at` with an uncued session for `stance`."""
        days: list[Day] = []
        for talk in reversed(self.supporters.get(stance, [])):
            day = talk.firsts[stance]
            if day.end <= at - window:
                break
            if talk.last == stance and talk.plainly(stance) and (not days or days[-1] is not day):
                days.append(day)
        return days

    def latest_talks(self, count: int) -> list[Talk]:
        """The last `count` sessions that spoke, newest first, by their latest claim."""
        speaking = (talk for talk in reversed(self.talks.values()) if talk.last is not None)
        return list(islice(speaking, count))


_GUESS_AT_ANOTHER = Observation(supports=False, weak=True)


def _seen_by(stance: Stance, observed: tuple[Stance, Observation]) -> Observation:
    """The day's observation from the side of `stance`."""
    other, seen = observed
    if other == stance:
        return seen
    return _GUESS_AT_ANOTHER if seen.weak else ANOTHER
