"""What the tests of understanding share."""

import pytest

from pipelines.language.rules import RuleExtractor


@pytest.fixture(scope="session")
def extractor() -> RuleExtractor:
    """The rule extractor of this checkout; it keeps no state."""
    return RuleExtractor.default()
