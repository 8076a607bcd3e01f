"""Answers for people: tables in a terminal, plain lines in a pipe."""

from collections.abc import Iterable
from datetime import datetime

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lithify.events.api import ContextReply, Explanation, TurnOutcome


def outcome(answer: msgspec.Struct) -> None:
    """What became of a command."""
    console = Console(soft_wrap=True)
    if isinstance(answer, TurnOutcome):
        console.print(Text(f"{answer.outcome} {answer.id}"))
    else:
        console.print(Text(f"accepted {getattr(answer, 'id', '')}"))


def context(answer: ContextReply) -> None:
    """A context block: its items in a terminal, the block itself elsewhere."""
    console = Console(soft_wrap=True)
    if not console.is_terminal:
        console.print(Text(answer.block))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("kind", "score", "what"):
        table.add_column(column, style="dim" if column != "what" else "")
    for item in answer.items:
        table.add_row(item.kind, f"{item.score:.2f}", Text(item.line.removeprefix("- ")))
    console.print(table)
    console.print(Text(f"{answer.tokens} tokens, version {answer.version}", style="dim"))
    for notice in answer.notices:
        console.print(Text(notice.detail, style="yellow"))


def explanation(answer: Explanation) -> None:
    """Why a slot stands as it does, oldest first."""
    console = Console(soft_wrap=True)
    console.print(Text(_name(answer), style="bold"))
    for line in [*_facts(answer), *_overrides(answer), *_contenders(answer), *_questions(answer)]:
        console.print(Text(f"  {line}"))
    quotes = {claim.id: claim.quote for claim in answer.claims if claim.quote}
    for verdict in answer.verdicts:
        said = "; ".join(f'"{quotes[claim]}"' for claim in verdict.claim_ids if claim in quotes)
        why = f"  {said}" if said else ""
        console.print(Text(f"{_day(verdict.at)}  {verdict.kind}: {verdict.sentence}{why}"))


def _name(answer: Explanation) -> str:
    name = answer.attribute if answer.subject == "user" else f"{answer.subject}, {answer.attribute}"
    return f"{name}  {answer.slot_id}"


def _facts(answer: Explanation) -> Iterable[str]:
    for fact in answer.facts:
        end = f" to {_day(fact.valid_to)}" if fact.valid_to else ""
        mark = " (corrected: never true)" if fact.corrected else ""
        yield f"fact {_said(fact.value, fact.polarity)} from {_day(fact.valid_from)}{end}{mark}  {fact.id}"


def _overrides(answer: Explanation) -> Iterable[str]:
    for item in answer.overrides:
        yield (
            f"override {_said(item.value, item.polarity)} from {_day(item.started_at)} to {_day(item.ends_at)}"
            f" ({item.end_rule})  {item.id}"
        )


def _contenders(answer: Explanation) -> Iterable[str]:
    for item in answer.contenders:
        yield f"contender {_said(item.value, item.polarity)}  {item.sentence}"


def _questions(answer: Explanation) -> Iterable[str]:
    for hint in answer.hints:
        end = f"  (until {_day(hint.until)})" if hint.until else ""
        yield f"question {hint.question}{end}"


def _said(value: str, polarity: str) -> str:
    return value if polarity == "positive" else f"not {value}"


def _day(at: datetime) -> str:
    return at.date().isoformat()
