"""`python -m benchmarks.extraction`: measures the rules, or a model, on the labelled turns."""

import argparse

from benchmarks.extraction.candidates import rules
from benchmarks.extraction.labels import DEVELOPMENT, HELD_OUT, load
from benchmarks.extraction.measure import Report, measure
from benchmarks.extraction.report import mistakes, scores, summary, write_page
from pipelines.language.catalog import load_vocabulary

_SETS = {"development": DEVELOPMENT, "held out": HELD_OUT}


def main() -> None:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    parser.add_argument("--mistakes", action="store_true", help="print every mistake on the development set")
    options = parser.parse_args()
    vocabulary = load_vocabulary()
    extractor = rules(vocabulary)
    reports: dict[str, Report] = {}
    for name, source in _SETS.items():
        reports[name] = measure(extractor, load(source), vocabulary)
        print(f"{summary(name, reports[name])}\n\n{scores(reports[name])}\n")
    if options.mistakes:
        print(mistakes(reports["development"]))
    write_page(reports)


if __name__ == "__main__":
    main()
