"""What a person or agent tells the memory itself about one slot."""

from lithify.domain.claims import Command, CommandKind, Polarity
from lithify.domain.slots import contenders
from lithify.domain.slots.cell import Cell, Fold
from lithify.domain.slots.declarations import declare, new_fact, reinforce, start_anew, take_place
from lithify.domain.slots.denials import set_aside
from lithify.domain.slots.rows import FactRow, Said, Stance, said
from lithify.domain.slots.state import VerdictKind
from lithify.domain.slots.verdicts import clash, decide, settle

_CONFIDENCE = 0.95
"""A command is as good as an instruction."""


def on_command(fold: Fold, command: Command) -> None:
    """Fold a command."""
    handlers = {
        CommandKind.REMEMBER: _remember,
        CommandKind.CORRECT: _correct,
        CommandKind.PIN: _pin,
        CommandKind.UNPIN: _unpin,
        CommandKind.APPROVE: _approve,
        CommandKind.REJECT: _reject,
    }
    handlers[command.kind](fold, command)


def _words(fold: Fold, command: Command) -> Said | None:
    return said(command, fold.canonical(command.value, command.quantity)) if command.value is not None else None


def _remember(fold: Fold, command: Command) -> None:
    words = _words(fold, command)
    if words is None:
        _nothing(fold, command, VerdictKind.REJECTED, "nothing_to_remember")
        return
    _tell(fold, fold.cell(words.value), command, words, "remember")


def _tell(fold: Fold, cell: Cell, command: Command, words: Said, rule: str) -> None:
    """Declare by command; a pin stays on what takes a pinned fact's place."""
    old = cell.active
    if cell.denies_another(words.stance):
        set_aside(fold, cell, command, words, lasting=True)
        return
    if old is not None and cell.contradicts(words.stance):
        clash(fold, command, words.value, old, VerdictKind.PROMOTED)
    fact = declare(fold, cell, words, rule, kind=VerdictKind.PROMOTED, opened_by="command", confidence=_CONFIDENCE)
    if old is not None and old.pinned:
        fact.pinned = True


def _correct(fold: Fold, command: Command) -> None:
    """It was never true: the new value takes the whole validity of the old one."""
    words, target = _words(fold, command), _target(fold, command)
    if words is None or (target is None and command.fact_id is not None):
        _nothing(fold, command, VerdictKind.REJECTED, "nothing_to_correct")
    elif target is None or target[1].stance == words.stance:
        _tell(fold, fold.cell(words.value), command, words, "correct")
    else:
        _put_right(fold, *target, command, words)


def _put_right(fold: Fold, cell: Cell, wrong: FactRow, command: Command, words: Said) -> None:
    clash(fold, command, words.value, wrong, VerdictKind.SUPERSEDED)
    wrong.corrected = True
    if cell.active is wrong:
        cell.active = None
        right = _tell_instead(fold, cell, command, words, wrong)
    else:
        right = _replacement(fold, cell, words, wrong)
    for row in cell.facts:
        if row is wrong or row.superseded_by == wrong.id:
            row.superseded_by = right.id
    decide(
        fold,
        VerdictKind.SUPERSEDED,
        "correct",
        words.stance,
        (command.id,),
        cause=command.id,
        fact=right,
        replaced=wrong.value,
        trace={"valid_from": right.valid_from.isoformat(), "confidence": right.confidence},
    )


def _tell_instead(fold: Fold, cell: Cell, command: Command, words: Said, wrong: FactRow) -> FactRow:
    """Put the right value where the wrong active one was, in the right value's own cell."""
    start_anew(fold, cell)
    settle(cell, fold.now)
    home = fold.cell(words.value)
    if home.active is not None and home.active.stance == words.stance:
        reinforce(fold, home.active, command.id)
        home.active.valid_from = min(home.active.valid_from, wrong.valid_from)
        return home.active
    right = take_place(fold, home, words, "command", _CONFIDENCE)
    right.valid_from, right.pinned = wrong.valid_from, wrong.pinned
    return right


def _replacement(fold: Fold, cell: Cell, words: Said, wrong: FactRow) -> FactRow:
    """The right value over a closed interval of history."""
    right = new_fact(fold, words, "command", _CONFIDENCE)
    right.valid_from, right.valid_to = wrong.valid_from, wrong.valid_to
    (fold.cell(words.value) if fold.per_value else cell).facts.append(right)
    return right


def _target(fold: Fold, command: Command) -> tuple[Cell, FactRow] | None:
    """The fact a command means: the one it names, else the active one where that is plain."""
    rows = [(cell, fact) for cell in fold.own_all() for fact in cell.facts if not fact.corrected]
    if command.fact_id is not None:
        return next(((cell, fact) for cell, fact in rows if fact.id == command.fact_id), None)
    active = [(cell, fact) for cell, fact in rows if cell.active is fact]
    if command.value is not None:
        same = [(cell, fact) for cell, fact in active if fact.value == command.value]
        active = same or ([] if _names_another(fold, command) else active)
    return active[0] if len(active) == 1 else None


