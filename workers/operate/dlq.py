"""`dlq list|show|replay|drop`: the dead letters, seen and settled."""

import base64
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

import typer

from pipelines.deadletters import Original
from pipelines.failures import Cause
from pipelines.settings import Settings
from workers.operate.console import (
    AsJson,
    DryRun,
    ExitState,
    RefusedError,
    UsageError,
    boundary,
    note,
    progress_bar,
    say,
    say_json,
    settings_or_exit,
)
from workers.operate.letters import Clerk, Letter, Mailbox, Place, load_letters, pick, who
from workers.operate.originals import Originals, UnreadableError

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="What could not be processed, and what to do about it."
)


class Wanted(StrEnum):
    """Which letters."""

    OPEN = "open"
    REPLAYED = "replayed"
    DROPPED = "dropped"
    ALL = "all"


Places = Annotated[list[str] | None, typer.Argument(help="TOPIC/PARTITION/OFFSET, as `dlq list` prints it.")]
OnlyCause = Annotated[Cause | None, typer.Option("--cause", help="Only letters of this cause.")]
OnlyWorker = Annotated[str | None, typer.Option("--worker", help="Only letters of this worker.")]
AllOpen = Annotated[bool, typer.Option("--all", help="Every open letter that the other options leave.")]


def _load(settings: Settings) -> Mailbox:
    from workers.assembly import codec  # noqa: PLC0415 - assembly loads every worker

    with progress_bar("reading the dead letters") as bar:
        return load_letters(settings, codec(), bar)


def _clerk(settings: Settings, originals: Originals) -> Clerk:
    from workers.assembly import codec  # noqa: PLC0415

    return Clerk(settings, codec(), originals, who())


