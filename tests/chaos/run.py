"""Runs one scenario and judges it."""

import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict

from benchmarks.replay import publish
from lithify.events import Turn
from tests.chaos.judge import (
    Outcome,
    count_differing,
    count_lost,
    count_twice,
    count_unlike,
    drained,
    finished,
    ready,
    recovered,
    settled,
    told,
)
from tests.chaos.lab import Field, Lab, turns_of
from tests.chaos.row import RECOVERY_SECONDS, Row
from tests.chaos.scenarios import Disturbed, Scenario
from tests.chaos.size import Size
from tests.support.fleet import Watch

_START_SECONDS = 180.0
_TELL_SECONDS = 10.0
"""How long readiness may take to notice an outage."""
_DRAIN_SECONDS = 240.0
_DRAIN_SECONDS_A_TURN = 0.05
"""On a machine that does other things too."""


class ChaosError(RuntimeError):
    """A run could not be judged: something did not even start, or was never finished."""


def quiet(lab: Lab, turns: Sequence[Turn], *, model: bool = False) -> Outcome:
    """What comes of the turns when nothing happens."""
    with lab.run("quiet", model=model) as field:
        _start(field)
        publish(turns, field.settings)
        if not _ended(field, turns, model=model):
            raise ChaosError(f"the quiet run did not end: {field.fleet.logs()}")
        with field.probe.at_once() as probe:
            outcome = Outcome.of(probe)
            lost, differing = count_lost(probe, turns), count_differing(outcome.folded, probe.refolded())
    if lost or differing or not outcome.folded["facts"]:
        raise ChaosError(f"the quiet run is no measure: {lost} lost, {differing} differ from the fold")
    return outcome


def run(scenario: Scenario, lab: Lab, size: Size, undisturbed: Outcome) -> Row:
    """Run a scenario.

    Args:
        scenario: what is done.
        lab: where.
        size: how much of it.
        undisturbed: what comes of the turns of that size by the rules alone; with a model there is a quiet run first.

    Raises:
        ChaosError: it cannot be judged.
    """
    began = time.monotonic()
    sent = scenario.arrange(turns_of(size.turns))
    if scenario.model:
        undisturbed = quiet(lab, sent, model=True)
    with ExitStack() as exits:
        server = exits.enter_context(lab.small_disk()) if scenario.full_disk else None
        made = lab.run(
            scenario.name, brokers=scenario.brokers, postgres=server, module=scenario.module, model=scenario.model
        )
        field = exits.enter_context(made)
        _start(field, scenario.slots)
        return _disturbed(scenario, field, size, sent, undisturbed, began)


def _disturbed(
    scenario: Scenario, field: Field, size: Size, sent: Sequence[Turn], outcome: Outcome, began: float
) -> Row:
    turns = list({turn.id: turn for turn in sent}.values())
    rate = min(len(sent) / scenario.lasts(size), 250.0)
    publishing = _Publishing(field, sent, rate)
    with Watch(field.fleet) as watch:
        publishing.start()
        time.sleep(2)
        disturbed = scenario.disturb(field, size)
        healed = time.monotonic()
        survivors = field.fleet.pids()
        recovery = recovered(field, healed, RECOVERY_SECONDS * 2)
        publishing.finish()
        done = _ended(field, turns, model=scenario.model)
    dead = field.fleet.dead() + [name for name, pid in field.fleet.pids().items() if survivors.get(name) != pid]
    if dead or not done or recovery.members is None:
        sys.stderr.write(field.fleet.logs() + "\n")
    with field.probe.at_once() as probe:
        found = Outcome.of(probe)
        unlike_fold = count_differing(found.folded, probe.refolded())
    return Row(
        scenario=scenario.name,
        size=size.name,
        done=scenario.done.format(**asdict(size)),
        times=disturbed.times,
        events=len(sent),
        lost=count_lost(field.probe, turns),
        duplicated=count_twice(found, outcome),
        differing=count_unlike(found, outcome, model=scenario.model) + unlike_fold,
        behind=settled(field.settings) if scenario.lack is not None or field.kafka is not None else 0,
        recovery_seconds=_rounded(recovery.members),
        caught_up_seconds=_rounded(recovery.caught_up),
        readiness=_readiness(scenario, watch, disturbed),
        restarted=tuple(dead),
        seconds=round(time.monotonic() - began, 1),
    )


def _ended(field: Field, turns: Sequence[Turn], *, model: bool) -> bool:
    """Whether all turns came to their end in time."""
    seconds = _DRAIN_SECONDS + len(turns) * _DRAIN_SECONDS_A_TURN
    return finished(field.probe, turns, seconds) and (not model or drained(field, seconds))


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)


def _readiness(scenario: Scenario, watch: Watch, disturbed: Disturbed) -> str:
    if scenario.cause is None or disturbed.began is None or disturbed.ended is None:
        return "-"
    seen = watch.between(disturbed.began + _TELL_SECONDS, disturbed.ended)
    if not seen:
        return "nobody was asked"
    return told([(one.member, one.health) for one in seen], scenario.cause) or "told"


def _start(field: Field, slots: Sequence[int] = (1,)) -> None:
    field.fleet.start_all(slots)
    if not ready(field, _START_SECONDS):
        states = {member.name: member.health() for member in field.fleet.members.values()}
        raise ChaosError(f"the workers did not come up: {states} {field.fleet.logs()}")


class _Publishing:
    """Publishes in a thread; what goes wrong there is raised where it is waited for."""

    def __init__(self, field: Field, turns: Sequence[Turn], rate: float) -> None:
        self._error: BaseException | None = None

        def work() -> None:
            try:
                publish(turns, field.settings, rate)
            except BaseException as error:  # noqa: BLE001 - handed on by `finish`
                self._error = error

        self._thread = threading.Thread(target=work, name="publishing", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def finish(self) -> None:
        """Wait until the broker has everything."""
        self._thread.join(_DRAIN_SECONDS * 3)
        if self._error is not None:
            raise self._error
        if self._thread.is_alive():
            raise ChaosError("the turns could not be published")
