"""Answers requests as the gateway would, from memory, deciding at once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import unquote

import msgspec

from lithify.client.steps import Reply, Request
from lithify.domain.catalog import Attribute, AttributeKind, Catalog
from lithify.domain.claims import USER, Cardinality, CommandKind, Evidence
from lithify.domain.context import BudgetTooSmallError, ContextQuery, compose
from lithify.domain.ids import slot_id
from lithify.domain.memory import Memory, RecentTurn, SlotView
from lithify.domain.policy import Policy
from lithify.domain.slots import replay
from lithify.domain.slots.state import SlotState
from lithify.events import Command, CommandName, Inbound, Turn
from lithify.events.api import (
    ConflictView,
    ContextRequest,
    Explanation,
    Fault,
    FaultReply,
    Lang,
    Provenance,
    TurnOutcome,
)
from lithify.events.views import (
    Seen,
    believed,
    block_reply,
    contender_views,
    fact_views,
    hint_views,
    override_views,
    verdict_views,
)
from lithify.testing.evidence import Lesson, claim_of, claim_view, recent_turn, sessions_of, slot_command

User = tuple[str, str]
CONSTRAINT = Attribute("constraint", AttributeKind.CONSTRAINT, Cardinality.MULTI, "rule", "规则")


@dataclass(slots=True)
class _Person:
    """All that was published about one user."""

    events: dict[str, Inbound] = field(default_factory=dict)
    evidence: list[Evidence] = field(default_factory=list)
    version: int = 0


class FakeServer:
    """Answers the requests that a gateway would, from memory."""

    def __init__(self, catalog: Catalog | None = None, clock: Callable[[], datetime] | None = None) -> None:
        known = dict(catalog.attributes) if catalog else {}
        self._catalog = Catalog({CONSTRAINT.key: CONSTRAINT} | known)
        self._clock = clock or (lambda: datetime.now(UTC))
        self._lessons: dict[str, list[Lesson]] = {}
        self._people: dict[User, _Person] = {}

    def teach(self, text: str, lesson: Lesson) -> None:
        """A turn that is exactly `text` claims this too."""
        self._lessons.setdefault(text, []).append(lesson)

    def publish(self, events: Iterable[Inbound]) -> None:
        """Take events in and decide at once; an id that is known already changes nothing."""
        for event in events:
            person = self._people.setdefault((event.tenant, event.user_id), _Person())
            if event.id not in person.events:
                person.events[event.id] = event
                person.version += 1
                self._take(person, event)

    def answer(self, request: Request) -> Reply:
        """The reply to a request of the client."""
        if request.path == "/v1/context":
            assert request.body is not None
            try:
                return self._context(msgspec.json.decode(request.body, type=ContextRequest))
            except msgspec.ValidationError as error:
                return _fault(422, "invalid", str(error))
        user = (request.params["tenant"], request.params["user_id"])
        noun, _, name = request.path.removeprefix("/v1/").partition("/")
        name = unquote(name)
        found: msgspec.Struct | None
        if noun == "turns":
            found = self._outcome(user, name)
        elif noun == "explain":
            found = self._explanation(user, name, "zh" if request.params.get("lang") == "zh" else "en")
        elif name:
            found = self._provenance(user, name)
        else:
            found = self._facts(user, request)
        return _ok(found) if found is not None else _fault(404, "not_found", f"nothing of this user is called {name!r}")

    def _take(self, person: _Person, event: Inbound) -> None:
        if isinstance(event, Command):
            self._obey(person, event)
        elif isinstance(event, Turn):
            person.evidence += [
                claim_of(event, lesson, i) for i, lesson in enumerate(self._lessons.get(event.text(), ()))
            ]

    def _obey(self, person: _Person, command: Command) -> None:
        if command.command is CommandName.FORGET:
            self._forget(person, command)
        elif command.command is CommandName.CONSTRAINT:
            person.evidence.append(slot_command(command, CommandKind.REMEMBER, CONSTRAINT.key, command.text))
        elif command.attribute:
            kind = CommandKind(command.command.value)
            person.evidence.append(slot_command(command, kind, command.attribute, command.value))

    def _forget(self, person: _Person, command: Command) -> None:
        attribute = command.attribute
        if command.fact_id:
            user = (command.tenant, command.user_id)
            attribute = next((s.attribute for s in self._slots(user) if _holds(s, command.fact_id)), "")
        person.evidence = [item for item in person.evidence if attribute and item.attribute != attribute]

    def _states(self, user: User) -> Iterable[tuple[SlotView, SlotState]]:
        person = self._people.get(user, _Person())
        sessions = sessions_of(person.events.values())
        for subject, attribute in sorted({(item.subject, item.attribute) for item in person.evidence}):
            evidence = [item for item in person.evidence if (item.subject, item.attribute) == (subject, attribute)]
            name = slot_id(*user, subject, attribute)
            state = replay(name, self._catalog.get(attribute), evidence, sessions, Policy())
            yield SlotView(name, subject, attribute, state.facts, state.overrides, state.contenders, state.hints), state

    def _slots(self, user: User) -> tuple[SlotView, ...]:
        return tuple(slot for slot, _ in self._states(user))

    def _memory(self, user: User, turns: tuple[RecentTurn, ...] = ()) -> Memory:
        return Memory(self._slots(user), (), turns, self._people.get(user, _Person()).version)

    def _context(self, asked: ContextRequest) -> Reply:
        now = asked.as_of or self._clock()
        user = (asked.tenant, asked.user_id)
        sent = [RecentTurn(t.role.value, t.content, t.occurred_at or now, t.id, t.speaker) for t in asked.turns]
        stored = [recent_turn(event) for event in self._turns(user, asked.session_id)]
        memory = self._memory(user, (*stored, *sent))
        query = ContextQuery(now, asked.budget_tokens, asked.session_id, asked.query, asked.lang)
        try:
            return _ok(block_reply(compose(memory, query, self._catalog), memory.version))
        except BudgetTooSmallError as error:
            return _fault(422, "budget_too_small", str(error), "budget_tokens")

    def _turns(self, user: User, session_id: str | None) -> list[Turn]:
        events = self._people.get(user, _Person()).events.values()
        turns = [event for event in events if isinstance(event, Turn) and event.session_id == session_id]
        return sorted(turns, key=lambda turn: (turn.occurred_at, turn.index, turn.id))

    def _facts(self, user: User, request: Request) -> msgspec.Struct:
        as_of = request.params.get("as_of")
        at = datetime.fromisoformat(as_of) if as_of else self._clock()
        session = request.params.get("session_id")
        return believed(self._memory(user), Seen(at, session, history="history" in request.params), self._catalog)

    def _outcome(self, user: User, turn_id: str) -> TurnOutcome | None:
        person = self._people.get(user, _Person())
        if turn_id not in person.events:
            return None
        stored = sum(item.turn_id == turn_id for item in person.evidence)
        return TurnOutcome(id=turn_id, outcome="stored" if stored else "no_facts", stored=stored)

    def _provenance(self, user: User, fact_id: str) -> Provenance | None:
        for slot, state in self._states(user):
            for fact in slot.facts:
                if fact.id == fact_id:
                    whole = self._explained(user, slot, state, "en")
                    return Provenance(
                        fact=fact_views(slot, [fact])[0],
                        claims=tuple(claim for claim in whole.claims if claim.id in fact.claim_ids),
                        verdicts=tuple(verdict for verdict in whole.verdicts if verdict.fact_id == fact_id),
                        conflicts=tuple(conflict for conflict in whole.conflicts if conflict.fact_id == fact_id),
                    )
        return None

    def _explanation(self, user: User, what: str, lang: Lang) -> Explanation | None:
        subject, _, attribute = what.rpartition("/")
        for slot, state in self._states(user):
            named = (slot.subject, slot.attribute) == (subject or USER, attribute)
            if named or what == slot.slot_id or _holds(slot, what):
                return self._explained(user, slot, state, lang)
        return None

    def _explained(self, user: User, slot: SlotView, state: SlotState, lang: Lang) -> Explanation:
        person = self._people[user]
        evidence = [i for i in person.evidence if (i.subject, i.attribute) == (slot.subject, slot.attribute)]
        return Explanation(
            slot_id=slot.slot_id,
            subject=slot.subject,
            attribute=slot.attribute,
            facts=fact_views(slot, slot.facts),
            overrides=override_views(slot, slot.overrides),
            contenders=contender_views(slot, slot.contenders, self._catalog, lang),
            hints=hint_views(slot, slot.hints, self._catalog, lang),
            verdicts=verdict_views(slot, state.verdicts, self._catalog, lang),
            conflicts=msgspec.convert(state.conflicts, tuple[ConflictView, ...], from_attributes=True),
            claims=tuple(claim_view(item) for item in evidence),
        )


def _holds(slot: SlotView, row_id: str) -> bool:
    return row_id in {row.id for row in slot.facts} | {row.id for row in slot.overrides}


def _ok(model: msgspec.Struct) -> Reply:
    return Reply(200, msgspec.json.encode(model))


def _fault(status: int, code: str, message: str, field: str | None = None) -> Reply:
    return Reply(status, msgspec.json.encode(FaultReply(error=Fault(code=code, message=message, field=field))))
