"""The extractors that can be measured: anything that satisfies `pipelines.language.model.Extractor`."""

from pipelines.language.catalog import Vocabulary
from pipelines.language.model import Extractor
from pipelines.language.rules import RuleExtractor


def rules(vocabulary: Vocabulary) -> Extractor:
    """The rule extractor of this checkout."""
    return RuleExtractor.default(vocabulary)
