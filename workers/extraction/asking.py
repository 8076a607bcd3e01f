"""Asks the model about what is queued, beside the stream: no partition waits for it.

Order of steps, so that a crash repeats at most one call: note the attempt and commit; call, with no transaction open;
store the reply and commit; settle the turns and commit. What is cut off is taken up again as it was.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from lithify.domain.text import clean
from lithify.domain.tokens import estimate
from pipelines import metrics
from pipelines.effects import Effects, Row
from pipelines.envelope import Codec
from pipelines.language.llm.breaker import Breaker
from pipelines.language.llm.completion import Answer, Unavailable
from pipelines.language.llm.reply import Fault, Parsed, Reply, ReplyError, parse_reply
from pipelines.runtime.worker import Periodic
from pipelines.settings import Settings
from pipelines.store.pool import Pool
from pipelines.store.scheduler import due
from pipelines.store.unit_of_work import UnitOfWork, json_text, unit_of_work
from workers.extraction.reading import ModelReading, Scored, covers
from workers.extraction.settling import Settler
from workers.extraction.taking import NAME, Call, Place, queue_row, take

if TYPE_CHECKING:
    from pipelines.language.llm.client import ModelClient  # openai takes a second to load

_SECONDS = 1.0
_LEASE_MARGIN = 5.0
_LOOK_SECONDS = 15.0
_KEPT = 20_000
"""Code points of a reply that could not be used that are kept for whoever looks into it."""
_SPENT = "spent"
"""Why a turn was given up that was cut off in every attempt."""
_MALFORMED = "malformed"
"""Code of a statement that is not of the form asked for: it names no turn's words."""
_stored = msgspec.json.Decoder(Reply)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a call came to: a reply, or why it is of no use."""

    reply: Reply | None = None
    fault: str = "ok"
    content: str = ""
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(slots=True)
class Asker:
    """One process's calls of the model."""

    settings: Settings
    reading: ModelReading
    settler: Settler
    client: "ModelClient"
    codec: Codec
    breaker: Breaker = field(default_factory=Breaker)
    look_again: float = 0.0
    """When the gauges are next brought up to date, in monotonic seconds: that costs more than looking for work."""

    def periodic(self) -> Periodic:
        """The recurring work."""
        return Periodic("ask the model", _SECONDS, self.run, at_most=None)

    def queue_row(self, event: Scored) -> Row:
        """The row of a turn that the model is to read."""
        return queue_row(event, self.reading, self.settings.model_wait_seconds)

    async def run(self, pool: Pool) -> None:
        """Ask until nothing is due, or the model or a limit says to wait."""
        try:
            while await self._round(pool):
                pass
        finally:
            metrics.MODEL_BREAKER.set(self.breaker.is_open)
        if time.monotonic() >= self.look_again:
            self.look_again = time.monotonic() + _LOOK_SECONDS
            await self._look(pool)

    async def _look(self, pool: Pool) -> None:
        """Bring the gauges up to date."""
        backlog = {row["state"]: row["turns"] for row in await due(pool, "scheduler.model_backlog")}
        for state in ("waiting", "failed"):
            metrics.MODEL_QUEUE.labels(state).set(backlog.get(state, 0))
        budget = self.settings.model_cost_per_day
        if budget is not None:
            spent = [row["cost"] for row in await due(pool, "scheduler.model_spend")]
            metrics.MODEL_BUDGET_SPENT.set(max(spent, default=0.0) / budget)

    async def _round(self, pool: Pool) -> bool:
        """One call for each session that is due, as far as its tenant may; whether any turn was taken up."""
        places = await self._due(pool, limited=[])
        if not places:
            return False
        spend = {row["tenant"]: row for row in await due(pool, "scheduler.model_spend")}
        limited = [tenant for tenant, spent in spend.items() if self._is_limited(spent)]
        if limited:
            places = await self._due(pool, limited)
        gate = asyncio.Semaphore(self.settings.model_concurrency)

        async def one(place: Place) -> bool:
            async with gate:
                return await self.ask(pool, place)

        # A fault of one never cancels the others: their calls are paid for.
        results = await asyncio.gather(*map(one, self._within_rate(places, spend)), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return any(results)

    async def _due(self, pool: Pool, limited: Sequence[str]) -> list[Place]:
        rows = await due(
            pool, "scheduler.due_model_sessions", budget=self.reading.budget, limited=json_text(sorted(limited))
        )
        return [Place(**row) for row in rows]

    def _is_limited(self, spent: Mapping[str, Any]) -> bool:
        most = self.settings.model_cost_per_day
        over = {
            "rate": spent["calls"] >= self.settings.model_calls_per_minute,
            "cost": most is not None and spent["cost"] >= most,
        }
        for limit, reached in over.items():
            if reached:
                metrics.MODEL_LIMITED.labels(limit).inc()
        return any(over.values())

    def _within_rate(self, places: Sequence[Place], spend: Mapping[str, Mapping[str, Any]]) -> list[Place]:
        left = {place.tenant: self.settings.model_calls_per_minute for place in places}
        left |= {tenant: left[tenant] - int(spend[tenant]["calls"]) for tenant in left if tenant in spend}
        chosen = []
        for place in places:
            if left[place.tenant] > 0:
                left[place.tenant] -= 1
                chosen.append(place)
        return chosen

    async def ask(self, pool: Pool, place: Place) -> bool:
        """Make one call about a session, unless there is nothing to ask or the model is to be left alone.

        Returns:
            Whether turns were taken up.
        """
        if not self.breaker.allows(time.monotonic()):
            return False
        try:
            async with self._unit(pool, place) as unit:
                call = await self._take(unit, place)
                known = None if call is None else await self._known(unit, call)
            if call is None:
                return False
            await self._go_through(pool, call, known)
        finally:
            self.breaker.forget_probe()
        return True

    def _unit(self, pool: Pool, place: Place) -> AbstractAsyncContextManager[UnitOfWork]:
        return unit_of_work(pool, self.settings, NAME, {place.subject_key})

    async def _take(self, unit: UnitOfWork, place: Place) -> Call | None:
        lease = 2 * self.settings.model_timeout_seconds + _LEASE_MARGIN
        return await take(unit, place, self.reading, self.codec, lease=lease, attempts=self.settings.model_attempts)

    async def _known(self, unit: UnitOfWork, call: Call) -> Reply | None:
        rows = await unit.fetch("model.stored_reply", tenant=call.place.tenant, call_id=call.request.call_id)
        return _stored.decode(rows[0]["reply"]) if rows else None

    async def _go_through(self, pool: Pool, call: Call, known: Reply | None) -> None:
        """From a call to settled turns."""
        if known is not None:
            metrics.MODEL_CALLS.labels("stored").inc()
            outcome = _Outcome(known)
        elif call.spent:
            outcome = _Outcome(fault=_SPENT)
        else:
            try:
                outcome = await self._call(call)
            except Unavailable as outage:
                self.breaker.failed(time.monotonic(), hold=outage.hold)
                metrics.MODEL_CALLS.labels(outage.reason).inc()
                async with self._unit(pool, call.place) as unit:
                    effects = await self.settler.unanswered(unit, call, outage.reason, outage.hold)
                    await unit.apply(effects)
                effects.committed()
                return
            self.breaker.succeeded()
            await self._keep(pool, call, outcome)
        async with self._unit(pool, call.place) as unit:
            effects = await self._settled(unit, call, outcome)
            await unit.apply(effects)
        effects.committed()

    async def _settled(self, unit: UnitOfWork, call: Call, outcome: _Outcome) -> Effects:
        if outcome.reply is None:
            return await self.settler.unusable(unit, call, outcome.fault)
        return await self.settler.read(unit, call, outcome.reply)

    async def _call(self, call: Call) -> _Outcome:
        """Ask, and read the answer. Raises Unavailable."""
        answer: Answer | None = None
        with metrics.MODEL_SECONDS.time():
            try:
                answer = await self.client.ask(call.request.messages, call.request.schema)
                parsed = _parsed(answer)
            except ReplyError as error:
                metrics.MODEL_CALLS.labels(str(error.fault)).inc()
                return self._outcome(call, answer, None, error.fault)
        metrics.MODEL_REJECTS.labels(_MALFORMED).inc(parsed.malformed)
        if not covers(call.request, parsed.reply):
            # what it does say is used now, but it does not stand for an answer to the whole
            metrics.MODEL_CALLS.labels(str(answer.fault or Fault.INCOMPLETE)).inc()
            return self._outcome(call, answer, parsed.reply, answer.fault or Fault.INCOMPLETE)
        metrics.MODEL_CALLS.labels("ok" if parsed.strict else "ok_tolerant").inc()
        return self._outcome(call, answer, parsed.reply, "ok")

    def _outcome(self, call: Call, answer: Answer | None, reply: Reply | None, fault: Fault | str) -> _Outcome:
        """With the endpoint's count of tokens, or an estimate where it gives none."""
        content = clean(answer.content) if answer is not None else ""
        kept = content[:_KEPT] if reply is None else json_text(reply)
        sent = estimate(call.request.messages[-1]["content"]) if fault is not Fault.REJECTED else 0
        return _Outcome(
            reply,
            str(fault),
            kept,
            (answer.input_tokens if answer else 0) or sent,
            (answer.output_tokens if answer else 0) or estimate(content),
        )

    async def _keep(self, pool: Pool, call: Call, outcome: _Outcome) -> None:
        settings = self.settings
        cost = outcome.input_tokens * settings.model_price_input + outcome.output_tokens * settings.model_price_output
        cost /= 1_000_000
        metrics.MODEL_TOKENS.labels("prompt").inc(outcome.input_tokens)
        metrics.MODEL_TOKENS.labels("completion").inc(outcome.output_tokens)
        metrics.MODEL_COST.inc(cost)
        async with self._unit(pool, call.place) as unit:
            await unit.fetch(
                "model.keep_reply",
                tenant=call.place.tenant,
                subject_key=call.place.subject_key,
                call_id=call.request.call_id,
                model=self.reading.model,
                prompt=self.reading.prompt,
                outcome=outcome.fault,
                reply=outcome.content,
                input_tokens=outcome.input_tokens,
                output_tokens=outcome.output_tokens,
                cost=cost,
            )


def _parsed(answer: Answer) -> Parsed:
    """The reply in an answer, also in one that was cut off: it may have been whole by then, or some of its turns.

    Raises:
        ReplyError: there is none.
    """
    if answer.fault not in {None, Fault.TRUNCATED}:
        raise ReplyError(answer.fault)
    try:
        return parse_reply(clean(answer.content), clean(answer.reasoning))
    except ReplyError as error:
        raise ReplyError(answer.fault or error.fault) from error
