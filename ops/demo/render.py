"""Showing the diary as a timeline: day, what was said, what was decided and why, what an agent was told."""

from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from lithify.domain.claims import USER
from lithify.domain.slots.state import VerdictKind
from lithify.events.api import VerdictView
from ops.demo.perform import Performance
from ops.demo.read import Decided, Diary, Looked, Said
from pipelines.language.catalog import load_catalog

_STYLES = {
    VerdictKind.ESTABLISHED: "green",
    VerdictKind.REINFORCED: "green",
    VerdictKind.OVERRIDDEN: "yellow",
    VerdictKind.PROMOTED: "bold green",
    VerdictKind.SUPERSEDED: "bold green",
    VerdictKind.LAPSED: "cyan",
}
_INDENT = 15
_ROLES = {"user": "user", "assistant": "agent"}
Moment = tuple[datetime, int, Said | Decided | Looked]


def show(console: Console, done: Performance) -> None:
    """Print the timeline and what the days come to."""
    diary, script = done.diary, done.diary.script
    for day, moments in groupby(_moments(diary), key=lambda moment: script.day_of(moment[0])):
        date = script.instant(day, "12:00").astimezone(ZoneInfo(script.timezone))
        console.print()
        console.rule(f"[bold]Day {day}[/bold] · {date:%a} {date.day} {date:%B}", align="left", style="dim")
        for _, _, item in moments:
            _show_moment(console, diary, item)
    _show_end(console, done)


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
        _show_look(console, item)
    elif isinstance(item, Said):
        _show_said(console, item, zone)
    else:
        _show_decision(console, item, zone, f"{item.verdict.at.astimezone(zone):%H:%M}  time")


def _show_said(console: Console, item: Said, zone: ZoneInfo) -> None:
    local = ZoneInfo(item.turn.timezone) if item.turn.timezone else zone
    _line(console, f"{item.turn.occurred_at.astimezone(local):%H:%M}  {_ROLES[item.turn.role]}", item.turn.text())
    for reject in item.outcome.rejects:
        _line(console, "", f"→ nothing is stored: {_words(reject)}", "magenta")
    if item.turn.role == "user" and item.outcome.outcome == "no_facts" and not item.outcome.rejects:
        _line(console, "", "→ nothing to store", "dim")
    for decided in item.decided:
        _show_decision(console, decided, zone)


def _show_decision(console: Console, item: Decided, zone: ZoneInfo, head: str = "") -> None:
    verdict = item.verdict
    name = _name(item.subject, item.attribute)
    style = _STYLES.get(VerdictKind(verdict.kind), "")
    _line(console, head, f"→ {verdict.kind}: {name}: {_what(verdict, zone)}", style)
    if numbers := _numbers(verdict):
        _line(console, "", f"  {numbers}", "dim")


def _name(subject: str, attribute: str) -> str:
    """The attribute in the words of a context block, with whose it is."""
    name = load_catalog().get(attribute).name_en
    return name if subject == USER else f"{subject}, {name}"


def _what(verdict: VerdictView, zone: ZoneInfo) -> str:
    value = verdict.value if verdict.polarity == "positive" else f"not {verdict.value}"
    trace = verdict.trace
    match VerdictKind(verdict.kind):
        case VerdictKind.OVERRIDDEN:
            stays = f"; {verdict.replaced} stays the fact" if verdict.replaced else ""
            return f"{value} until {_when(trace['ends_at'], zone)} ({_why(verdict)}){stays}"
        case VerdictKind.LAPSED:
            return f"{value} is over ({_words(verdict.rule)}), {trace.get('returns_to')} again"
        case VerdictKind.SUPERSEDED:
            return f"{value} at once, because the user said so; {verdict.replaced} is closed"
        case VerdictKind.PROMOTED:
            return f"{value} is the fact from this midnight on, by evidence"
        case VerdictKind.REINFORCED:
            return f"{value} again (confidence {trace['confidence']:.2f})"
        case _:
            return f"{value} ({_words(verdict.rule)})"


def _why(verdict: VerdictView) -> str:
    reasons = {"stated_end": "as was said", "session_end": "for this session", "statement_life": "said lately"}
    rule = str(verdict.trace["end_rule"])
    return reasons.get(rule, _words(rule))


def _numbers(verdict: VerdictView) -> str:
    """How far the contender is, where there is one."""
    trace = verdict.trace
    if "posterior" not in trace:
        return ""
    days = f"{_count(trace['days'], 'day')} of {trace['needed_days']} needed"
    return f"evidence for good: {days}; posterior {trace['posterior']:.2f} of {trace['threshold']}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _words(code: str) -> str:
    return code.replace("_", " ")


def _when(iso: str, zone: ZoneInfo) -> str:
    local = datetime.fromisoformat(iso).astimezone(zone)
    return f"{local:%a} {local.day} {local:%b %H:%M}"


def _show_look(console: Console, look: Looked) -> None:
    asked = f': "{look.query}"' if look.query else ""
    console.print()
    head = f"{look.at.astimezone(ZoneInfo(look.timezone)):%H:%M}  context"
    _line(console, head, f"{look.title}{asked}", "bold blue")
    for line in _shown(look.context.block):
        _line(console, "", line, "blue")
    console.print()


def _shown(block: str) -> Iterable[str]:
    """The block without its frame, which is the same each time."""
    return block.splitlines()[2:-1] or ["(nothing)"]


def _line(console: Console, head: str, text: str, style: str = "") -> None:
    """A line whose continuations are indented, so that the column of times stays free."""
    rows = Text(text, style=style).wrap(console, max(40, console.width - _INDENT))
    for index, row in enumerate(rows):
        row.rstrip()
        console.print(Text(f"{head if index == 0 else '':<{_INDENT}}", style="dim"), row, sep="", soft_wrap=True)


def _show_end(console: Console, done: Performance) -> None:
    script = done.diary.script
    console.print()
    console.rule(f"[bold]After {script.days} days[/bold]", align="left", style="dim")
    for (subject, attribute), slot in done.diary.slots.items():
        for fact in slot.facts:
            if fact.valid_to is None:
                value = fact.value if fact.polarity == "positive" else f"not {fact.value}"
                since = fact.valid_from.astimezone(ZoneInfo(script.timezone))
                told = f"since {since.day} {since:%b}, by {fact.opened_by}, confidence {fact.confidence:.2f}"
                console.print(f"{_name(subject, attribute)}: [bold]{escape(value)}[/bold] ({told})")
    console.print()
    turns, due = _count(len(done.played.turns), "turn"), _count(done.nightly.slots, "slot")
    console.print(f"{turns} went through Kafka and four workers in {done.played.seconds:.1f} s, none lost.")
    console.print(f"The nightly run found {due} with a change that was due and not yet published.")
