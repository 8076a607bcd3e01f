"""`python -m benchmarks.extraction`: measures the rules, or a model, on the labelled turns."""

import argparse
import os
from collections.abc import Sequence

from benchmarks.extraction.candidates import ModelCandidate, rules
from benchmarks.extraction.labels import DEVELOPMENT, HELD_OUT, load
from benchmarks.extraction.measure import Report, measure
from benchmarks.extraction.report import mistakes, scores, summary, write_page
from pipelines.language.catalog import Vocabulary, load_vocabulary
from pipelines.language.model import Extractor

_SETS = {"development": DEVELOPMENT, "held out": HELD_OUT}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; for the rules, write the page."""
    options = _parser().parse_args(arguments)
    vocabulary = load_vocabulary()
    extractor = _candidate(options, vocabulary)
    reports: dict[str, Report] = {}
    for name, source in _SETS.items():
        reports[name] = measure(extractor, load(source)[: options.turns], vocabulary)
        print(f"{summary(name, reports[name])}\n\n{scores(reports[name])}\n")
    if options.mistakes:
        print(mistakes(reports["development"]))
    if isinstance(extractor, ModelCandidate):
        print(f"{extractor.failures} calls without a usable reply")
    elif options.turns is None:
        write_page(reports)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    parser.add_argument("--mistakes", action="store_true", help="print every mistake on the development set")
    parser.add_argument("--endpoint", help="base URL, OpenAI-compatible; measures a model and writes no page")
    parser.add_argument("--model", help="the model's name there; its key is read from OPENAI_API_KEY")
    parser.add_argument("--structure", choices=["json_schema", "json_object", "none"], default="json_schema")
    parser.add_argument("--turns", type=int, help="how many turns of each set; all by default")
    return parser


def _candidate(options: argparse.Namespace, vocabulary: Vocabulary) -> Extractor:
    if options.endpoint is None:
        return rules(vocabulary)
    if options.model is None:
        raise SystemExit("--endpoint needs --model")
    key = os.environ.get("OPENAI_API_KEY")
    return ModelCandidate(vocabulary, options.endpoint, options.model, key, options.structure)


if __name__ == "__main__":
    main()
