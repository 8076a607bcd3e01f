"""Showing the diary as a timeline: day, what was said, what was decided and why, what an agent was told."""

from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from lithify.domain.claims import USER
from lithify.domain.slots.state import VerdictKind
from lithify.events.api import VerdictView
from ops.demo.play import Nightly, Played
from ops.demo.read import Decided, Diary, Looked, Said

_STYLES = {
    VerdictKind.ESTABLISHED: "green",
    VerdictKind.REINFORCED: "green",
    VerdictKind.OVERRIDDEN: "yellow",
    VerdictKind.PROMOTED: "bold green",
    VerdictKind.SUPERSEDED: "bold green",
    VerdictKind.LAPSED: "cyan",
}
_ROLES = {"user": "user", "assistant": "agent"}
Moment = tuple[datetime, int, Said | Decided | Looked]


def show(console: Console, diary: Diary, played: Played, nightly: Nightly) -> None:
    """Print the timeline and what the days come to."""
    script = diary.script
    for day, moments in groupby(_moments(diary), key=lambda moment: script.day_of(moment[0])):
        date = script.instant(day, "12:00").astimezone(ZoneInfo(script.timezone))
        console.print()
        console.rule(f"[bold]Day {day}[/bold] · {date:%a} {date.day} {date:%B}", align="left", style="dim")
        for _, _, item in moments:
            _show_moment(console, diary, item)
    _show_end(console, diary, played, nightly)


def _moments(diary: Diary) -> list[Moment]:
    """Everything in order of time; at one instant what time decided comes before what is told then."""
    said = [(item.turn.occurred_at, 1, item) for item in diary.said]
    by_time = [(item.verdict.at, 0, item) for item in diary.by_time if _worth_telling(item)]
    looked = [(item.at, 2, item) for item in diary.looked]
    moments: list[Moment] = [*said, *by_time, *looked]
    return sorted(moments, key=lambda moment: moment[:2])


def _worth_telling(item: Decided) -> bool:
    """A lapse matters where the user's fact shows again; the end of each cup of tea does not."""
    if item.verdict.kind != VerdictKind.LAPSED:
        return True
    return item.verdict.trace.get("returns_to") is not None


def _show_moment(console: Console, diary: Diary, item: Said | Decided | Looked) -> None:
    zone = ZoneInfo(diary.script.timezone)
    if isinstance(item, Looked):
        _show_look(console, item, zone)
    elif isinstance(item, Said):
        local = ZoneInfo(item.turn.timezone) if item.turn.timezone else zone
        _line(console, f"{item.turn.occurred_at.astimezone(local):%H:%M}  {_ROLES[item.turn.role]:<6}", item.turn.text())
        for reject in item.outcome.rejects:
            _line(console, "", f"→ nothing is stored: {reject}", "magenta")
        if item.turn.role == "user" and item.outcome.outcome == "no_facts" and not item.outcome.rejects:
            _line(console, "", "→ nothing to store", "dim")
        for decided in item.decided:
            _show_decision(console, decided, zone)
    else:
        _line(console, f"{item.verdict.at.astimezone(zone):%H:%M}  (time)", "")
        _show_decision(console, item, zone)


def _show_decision(console: Console, item: Decided, zone: ZoneInfo) -> None:
    verdict = item.verdict
    whose = "" if item.subject == USER else f"{item.subject}'s "
    style = _STYLES.get(VerdictKind(verdict.kind), "")
    _line(console, "", f"→ {verdict.kind}: {whose}{item.attribute} {_what(verdict, zone)}", style)
    if numbers := _numbers(verdict):
        _line(console, "", f"  {numbers}", "dim")


def _what(verdict: VerdictView, zone: ZoneInfo) -> str:
    value = verdict.value if verdict.polarity == "positive" else f"not {verdict.value}"
    trace = verdict.trace
    match VerdictKind(verdict.kind):
        case VerdictKind.OVERRIDDEN:
            stays = f"; {verdict.replaced} stays the fact" if verdict.replaced else ""
            return f"is {value} until {_when(trace['ends_at'], zone)} ({_why(verdict)}){stays}"
        case VerdictKind.LAPSED:
            return f"{value} has ended ({_words(verdict.rule)}); {trace.get('returns_to')} again"
        case VerdictKind.SUPERSEDED:
            return f"is {value} now, for it was said so ({verdict.rule}); no longer {verdict.replaced}"
        case VerdictKind.PROMOTED:
            return f"is {value} from this midnight on, by evidence"
        case VerdictKind.REINFORCED:
            return f"is {value}, again (confidence {trace['confidence']:.2f})"
        case _:
            return f"is {value} ({_words(verdict.rule)})"


def _why(verdict: VerdictView) -> str:
    reasons = {"stated_end": "as was said", "session_end": "this session's choice", "statement_life": "said lately"}
    rule = str(verdict.trace["end_rule"])
    return reasons.get(rule, _words(rule))


def _numbers(verdict: VerdictView) -> str:
    """How far the contender is, where there is one."""
    trace = verdict.trace
    if "posterior" not in trace:
        return ""
    days = f"{trace['days']} days of {trace['needed_days']} needed"
    return f"to become the fact: {days}; posterior {trace['posterior']:.2f} of {trace['threshold']}"


def _words(code: str) -> str:
    return code.replace("_", " ")


def _when(iso: str, zone: ZoneInfo) -> str:
    local = datetime.fromisoformat(iso).astimezone(zone)
    return f"{local:%a} {local.day} {local:%b %H:%M}"


def _show_look(console: Console, look: Looked, zone: ZoneInfo) -> None:
    asked = f' "{look.query}"' if look.query else ""
    console.print()
    _line(console, f"{look.at.astimezone(zone):%H:%M}  told  ", f"{look.title}:{asked}", "bold blue")
    for line in _shown(look.context.block):
        console.print(Padding(Text(line, style="blue"), (0, 0, 0, 15)))
    console.print()


def _shown(block: str) -> Iterable[str]:
    """The block without its frame, which is the same each time."""
    return block.splitlines()[2:-1] or ["(nothing)"]


def _line(console: Console, head: str, text: str, style: str = "") -> None:
    """A line with a hanging indent of 15 columns."""
    width = max(40, console.width) - 15
    rows = Text(text, style=style).wrap(console, width)
    for index, row in enumerate(rows or [Text()]):
        console.print(Text(f"{head if index == 0 else '':<15}", style="dim"), row, sep="", end="\n")


def _show_end(console: Console, diary: Diary, played: Played, nightly: Nightly) -> None:
    console.print()
    console.rule("[bold]After 45 days[/bold]".replace("45", str(diary.script.days)), align="left", style="dim")
    for (subject, attribute), slot in diary.slots.items():
        for fact in slot.facts:
            if fact.valid_to is None:
                whose = "" if subject == USER else f"{subject}'s "
                value = fact.text if fact.polarity == "positive" else f"not {fact.text}"
                since = fact.valid_from.astimezone(ZoneInfo(diary.script.timezone))
                told = f"{since.day} {since:%b}, {fact.opened_by}, confidence {fact.confidence:.2f}"
                _line(console, f"{whose}{attribute}", f"{value}  (since {told})")
    console.print()
    turns = len(played.turns)
    console.print(f"{turns} turns went through Kafka and four workers in {played.seconds:.1f} s, none lost.")
    console.print(f"The nightly run found {nightly.slots} slots due and published them; {nightly.changed} differed.")
