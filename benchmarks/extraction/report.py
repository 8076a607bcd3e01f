"""The report of a measurement, printed and as the page `docs/extraction-results.md`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template

from benchmarks.extraction.measure import NEVER, Report, Score

PAGE = Path(__file__).parents[2] / "docs" / "extraction-results.md"
_TEMPLATE = Path(__file__).parent / "results.template.md"
_HEAD = ("", "turns", "expected", "right", "false", "missed", "precision", "recall", "F1")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def scores(report: Report) -> str:
    """Precision, recall and F1: in all, by language and by category."""
    rows = [("all", report.total()), *sorted(report.by_language().items()), *_categories(report.by_category())]
    return table(_HEAD, [_row(name, score) for name, score in rows])


def _categories(found: Mapping[str, Score]) -> list[tuple[str, Score]]:
    return [(name.replace("_", " "), score) for name, score in sorted(found.items())]


def _row(name: str, score: Score) -> list[str]:
    counts = (score.turns, score.right + score.missed, score.right, score.false, score.missed)
    shares = (score.precision, score.recall, score.f1)
    return [name, *(str(count) for count in counts), *(f"{share:.3f}" for share in shares)]


def summary(name: str, report: Report) -> str:
    """One line for one set."""
    total = report.total()
    stamped = total.stamped / total.right if total.right else 1.0
    return (
        f"{name}: {total.turns} turns, precision {total.precision:.3f}, recall {total.recall:.3f}, F1 {total.f1:.3f}, "
        f"{len(report.forbidden())} false facts where none are allowed, basis, cue and dates right in {stamped:.3f}"
    )


def mistakes(report: Report) -> str:
    """Every false and missed claim with its turn, for whoever works on the rules."""
    lines = []
    for finding in report.findings:
        if finding.false or finding.missed:
            lines.append(f"{finding.row.id}: {finding.row.text!r}")
            lines += [
                f"    false  {claim.subject} {claim.attribute} = {claim.value} ({claim.polarity}, {claim.basis})"
                for claim in finding.false
            ]
            lines += [
                f"    missed {'|'.join(label.subject)} {'|'.join(label.attribute)} = {'|'.join(label.value)} "
                f"({label.polarity})"
                for label in finding.missed
            ]
    return "\n".join(lines)


def write_page(reports: Mapping[str, Report], page: Path = PAGE) -> None:
    """Write the results page from its template."""
    lines = "\n".join(f"- {summary(name, report)}" for name, report in reports.items())
    tables = "\n\n".join(f"## {name.capitalize()}\n\n{scores(report)}" for name, report in reports.items())
    never = ", ".join(name.replace("_", " ") for name in NEVER)
    text = Template(_TEMPLATE.read_text("utf-8")).substitute(summary=lines, tables=tables, never=never)
    page.write_text(text, "utf-8")
