"""The evidence of one cell: which session spoke for what, on which day, and the filters that follow from it.

A session supports the last value it spoke for, and counts once for a value, on the day of its first claim
for it. A day gives one observation: the value of the last session that spoke.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice

from lithify.domain.claims import Claim, Quantity
from lithify.domain.policy import PromotionPolicy
from lithify.domain.promotion import ANOTHER, Filter, Observation, Regimes, advance, ruled_out
from lithify.domain.slots.days import Day, DayEnd, DayNumber, Talk, spoken
from lithify.domain.slots.rows import SessionKey, Stance

_DAY = timedelta(days=1)
_SHORTER = timedelta(hours=4)
"""By how much a flight east, or the change to summer time, may shorten the days between two ends."""


@dataclass(slots=True)
class Track:
    """A filter with the state before its last day, so that a late claim of that day is observed anew."""

    state: Filter
    before: Filter
    day: DayNumber | None = None
    _ahead: tuple[Filter, int, Observation, Filter] | None = None
    """The last step taken or looked at: a day is often looked at while it runs, and ends as it looked."""

    def start_of(self, day: DayNumber) -> Filter:
        """The state in which `day` begins."""
        return self.before if self.day == day else self.state

    def step(self, start: Filter, gap: int, seen: Observation) -> Filter:
        """The state after a day that begins in `start`, without taking it in."""
        known = self._ahead
        if known is not None and known[0] is start and known[1] == gap and known[2] == seen:
            return known[3]
        after = advance(start, gap, seen)
        self._ahead = (start, gap, seen, after)
        return after

    def observe(self, day: DayNumber, gap: int, seen: Observation) -> None:
        """Take `day` in, in place of what was known of it."""
        self.before = self.start_of(day)
        self.day = day
        self.state = self.step(self.before, gap, seen)

    def fork(self) -> "Track":
        """The same, to be taken further on its own."""
        return Track(self.state, self.before, self.day, self._ahead)


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

    def fork(self) -> "ContenderRow":
        """The same, to be taken further on its own."""
        track = self.track.fork() if self.track is not None else None
        return replace(self, claim_ids=list(self.claim_ids), track=track)


@dataclass(slots=True)
class Book:
    """All evidence of a cell since it was last voided."""

    origin: datetime
    """When the fact opened, or the cell began; the filters count from here."""
    number: int = 0
    """How many books of the cell were voided before this one."""
    talks: dict[SessionKey, Talk] = field(default_factory=dict)
    """In the order of each session's latest claim."""
    supporters: dict[Stance, list[SessionKey]] = field(default_factory=dict)
    """Sessions by what they spoke for, in the order of their first claim for it."""
    days: list[Day] = field(default_factory=list)
    seen: list[DayNumber] = field(default_factory=list)
    """Days already observed, in order."""
    contenders: dict[Stance, ContenderRow] = field(default_factory=dict)
    _past: list[tuple[int, Observation]] = field(default_factory=list)
    """Of each day in `seen`: days since the one before, and what a value without support saw of it."""
    _bases: dict[Regimes | Stance, tuple[int, Filter]] = field(default_factory=dict)
    """How many of these days a base state has taken in so far, and the state; a denied contender has its own."""
    unsupported: list[DayNumber] = field(default_factory=list)
    """The latest speaking days in a row that did not support the fact."""

    def fork(self) -> "Book":
        """The same, to be taken further on its own; days and talks never change, so they are shared."""
        return Book(
            origin=self.origin,
            number=self.number,
            talks=self.talks.copy(),
            supporters={stance: keys.copy() for stance, keys in self.supporters.items()},
            days=self.days.copy(),
            seen=self.seen.copy(),
            contenders={stance: row.fork() for stance, row in self.contenders.items()},
            _past=self._past.copy(),
            _bases=self._bases.copy(),
            unsupported=self.unsupported.copy(),
        )

    def day_of(self, end: datetime, policy: PromotionPolicy) -> DayNumber:
        """The day that ends at `end`, opened where it is new."""
        for number in self._latest():
            day = self.days[number]
            if abs(end - day.first_end) < policy.same_day:
                if end > day.end:
                    self.days[number] = day.until(end)
                return number
        self.days.append(Day(end, end))
        return len(self.days) - 1

    def _latest(self) -> range:
        """The last three days, newest first: no claim belongs to an earlier one."""
        return range(len(self.days) - 1, max(-1, len(self.days) - 4), -1)

    def ends(self, number: DayNumber) -> DayEnd:
        """The timer of a day."""
        return DayEnd(self.number, number)

    def guess(self, stance: Stance, number: DayNumber) -> None:
        """Note what a model guessed on a day."""
        self.days[number] = self.days[number].guessed(stance)

    def speak(self, claim: Claim, key: SessionKey, stance: Stance, *, cued: bool, strong: bool, day: DayNumber) -> None:
        """Note that a session spoke for `stance` on `day`."""
        before = self.talks.pop(key, None)
        self.talks[key] = spoken(before, claim, stance, cued=cued, strong=strong, day=day)
        if before is None or stance not in before.firsts:
            self.supporters.setdefault(stance, []).append(key)
            row = self.days[day]
            if key not in row.talks:
                self.days[day] = row.spoken_in(key)

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
        for key in self.supporters.pop(stance, []):
            self.talks[key] = self.talks[key].without(stance)
        for number in self._latest():
            if not self.days[number].observed and self.days[number].guess == stance:
                self.days[number] = self.days[number].guessed(None)
        row = self.contenders.pop(stance, None)
        if row is None:
            return
        row.ended_at = at
        if denied:
            track = row.track or self._base(row)
            self._bases[stance] = (len(self._past), ruled_out(track.state))

    def talks_on(self, number: DayNumber) -> list[Talk]:
        """The sessions that spoke for a value for the first time on a day."""
        return [self.talks[key] for key in self.days[number].talks]

    def observation(self, number: DayNumber) -> tuple[Stance, Observation] | None:
        """The value of the last session that spoke on a day, and how; None: nobody did, nor guessed."""
        talks = self.talks_on(number)
        spoke = [talk for talk in talks if talk.last is not None and talk.firsts.get(talk.last) == number]
        if not spoke:
            guess = self.days[number].guess
            return (guess, Observation(supports=True, weak=True)) if guess else None
        stance = max(spoke, key=lambda talk: talk.latest).last
        assert stance is not None
        supports = [talk for talk in spoke if talk.last == stance]
        plain = [talk for talk in supports if talk.plainly(stance)]
        strong = any(stance in talk.strong for talk in plain)
        return stance, Observation(supports=True, cued=not plain, strong=strong, sessions=len(supports))

    def gap(self, number: DayNumber) -> int:
        """Days between a day and the observed day before it, or the opening of the fact; at least 1."""
        earlier = [other for other in self.seen[-2:] if other != number]
        end = self.days[number].first_end
        passed = end - self.days[earlier[-1]].first_end + _SHORTER if earlier else end - self.origin
        return max(1, passed // _DAY)

    def observe(self, number: DayNumber) -> tuple[Stance, Observation] | None:
        """End a day: every filter takes it in. Returns what was observed."""
        observed = self.observation(number)
        self.days[number] = self.days[number].taken_in()
        if observed is None:
            return None
        gap = self.gap(number)
        for row in self.contenders.values():
            if row.track is None:
                row.track = self._base(row)
            row.track.observe(number, gap, _seen_by(row.stance, observed))
        if self.seen and self.seen[-1] == number:
            self._past.pop()
        else:
            self.seen.append(number)
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
        for number in reversed(self._latest()):
            observed = None if self.days[number].observed else self.observation(number)
            if observed is not None:
                start = track.start_of(number) if track.day == number else state
                state = track.step(start, self.gap(number), _seen_by(row.stance, observed))
        return state.posterior

    def day_close(self, now: datetime) -> datetime:
        """The end of the running day where somebody spoke on it, else `now`."""
        return max(now, self.days[-1].end) if self.days else now

    def plain_days(self, stance: Stance, at: datetime, window: timedelta) -> int:
        """How many distinct days within `window` before `at` had an uncued session for `stance`."""
        days: list[DayNumber] = []
        for key in reversed(self.supporters.get(stance, [])):
            talk = self.talks[key]
            day = talk.firsts[stance]
            if self.days[day].end <= at - window:
                break
            if talk.last == stance and talk.plainly(stance) and (not days or days[-1] != day):
                days.append(day)
        return len(days)

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
