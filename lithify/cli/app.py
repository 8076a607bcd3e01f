"""The commands. Each asks one thing of the client and shows the answer."""

from collections.abc import Callable
from enum import IntEnum
from typing import Annotated, Any, Literal, NoReturn, TypeVar

import msgspec
import typer

from lithify.cli import show
from lithify.client import Invalid, Lithify, LithifyError, NotFound, Unavailable

T = TypeVar("T")
URL = "http://127.0.0.1:8088"


class Exit(IntEnum):
    """Exit states."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    UNAVAILABLE = 4


app = typer.Typer(
    name="lithify",
    help="A user's memory from the command line.",
    epilog="Exit states: 0 done, 1 failed, 2 wrong usage or input, 3 nothing of that name, 4 cannot be reached.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

User = Annotated[str, typer.Option("--user", "-u", envvar="LITHIFY_USER", help="The user, as your agents name them.")]
Tenant = Annotated[str, typer.Option("--tenant", envvar="LITHIFY_TENANT", help="The tenant.")]
Session = Annotated[str | None, typer.Option("--session", "-s", help="The session.")]
Url = Annotated[str, typer.Option("--url", envvar="LITHIFY_URL", help="The gateway.")]
Token = Annotated[str | None, typer.Option("--token", envvar="LITHIFY_TOKEN", help="The gateway's token.")]
Json = Annotated[bool, typer.Option("--json", help="The answer as JSON.")]


@app.command()
def remember(
    text: Annotated[str, typer.Argument(help="What to remember, in words.")],
    user: User,
    tenant: Tenant = "default",
    session: Session = None,
    url: Url = URL,
    token: Token = None,
    attribute: Annotated[str | None, typer.Option(help="The attribute it is about, where you know it.")] = None,
    value: Annotated[str | None, typer.Option(help="The attribute's value, where you know it.")] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait until it is decided; 0 returns at once.")] = 0.0,
    json: Json = False,
) -> None:
    """Have something remembered for good."""
    more = {"session_id": session} if session else {}

    def ask(memory: Lithify) -> msgspec.Struct:
        accepted = memory.remember(user, text, attribute=attribute, value=value, **more)
        return memory.wait_for(user, accepted.id, timeout=wait) if wait else accepted

    _answer(_ask(url, tenant, token, ask), show.outcome, json=json)


@app.command()
def recall(
    user: User,
    query: Annotated[str | None, typer.Argument(help="What is asked; everything without it.")] = None,
    tenant: Tenant = "default",
    session: Session = None,
    url: Url = URL,
    token: Token = None,
    budget: Annotated[int, typer.Option(help="Tokens of the block.")] = 1500,
    lang: Annotated[Literal["en", "zh"] | None, typer.Option(help="Language of the block.")] = None,
    json: Json = False,
) -> None:
    """Show what an agent would be told: in a terminal a table, in a pipe the block itself."""
    block = _ask(
        url,
        tenant,
        token,
        lambda memory: memory.context(user, session_id=session, query=query, budget_tokens=budget, lang=lang),
    )
    _answer(block, show.context, json=json)


@app.command()
def explain(
    fact: Annotated[str, typer.Argument(help="Id of a fact, override or slot, or an attribute such as diet.")],
    user: User,
    tenant: Tenant = "default",
    session: Session = None,
    url: Url = URL,
    token: Token = None,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the sentences.")] = "en",
    json: Json = False,
) -> None:
    """Show why something is believed: every verdict, with the words that caused it, and what would change it."""
    del session  # what is believed is explained for all sessions alike
    _answer(_ask(url, tenant, token, lambda memory: memory.explain(user, fact, lang=lang)), show.explanation, json=json)


def main() -> None:
    """Run the command line."""
    app()


def _ask(url: str, tenant: str, token: str | None, ask: Callable[[Lithify], T]) -> T:
    try:
        with Lithify(url, tenant=tenant, token=token) as memory:
            return ask(memory)
    except NotFound as error:
        _fail(error, Exit.NOT_FOUND)
    except Unavailable as error:
        _fail(error, Exit.UNAVAILABLE)
    except Invalid as error:
        _fail(error, Exit.USAGE)
    except LithifyError as error:
        _fail(error, Exit.FAILED)


def _fail(error: LithifyError, state: Exit) -> NoReturn:
    typer.echo(f"lithify: {error}", err=True)
    raise typer.Exit(state)


def _answer(answer: T, readable: Callable[[T], None], *, json: bool) -> None:
    if json:
        text: Any = msgspec.json.format(msgspec.json.encode(answer), indent=2).decode()
        typer.echo(text)
    else:
        readable(answer)
