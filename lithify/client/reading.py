"""Calls that read: what each asks, and what it makes of the answer. No input or output happens here."""

import time
from collections.abc import Iterable
from datetime import datetime

import msgspec

from lithify.client.answers import read, segment
from lithify.client.errors import Invalid, NotFound, StillAccepted
from lithify.client.steps import Pause, Request, Steps
from lithify.events.api import (
    ContextReply,
    ContextRequest,
    ContextTurn,
    Explanation,
    FactsReply,
    Lang,
    Provenance,
    TurnOutcome,
)


def context(
    tenant: str,
    user_id: str,
    *,
    session_id: str | None = None,
    turns: Iterable[ContextTurn] = (),
    query: str | None = None,
    budget_tokens: int = 1500,
    lang: Lang | None = None,
    as_of: datetime | None = None,
) -> Steps[ContextReply]:
    """The context block to put before an answer.

    Args:
        tenant: of the client.
        user_id: the user.
        session_id: the running session.
        turns: its last turns, oldest first, where the workers may not have seen them yet.
        query: what is about to be answered; None for everything by recency x confidence.
        budget_tokens: of the whole block.
        lang: "en" or "zh"; the language of the user's turns by default.
        as_of: aware; now by default.

    Raises:
        BudgetTooSmall: rules and safety facts alone do not fit.
        Invalid: naming the field.
        Unavailable: never an empty block instead.
    """
    asked = ContextRequest(
        user_id=user_id,
        tenant=tenant,
        session_id=session_id,
        turns=tuple(turns),
        query=query,
        budget_tokens=budget_tokens,
        lang=lang,
        as_of=as_of,
    )
    reply = yield Request("POST", "/v1/context", body=msgspec.json.encode(asked))
    return read(reply, ContextReply)


def facts(
    tenant: str,
    user_id: str,
    *,
    session_id: str | None = None,
    history: bool = False,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> Steps[FactsReply]:
    """What is believed: facts, overrides, contenders and hints.

    Args:
        tenant: of the client.
        user_id: the user.
        session_id: the session read from; its own overrides are seen.
        history: every interval, not only what holds.
        as_of: aware; what was true then.
        known_at: aware; what was believed then.

    Raises:
        Invalid: naming the field.
        Unavailable: never an empty list instead.
    """
    more = {"session_id": session_id, "as_of": _iso(as_of), "known_at": _iso(known_at)}
    if history:
        more["history"] = "true"
    reply = yield _get("/v1/facts", tenant, user_id, more)
    return read(reply, FactsReply)


def fact(tenant: str, user_id: str, fact_id: str) -> Steps[Provenance]:
    """A fact with the words, verdicts and conflicts it rests on. Raises NotFound, Unavailable."""
    reply = yield _get(f"/v1/facts/{segment(fact_id)}", tenant, user_id)
    return read(reply, Provenance)


def explain(tenant: str, user_id: str, what: str, *, lang: Lang = "en") -> Steps[Explanation]:
    """Why a slot stands as it does.

    Args:
        tenant: of the client.
        user_id: the user.
        what: id of a fact, override or slot, or an attribute ("diet", "ravi/employer").
        lang: "en" or "zh"; the language of the sentences.

    Raises:
        NotFound: nothing is called so.
        Unavailable: no answer.
    """
    reply = yield _get(f"/v1/explain/{segment(what)}", tenant, user_id, {"lang": lang})
    return read(reply, Explanation)


def turn_outcome(tenant: str, user_id: str, turn_id: str) -> Steps[TurnOutcome]:
    """What became of a turn or command. Raises NotFound for an unknown id, Unavailable."""
    reply = yield _get(f"/v1/turns/{segment(turn_id)}", tenant, user_id)
    return read(reply, TurnOutcome)


def wait_for(
    tenant: str, user_id: str, turn_id: str, *, timeout: float = 10.0, every: float = 0.1
) -> Steps[TurnOutcome]:
    """Wait until the workers have decided a turn; for tests and scripts.

    Args:
        tenant: of the client.
        user_id: the user.
        turn_id: the turn or command.
        timeout: seconds.
        every: seconds between looks.

    Raises:
        StillAccepted: not decided in time.
        Unavailable: no answer.
    """
    deadline = time.monotonic() + timeout
    while True:
        try:
            outcome = yield from turn_outcome(tenant, user_id, turn_id)
            if outcome.outcome != "accepted":
                return outcome
        except NotFound:
            """A turn published to the topic directly is unknown to the gateway until importance has stored it."""
        if time.monotonic() >= deadline:
            raise StillAccepted(f"turn {turn_id!r} was not decided within {timeout} s", code="still_accepted")
        yield Pause(every)


def _get(path: str, tenant: str, user_id: str, more: dict[str, str | None] | None = None) -> Request:
    params = {"user_id": user_id, "tenant": tenant} | (more or {})
    return Request("GET", path, {name: value for name, value in params.items() if value is not None})


def _iso(at: datetime | None) -> str | None:
    if at is None:
        return None
    if at.tzinfo is None:
        raise Invalid("expected an aware time: guessing a zone would move days", code="invalid")
    return at.isoformat()