def _names_another(fold: Fold, command: Command) -> bool:
    """Whether a value that a set does not hold leaves its other values alone: all but a plain correction of the one."""
    correction = command.kind is CommandKind.CORRECT and command.polarity is Polarity.POSITIVE
    return fold.safety or (fold.per_value and not correction)


def _pin(fold: Fold, command: Command) -> None:
    words = _words(fold, command)
    if words is not None:
        cell = fold.cell(words.value)
        if cell.active is None or cell.active.stance != words.stance:
            _tell(fold, cell, command, words, "pin")
        facts = [cell.active] if cell.active and cell.active.stance == words.stance else []
    else:
        target = _target(fold, command)
        facts = [target[1]] if target else [cell.active for cell in fold.own_all() if cell.active]
    if not facts:
        _nothing(fold, command, VerdictKind.REJECTED, "nothing_to_pin")
    for fact in facts:
        fact.pinned = True
        decide(fold, VerdictKind.KEPT, "pin", fact.stance, (command.id,), cause=fact.id + command.id, fact=fact)


def _unpin(fold: Fold, command: Command) -> None:
    """The fact may change again, on evidence from now on."""
    target = _target(fold, command)
    chosen = [target] if target else [(cell, cell.active) for cell in fold.own_all() if cell.active]
    pinned = [(cell, fact) for cell, fact in chosen if fact.pinned]
    if not pinned:
        _nothing(fold, command, VerdictKind.REJECTED, "nothing_to_unpin")
    for cell, fact in pinned:
        fact.pinned = False
        start_anew(fold, cell)
        settle(cell, fold.now)
        decide(fold, VerdictKind.KEPT, "unpin", fact.stance, (command.id,), cause=fact.id + command.id, fact=fact)


def _approve(fold: Fold, command: Command) -> None:
    """Promote now what is gathering evidence, waits for an answer, or holds for a while."""
    words = _words(fold, command)
    if words is None:
        words = _best(fold, command)
    cell = fold.held(words.value) if words is not None else None
    if words is None or cell is None or not _approvable(fold, cell, words.stance):
        _nothing(fold, command, VerdictKind.REJECTED, "nothing_to_approve")
        return
    _tell(fold, cell, command, words, "approve")


def _best(fold: Fold, command: Command) -> Said | None:
    rows = [row for cell in fold.own_all() if (row := contenders.best(cell)) is not None]
    if not rows:
        return None
    row = max(
        rows,
        key=lambda row: (fold.cell(row.value).book.posterior(row), row.last_support, row.value),
    )
    at, turn = command.occurred_at, command.turn_id
    return Said(command.id, turn, at, row.value, row.text, row.stance[1], (command.id,), row.quantity)


def _approvable(fold: Fold, cell: Cell, stance: Stance) -> bool:
    laid_over = any(row.stance == stance for row in cell.running(fold.now))
    return stance in cell.book.contenders or laid_over or cell.standing(stance, fold.now)


def _reject(fold: Fold, command: Command) -> None:
    """Void a contender's evidence, or take back a promotion by evidence."""
    target = _target(fold, command)
    words = _words(fold, command)
    named = command.fact_id is not None or (words is not None and target is not None and target[1].value == words.value)
    if target is not None and named and target[0].active is target[1] and target[1].opened_by == "evidence":
        _take_back(fold, *target, command)
        return
    words = words or (_best(fold, command) if not named else None)
    cell = fold.held(words.value) if words is not None else None
    if words is None or cell is None or words.stance not in cell.book.contenders:
        _nothing(fold, command, VerdictKind.KEPT, "nothing_to_reject")
        return
    numbers = contenders.trace(fold, cell, cell.book.contenders[words.stance])
    contenders.void(fold, cell, words.stance, denied=True)
    settle(cell, fold.now, words.stance)
    cell.quiet[words.stance] = fold.now + fold.policy.hint_quiet
    decide(
        fold,
        VerdictKind.REJECTED,
        "reject",
        words.stance,
        (command.id,),
        cause=command.id,
        fact=cell.active,
        trace=numbers,
    )


def _take_back(fold: Fold, cell: Cell, fact: FactRow, command: Command) -> None:
    """The promoted value was never the fact; the one before holds on as if nothing had been."""
    fact.corrected = True
    fact.superseded_by = None
    before = [row for row in cell.facts if row.superseded_by == fact.id]
    for row in before:
        row.valid_to, row.superseded_by = None, None
    cell.active = before[-1] if before else None
    start_anew(fold, cell)
    settle(cell, fold.now)
    cell.quiet[fact.stance] = fold.now + fold.policy.hint_quiet
    decide(
        fold,
        VerdictKind.RETRACTED,
        "reject",
        fact.stance,
        (command.id,),
        cause=command.id,
        fact=cell.active or fact,
        replaced=fact.value,
    )


def _nothing(fold: Fold, command: Command, kind: VerdictKind, rule: str) -> None:
    stance: Stance = (command.value or "", command.polarity)
    decide(fold, kind, rule, stance, (command.id,), cause=command.id)
