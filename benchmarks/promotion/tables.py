"""The tables of the results page, as Markdown."""

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.promotion.measure import Measured, Rate, quantile
from benchmarks.promotion.reliability import Bin
from benchmarks.promotion.rivals import RIVALS
from benchmarks.promotion.run import ASKED, KEPT, OURS
from benchmarks.promotion.worlds import World

Results = Mapping[str, Mapping[str, Measured]]
"""By world and rule."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def by_evidence(worlds: Sequence[World], results: Results) -> str:
    """How the product does by evidence alone, world by world."""
    head = ("world", "users", "false %", "limit", "missed %", "days to notice", "sessions to notice")
    return table(head, [_evidence_row(world, results[world.name][OURS]) for world in worlds])


def _evidence_row(world: World, ours: Measured) -> list[str]:
    return [
        world.name,
        world.about,
        _marked(ours.worst, world.false_limit),
        f"{100 * world.false_limit:.1f}",
        _marked(ours.missed, world.misses_limit),
        spread(ours.delays, world.delay_limit),
        spread(ours.sessions),
    ]


def _marked(rate: Rate, limit: float | None) -> str:
    """A rate, in bold where it misses its limit."""
    return f"**{rate}**" if limit is not None and rate.value > limit else str(rate)


def spread(ordered: Sequence[int], limit: int | None = None) -> str:
    """Median and ninetieth percentile, in bold where the median misses its limit."""
    median, high = quantile(ordered, 0.5), quantile(ordered, 0.9)
    if median is None:
        return "-"
    text = f"{median} / {high}"
    return f"**{text}**" if limit is not None and median > limit else text


def against_rivals(worlds: Sequence[World], results: Results) -> str:
    """False promotions and median days of every rule."""
    rules = [*RIVALS, OURS]
    head = ("world", *(f"{rule}: false %, days" for rule in rules))
    return table(head, [[world.name, *(_brief(results[world.name][rule]) for rule in rules)] for world in worlds])


def _brief(measured: Measured) -> str:
    median = quantile(measured.delays, 0.5)
    return f"{100 * measured.worst.value:.1f}, {'-' if median is None else median}"


def asking_once(worlds: Sequence[World], results: Results) -> str:
    """What one truthful answer buys."""
    head = ("world", "false %", "missed %", "days to notice", "by evidence alone", "questions per unchanged user")
    return table(head, [_asked_row(world, results[world.name]) for world in worlds])


def _asked_row(world: World, measured: Mapping[str, Measured]) -> list[str]:
    asked = measured[ASKED]
    limit = {"base": 6, "never marks": 14}.get(world.name)
    questions = f"{asked.questions:.2f}"
    return [
        world.name,
        _marked(asked.worst, 0.003),
        str(asked.missed),
        spread(asked.delays, limit),
        spread(measured[OURS].delays),
        f"**{questions}**" if asked.questions > 0.2 else questions,
    ]


def undoing(worlds: Sequence[World], results: Results) -> str:
    """What rule 20 costs and saves."""
    head = ("world", "days wrong after a false promotion", "without undoing", "true changes undone %")
    rows = [
        [
            world.name,
            f"{results[world.name][OURS].wrong_days:.0f}",
            f"{results[world.name][KEPT].wrong_days:.0f}",
            str(results[world.name][OURS].undone),
        ]
        for world in worlds
        if results[world.name][OURS].false.hits or results[world.name][OURS].undone.hits
    ]
    return table(head, rows)


def reliability(bins: Sequence[Bin]) -> str:
    """How often a posterior is right."""
    head = ("posterior", "user-days", "users", "mean posterior", "right %", "95 % interval, by users")
    rows = [
        [
            f"{item.low:.2f}-{item.high:.2f}",
            str(item.days),
            str(item.users),
            f"{item.mean:.3f}",
            f"{100 * item.right:.1f}",
            f"{100 * item.interval[0]:.1f}-{100 * item.interval[1]:.1f}",
        ]
        for item in bins
        if item.days
    ]
    return table(head, rows)


def missed_targets(worlds: Sequence[World], results: Results) -> str:
    """Every target that these users did not meet, as a list; a sentence where all were met."""
    lines = [line for world in worlds for line in _missed(world, results[world.name])]
    return "\n".join(f"- {line}" for line in lines) or "All targets were met on these users."


def _missed(world: World, measured: Mapping[str, Measured]) -> list[str]:
    ours, asked = measured[OURS], measured[ASKED]
    checks = [
        ("false promotions %", 100 * ours.worst.value, 100 * world.false_limit),
        ("missed %", 100 * ours.missed.value, None if world.misses_limit is None else 100 * world.misses_limit),
        ("median days", quantile(ours.delays, 0.5), world.delay_limit),
        ("false promotions % after one answer", 100 * asked.worst.value, 0.3),
        ("questions per unchanged user", asked.questions, 0.2),
        ("median days after one answer", quantile(asked.delays, 0.5), {"base": 6, "never marks": 14}.get(world.name)),
    ]
    return [
        f"{world.name}: {what} {value:.2f}, target {limit:g}"
        for what, value, limit in checks
        if value is not None and limit is not None and value > limit
    ]
