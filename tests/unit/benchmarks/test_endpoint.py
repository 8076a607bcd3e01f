"""A model endpoint is measured by the same harness as the rules."""

from datetime import UTC, datetime

import pytest

from benchmarks.extraction.endpoint import EndpointExtractor
from pipelines.language.catalog import load_vocabulary
from pipelines.language.llm.client import ModelClient
from pipelines.language.model import Extraction, TurnText
from pipelines.language.rules import RuleExtractor
from tests.support.stub_openai import Bad, stub_openai

VOCABULARY = load_vocabulary()
TURN = TurnText("t", "s", "After a year of doubts I have ended up basically veggie.", datetime(2026, 3, 1, tzinfo=UTC))


class Silent:
    """Rules that find nothing."""

    def extract(self, turn: TurnText, before: TurnText | None) -> Extraction:  # noqa: ARG002
        """Nothing."""
        return Extraction()


@pytest.mark.parametrize("mode", ["model", "hybrid"])
def test_claims_of_the_endpoint_and_its_failures(mode: str) -> None:
    with stub_openai() as stub:
        client = ModelClient(stub.url, "stub", None, structure="json_schema", timeout=60, reply_tokens=100)
        stub.coming.append(Bad.EMPTY)
        with EndpointExtractor(client, VOCABULARY, Silent(), mode) as extractor:  # type: ignore[arg-type]
            assert extractor.extract(TURN, None).claims == ()
            assert extractor.failures == {"empty": 1}
            [claim] = extractor.extract(TURN, None).claims
        assert claim.value == "vegetarian"
        assert extractor.calls == 2


def test_hybrid_asks_only_what_the_rules_leave() -> None:
    with stub_openai() as stub:
        client = ModelClient(stub.url, "stub", None, structure="none", timeout=60, reply_tokens=100)
        with EndpointExtractor(client, VOCABULARY, RuleExtractor.default(VOCABULARY), "hybrid") as extractor:
            plain = TurnText("t", "s", "I am vegan.", TURN.occurred_at)
            assert [claim.value for claim in extractor.extract(plain, None).claims] == ["vegan"]
    assert stub.asked == []
