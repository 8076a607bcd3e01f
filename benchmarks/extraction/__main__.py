"""`python -m benchmarks.extraction`: measures the rules, or a model, on the labelled turns."""

import argparse
import os

from benchmarks.extraction.candidates import rules
from benchmarks.extraction.endpoint import EndpointExtractor
from benchmarks.extraction.labels import DEVELOPMENT, HELD_OUT, load
from benchmarks.extraction.measure import Report, measure
from benchmarks.extraction.report import mistakes, scores, summary, write_page
from pipelines.language.catalog import Vocabulary, load_vocabulary
from pipelines.language.llm.client import ModelClient

_SETS = {"development": DEVELOPMENT, "held out": HELD_OUT}


def main() -> None:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    parser.add_argument("--mistakes", action="store_true", help="print every mistake on the development set")
    parser.add_argument("--model", metavar="URL", help="measure a model at this endpoint instead; writes no page")
    parser.add_argument("--name", default="model", help="the model's name there")
    parser.add_argument("--mode", choices=["model", "hybrid"], default="model")
    parser.add_argument("--structure", choices=["json_schema", "json_object", "none"], default="json_schema")
    parser.add_argument("--limit", type=int, help="measure only so many turns of each set, evenly spread")
    options = parser.parse_args()
    vocabulary = load_vocabulary()
    if options.model:
        _measure_endpoint(options, vocabulary)
        return
    extractor = rules(vocabulary)
    reports: dict[str, Report] = {}
    for name, source in _SETS.items():
        reports[name] = measure(extractor, load(source), vocabulary)
        print(f"{summary(name, reports[name])}\n\n{scores(reports[name])}\n")
    if options.mistakes:
        print(mistakes(reports["development"]))
    write_page(reports)


def _measure_endpoint(options: argparse.Namespace, vocabulary: Vocabulary) -> None:
    """Print what a model scores; its key is in OPENAI_API_KEY."""
    client = ModelClient(
        options.model,
        options.name,
        os.environ.get("OPENAI_API_KEY"),
        structure=options.structure,
        timeout=300,
        reply_tokens=2000,
    )
    with EndpointExtractor(client, vocabulary, rules(vocabulary), options.mode) as extractor:
        for name, source in _SETS.items():
            rows = list(load(source))
            step = max(1, len(rows) // options.limit) if options.limit else 1
            report = measure(extractor, rows[::step][: options.limit], vocabulary)
            print(f"{summary(name, report)}\n\n{scores(report)}\n")
            if options.mistakes and name == "development":
                print(mistakes(report))
        print(f"{extractor.calls} calls, failed: {dict(extractor.failures) or 'none'}")


if __name__ == "__main__":
    main()
