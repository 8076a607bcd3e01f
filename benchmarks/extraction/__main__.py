"""`python -m benchmarks.extraction`: measures the rules, or a model, on the labelled turns."""

import argparse
import os
from collections.abc import Sequence

from benchmarks.extraction.endpoint import EndpointExtractor
from benchmarks.extraction.labels import DEVELOPMENT, HELD_OUT, Labelled, load
from benchmarks.extraction.measure import Report, measure
from benchmarks.extraction.report import mistakes, scores, summary, write_page
from pipelines.language.catalog import Vocabulary, load_vocabulary
from pipelines.language.llm.client import ModelClient
from pipelines.language.model import Extractor
from pipelines.language.rules import RuleExtractor

_SETS = {"development": DEVELOPMENT, "held out": HELD_OUT}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; for the rules on all turns, write the page."""
    options = _parser().parse_args(arguments)
    vocabulary = load_vocabulary()
    rules = RuleExtractor.default(vocabulary)
    if options.endpoint is not None:
        with EndpointExtractor(_client(options), vocabulary, rules, options.mode) as model:
            _measure(model, vocabulary, options)
            print(f"{model.calls} calls, failed: {dict(model.failures) or 'none'}")
        return
    reports = _measure(rules, vocabulary, options)
    if options.turns is None:
        write_page(reports)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    parser.add_argument("--mistakes", action="store_true", help="print every mistake on the development set")
    parser.add_argument("--turns", type=int, help="measure only so many turns of each set, evenly spread")
    parser.add_argument("--endpoint", metavar="URL", help="measure a model there, OpenAI-compatible; writes no page")
    parser.add_argument("--model", help="the model's name there; its key is read from OPENAI_API_KEY")
    parser.add_argument("--mode", choices=["model", "hybrid"], default="model")
    parser.add_argument("--structure", choices=["json_schema", "json_object", "none"], default="json_schema")
    return parser


def _client(options: argparse.Namespace) -> ModelClient:
    if options.model is None:
        raise SystemExit("--endpoint needs --model")
    key = os.environ.get("OPENAI_API_KEY")
    structure = options.structure
    return ModelClient(options.endpoint, options.model, key, structure=structure, timeout=300, reply_tokens=2000)


def _measure(extractor: Extractor, vocabulary: Vocabulary, options: argparse.Namespace) -> dict[str, Report]:
    reports = {}
    for name, source in _SETS.items():
        reports[name] = measure(extractor, _sample(load(source), options.turns), vocabulary)
        print(f"{summary(name, reports[name])}\n\n{scores(reports[name])}\n")
    if options.mistakes:
        print(mistakes(reports["development"]))
    return reports


def _sample(turns: Sequence[Labelled], size: int | None) -> Sequence[Labelled]:
    if size is None:
        return turns
    return turns[:: max(1, len(turns) // size)][:size]


if __name__ == "__main__":
    main()
