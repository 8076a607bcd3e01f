"""The golden traces: every implementation of the rules must reproduce them."""

import json
import random
import re
from pathlib import Path

import pytest

from lithify.domain.claims import order
from lithify.domain.ids import slot_id
from lithify.domain.policy import Policy
from lithify.domain.slots import begin, extend, replay
from lithify.domain.slots.state import SlotState
from tests.support import traces

RULES = Path(__file__).resolve().parents[3] / "docs" / "concepts" / "slot-rules.md"


def fold(trace: traces.Trace, chance: random.Random) -> SlotState:
    evidence = list(trace.evidence)
    chance.shuffle(evidence)
    slot = slot_id("tenant", "subject", "user", trace.attribute.key)
    return replay(slot, trace.attribute, evidence, trace.sessions, Policy())


@pytest.mark.parametrize("path", traces.paths(), ids=lambda path: path.stem)
def test_trace_is_reproduced(path: Path) -> None:
    trace = traces.load(path)
    state = fold(trace, random.Random(path.stem))
    expected = {key: value for key, value in trace.expect.items() if key != "reads"}
    assert traces.outcome(state) == expected


@pytest.mark.parametrize("path", traces.paths(), ids=lambda path: path.stem)
def test_trace_reads_as_it_says(path: Path) -> None:
    trace = traces.load(path)
    state = fold(trace, random.Random(0))
    for read in trace.expect["reads"]:
        at = traces.instant(read["at"])
        assert traces.seen(state, at, read.get("session")) == read["sees"], read


@pytest.mark.parametrize("path", traces.paths(), ids=lambda path: path.stem)
def test_trace_claim_by_claim_equals_the_replay(path: Path) -> None:
    trace = traces.load(path)
    evidence = sorted(trace.evidence, key=order)
    checkpoint = begin("slot", trace.attribute, Policy())
    for count, item in enumerate(evidence, 1):
        state, checkpoint = extend(checkpoint, [item], trace.sessions)
        assert state == replay("slot", trace.attribute, evidence[:count], trace.sessions, Policy())


def test_there_are_traces() -> None:
    assert len(traces.paths()) >= 40


def test_every_rule_has_a_trace() -> None:
    """A rule of `docs/concepts/slot-rules.md` is a numbered paragraph."""
    rules = {int(number) for number in re.findall(r"^(\d+)\. \*\*", RULES.read_text("utf-8"), re.MULTILINE)}
    shown = {rule for path in traces.paths() for rule in json.loads(path.read_text("utf-8")).get("rules", [])}
    assert rules == shown


def test_unknown_field_is_refused(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"title": "x", "expectations": {}}', "utf-8")
    with pytest.raises(ValueError, match="expectations"):
        traces.load(bad)
