"""The figures of the results page, as SVG that is the same for the same numbers."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from benchmarks.promotion.measure import Measured, quantile
from benchmarks.promotion.reliability import Bin
from benchmarks.promotion.rivals import RIVALS
from benchmarks.promotion.run import ASKED, OURS
from benchmarks.promotion.worlds import WATCHED

Results = Mapping[str, Mapping[str, Measured]]
_SHOWN = dict(zip((*RIVALS, OURS, ASKED), ("#bbbbbb", "#d9a441", "#7a9cc6", "#b03a48", "#2f6f4f"), strict=True))


def prepare() -> None:
    """Draw without a display, and alike every time."""
    mpl.use("svg")
    mpl.rcParams.update(
        {"svg.hashsalt": "lithify", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    )


def frontier(results: Results, path: Path) -> None:
    """False promotions against delay: a point for each world and rule."""
    figure, axes = plt.subplots(figsize=(7, 4.2))
    for rule, color in _SHOWN.items():
        found = [measured[rule] for measured in results.values()]
        points = [(quantile(item.delays, 0.5) or 0, 100 * item.worst.value) for item in found if item.delays]
        axes.scatter([x for x, _ in points], [max(0.05, y) for _, y in points], s=18, color=color, label=rule)
    axes.set_yscale("log")
    axes.axhline(1.5, color="black", linewidth=0.6, linestyle=":")
    axes.set_xlabel("median days until a change is noticed")
    axes.set_ylabel("users with a false promotion, %")
    axes.legend(frameon=False, fontsize=8)
    _save(figure, path)


def calibration(bins: Sequence[Bin], path: Path) -> None:
    """The reliability diagram."""
    figure, axes = plt.subplots(figsize=(4.2, 4.2))
    shown = [item for item in bins if item.days]
    axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=0.8)
    low = [max(0.0, item.right - item.interval[0]) for item in shown]
    high = [max(0.0, item.interval[1] - item.right) for item in shown]
    axes.errorbar(
        [item.mean for item in shown],
        [item.right for item in shown],
        yerr=[low, high],
        fmt="o",
        color="#b03a48",
        capsize=2,
    )
    axes.set_xlabel("posterior (mean of bin)")
    axes.set_ylabel("share of user-days on which the new value was lasting")
    _save(figure, path)


def noticed(results: Results, names: Sequence[str], path: Path) -> None:
    """The share of changes that are noticed within so many days, by evidence and with one answer."""
    figure, axes = plt.subplots(figsize=(7, 4.2))
    for number, name in enumerate(names):
        _curve(axes, results[name][OURS], name, "-", f"C{number}")
        _curve(axes, results[name][ASKED], f"{name}, asking once", ":", f"C{number}")
    axes.set_xlabel("days since the change")
    axes.set_ylabel("changes noticed, %")
    axes.legend(frameon=False, fontsize=8)
    _save(figure, path)


def _curve(axes: Axes, measured: Measured, label: str, style: str, color: str) -> None:
    days = range(WATCHED)
    share = [100 * sum(delay <= day for delay in measured.delays) / max(1, measured.missed.of) for day in days]
    axes.plot(days, share, style, label=label, color=color)


def _save(figure: mpl.figure.Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