@app.command("list")
def list_command(
    state: Annotated[Wanted, typer.Option(help="Which letters.")] = Wanted.OPEN,
    cause: OnlyCause = None,
    worker: OnlyWorker = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit state 1 if any is listed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Every dead letter with its cause, where it came from, and how long ago."""
    settings = settings_or_exit()
    with boundary("dlq list"):
        mailbox = _load(settings)
    chosen = _chosen(mailbox.letters, state, cause, worker)
    now = datetime.now(UTC)
    for letter in chosen:
        if as_json:
            say_json(_fields(letter, now))
        else:
            say(_line(letter, now))
    if not as_json:
        note(f"{len(chosen)} of {len(mailbox.letters)} dead letters")
    if mailbox.unreadable:
        note(f"{mailbox.unreadable} messages on the topic are not dead letters of this release")
    if exit_code and chosen:
        raise typer.Exit(ExitState.FINDINGS)


@app.command("show")
def show_command(
    place: Annotated[str, typer.Argument(help="TOPIC/PARTITION/OFFSET, as `dlq list` prints it.")],
    original: Annotated[
        bool, typer.Option("--original", help="Print the event as it was. It may hold anything, also secrets.")
    ] = False,
    stack: Annotated[
        bool, typer.Option("--stack", help="Print where it was raised. A traceback may quote the event.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """One letter in full; with --original also the event itself, with --stack its traceback, decrypted."""
    settings = settings_or_exit()
    with boundary("dlq show"):
        (letter,) = pick(_load(settings).letters, [Place.parse(place)])
        originals = Originals(settings)
        event = _original(letter, originals) if original or stack else None
        readable = originals.can_open(letter.body)
    if event is not None and original and not as_json:
        sys.stdout.buffer.write(event.value)
        return
    fields = _fields(letter, datetime.now(UTC)) | {"readable": readable}
    if event is not None and stack:
        fields |= {"stack": event.stack}
    if event is not None and original:
        fields |= {"original": base64.b64encode(event.value).decode()}
        fields |= {"original_key": None if event.key is None else base64.b64encode(event.key).decode()}
    if as_json:
        say_json(fields)
        return
    for name, text in fields.items():
        say(f"{name:<12} {'-' if text is None else text}")


@app.command("replay")
def replay_command(
    places: Places = None,
    everything: AllOpen = False,
    cause: OnlyCause = None,
    worker: OnlyWorker = None,
    again: Annotated[bool, typer.Option("--again", help="Also what was replayed or dropped before.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Publish events again, as they were, to the topic they came from. What still cannot be processed dies anew."""
    settings = settings_or_exit()
    with boundary("dlq replay"):
        chosen = _targets(_load(settings), places, everything, cause, worker, again)
        originals = Originals(settings)
        unreadable = [letter for letter in chosen if not originals.can_open(letter.body)]
        ready = [letter for letter in chosen if letter not in unreadable]
        if not dry_run:
            clerk = _clerk(settings, originals)
            with progress_bar("replaying", len(ready)) as bar:
                for letter in list(ready):
                    try:
                        clerk.replay(letter)
                    except UnreadableError:
                        ready.remove(letter)
                        unreadable.append(letter)
                    bar.advance()
    for letter in unreadable:
        note(f"{letter.place}: {_why(letter, originals)}; left as it is")
    _settled("replayed", ready, dry_run, as_json)
    if unreadable:
        raise typer.Exit(ExitState.FINDINGS)


@app.command("drop")
def drop_command(
    reason: Annotated[str, typer.Option(help="Why nothing more is to be done; kept with the letter.")],
    places: Places = None,
    everything: AllOpen = False,
    cause: OnlyCause = None,
    worker: OnlyWorker = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Settle letters without replaying them; who did it, and why, is kept as long as the letters are."""
    settings = settings_or_exit()
    with boundary("dlq drop"):
        if not reason.strip():
            raise UsageError("--reason is empty")
        chosen = _targets(_load(settings), places, everything, cause, worker, again=False)
        if not dry_run:
            clerk = _clerk(settings, Originals(settings))
            with progress_bar("dropping", len(chosen)) as bar:
                for letter in chosen:
                    clerk.drop(letter, reason)
                    bar.advance()
    _settled("dropped", chosen, dry_run, as_json)


def _targets(
    mailbox: Mailbox,
    places: Sequence[str] | None,
    everything: bool,
    cause: Cause | None,
    worker: str | None,
    again: bool,
) -> list[Letter]:
    if bool(places) == everything:
        raise UsageError("name letters, or say --all")
    state = Wanted.ALL if again else Wanted.OPEN
    if everything:
        return _chosen(mailbox.letters, state, cause, worker)
    named = pick(mailbox.letters, [Place.parse(text) for text in places or ()])
    left = _chosen(named, state, cause, worker)
    for letter in named:
        if letter not in left:
            note(f"{letter.place}: {letter.state}; left as it is")
    return left


def _chosen(letters: Sequence[Letter], state: Wanted, cause: Cause | None, worker: str | None) -> list[Letter]:
    return [
        letter
        for letter in letters
        if state in (Wanted.ALL, letter.state)
        and (cause is None or letter.body.cause == cause)
        and (worker is None or letter.body.worker == worker)
    ]


def _settled(done: str, letters: Sequence[Letter], dry_run: bool, as_json: bool) -> None:
    if as_json:
        say_json({done: [str(letter.place) for letter in letters], "dry_run": dry_run})
        return
    for letter in letters:
        say(f"{'would be ' if dry_run else ''}{done}: {letter.place}")
    if not letters:
        say("nothing to do")


def _why(letter: Letter, originals: Originals) -> str:
    try:
        originals.open(letter.body)
    except UnreadableError as error:
        return str(error)
    return "cannot be opened"


def _original(letter: Letter, originals: Originals) -> Original:
    try:
        return originals.open(letter.body)
    except UnreadableError as error:
        raise RefusedError(f"{letter.place}: {error}") from None


def _fields(letter: Letter, now: datetime) -> dict[str, Any]:
    body, closed = letter.body, letter.closed
    return {
        "place": str(letter.place),
        "state": letter.state,
        "cause": body.cause,
        "detail": body.detail,
        "worker": body.worker,
        "attempts": body.attempts,
        "died_at": letter.died_at.isoformat(),
        "age_seconds": round((now - letter.died_at).total_seconds()),
        "closed_at": None if letter.closed_at is None else letter.closed_at.isoformat(),
        "closed_by": None if closed is None else closed.by,
        "reason": None if closed is None else closed.reason or None,
    }


def _line(letter: Letter, now: datetime) -> str:
    body = letter.body
    line = (
        f"{letter.place}  {letter.state}  {body.cause}  worker={body.worker}  attempts={body.attempts}"
        f"  age={_age((now - letter.died_at).total_seconds())}  {body.detail}"
    )
    closed = letter.closed
    return (
        line
        if closed is None
        else f"{line}  [{closed.action} by {closed.by}{': ' * bool(closed.reason)}{closed.reason}]"
    )


def _age(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f}{unit}"
    return f"{max(seconds, 0):.0f}s"
