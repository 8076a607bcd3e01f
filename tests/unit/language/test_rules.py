"""What holds of every extraction, and the parts that the labelled sentences do not show."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.domain.claims import Basis, Claim, Cue, Kind, Scope
from pipelines.language.clauses import sentences
from pipelines.language.model import RejectCode, Role, TurnText
from pipelines.language.rules import LIMIT, MOST, RuleExtractor
from tests.unit.language.test_sentences import ROWS

AT = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
EXTRACTOR = RuleExtractor.default()
TEXTS = [row["text"] for row in ROWS]


def turn(content: str, **changed: Any) -> TurnText:
    return replace(TurnText("t", "s", content, AT), **changed)


def claims(content: str, **changed: Any) -> tuple[Claim, ...]:
    return EXTRACTOR.extract(turn(content, **changed)).claims


def one(content: str, **changed: Any) -> Claim:
    (claim,) = claims(content, **changed)
    return claim


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.SYSTEM, Role.TOOL])
def test_c28_c29_c32_only_users_make_claims(role: Role) -> None:
    assert EXTRACTOR.extract(turn("I am vegetarian and I live in Paris.", role=role)).claims == ()


def test_c27_the_assistants_words_are_context_only() -> None:
    before = turn("You implemented a heap. You live in Paris.", role=Role.ASSISTANT)
    assert EXTRACTOR.extract(turn("thanks, now explain it"), before).claims == ()


def test_c20_a_wish_for_this_time_is_temporary() -> None:
    once = claims("这次直接给我三个报价,别再问预算")
    assert {claim.cue for claim in once} == {Cue.TEMPORARY}
    assert one("以后都先给报价再问预算").cue is Cue.PERMANENT


def test_c05_the_next_session_is_a_scope() -> None:
    claim = one("Next session, begin with the migration checklist.")
    assert (claim.scope, claim.basis) == (Scope.NEXT_SESSION, Basis.INSTRUCTION)


def test_c07_the_span_quotes_the_order() -> None:
    content = "Thanks. From now on always answer in bullet points."
    claim = one(content)
    assert content[slice(*claim.span)] == "always answer in bullet points"


def test_c18_a_withdrawal_names_its_topics() -> None:
    claim = claims("咖啡戒了,以前关于咖啡的喜好都不算数")[1]
    assert (claim.kind, claim.attribute, set(claim.topics)) == (Kind.WITHDRAWAL, "*", {"coffee", "咖啡"})


@pytest.mark.parametrize("content", ["I'm back home", "出差回来了"])
def test_a_return_enters_every_slot(content: str) -> None:
    assert one(content).kind is Kind.RETURN


def test_c15_equal_limits_are_equal_values_with_their_rounding() -> None:
    first, second = one("Our upload limit is 2.5 GB."), one("Upload limit: 2500 MB.")
    assert first.value == second.value
    assert first.quantity is not None
    assert second.quantity is not None
    assert (first.quantity.rounding, second.quantity.rounding) == (5e7, 5e5)


def test_c10_intervals() -> None:
    past = one("Noa was on Payments Jan–Mar.")
    assert (past.valid_from, past.valid_to) == (
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2026, 4, 1, tzinfo=UTC),
    )
    assert one("Noa is on Payments again since July.").valid_from == datetime(2025, 7, 1, tzinfo=UTC)


def test_was_without_an_interval_is_past() -> None:
    found = EXTRACTOR.extract(turn("Noa was on Payments."))
    assert [reject.code for reject in found.rejects] == [RejectCode.PAST]
    assert found.claims == ()


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("Order me the beef noodles, please.", {"beef noodles", "meat"}),
        ("Order me the roast duck.", {"roast duck", "meat"}),
        ("Order me a beef burger.", {"burger", "meat"}),
        ("Order me a big burger.", {"burger", "meat"}),
        ("Order me a veggie burger.", {"burger"}),
        ("Order a bean burger please", {"burger"}),
        ("Order me a vegan sausage.", {"sausage"}),
    ],
)
def test_a_dish_keeps_its_name_and_is_meat_only_where_no_other_word_says_what_it_is(
    content: str, values: set[str]
) -> None:
    assert {claim.value for claim in claims(content)} == values


def test_tonight_ends_at_four_in_the_users_zone() -> None:
    claim = claims("今晚订一家烤鸭店", timezone="+08:00")[0]
    assert claim.valid_to == datetime(2026, 3, 4, 20, 0, tzinfo=UTC)


def test_trips_with_and_without_an_end() -> None:
    assert one("This trip I eat meat.").scope is Scope.TRIP
    assert one("这次出差我吃肉，到周日", timezone="+08:00").valid_to == datetime(2026, 3, 8, 16, 0, tzinfo=UTC)


def test_a_cue_of_a_neighbour_never_weakens_a_danger() -> None:
    danger = claims("今晚吃牛排，花粉过敏")[-1]
    assert (danger.attribute, danger.cue, danger.valid_to) == ("allergy", Cue.NONE, None)


def test_c24_third_parties_with_their_relation() -> None:
    claim = one("My flatmate Jun can't bear sailing, yet his aunt booked him a course.")
    assert (claim.subject, claim.relation) == ("jun", "flatmate")


def test_a_named_speaker_is_the_subject() -> None:
    assert one("I love sushi.", speaker="Nate").subject == "nate"


def test_c23_a_dotted_name_and_a_url_stay_whole() -> None:
    content = "We run Foo 7.5, see https://docs.example.test/a.b?x=(1), and must **not** move the vault. Thanks!"
    assert [content[item.start : item.end] for item in sentences(content)] == [content[:-9], "Thanks"]


def test_c65_braces_are_only_text() -> None:
    assert one('```python d = {"a": {0}} ``` {user_id}. I am vegetarian.').value == "vegetarian"


def test_confirmations_show_the_words_of_the_question() -> None:
    before = turn("Do you live in Utrecht?", role=Role.ASSISTANT)
    (claim,) = EXTRACTOR.extract(turn("yes"), before).claims
    assert (claim.text, claim.span, claim.basis) == ("Utrecht", (0, 3), Basis.CONFIRMATION)


def test_c31_a_question_inside_recalled_memory_is_no_question() -> None:
    before = turn("Hi! <lithify-memory>Are you vegan?</lithify-memory>", role=Role.ASSISTANT)
    assert EXTRACTOR.extract(turn("yes"), before).claims == ()


def test_long_turns_are_read_up_to_the_limit() -> None:
    found = EXTRACTOR.extract(turn("x" * LIMIT + " I am vegetarian."))
    assert found.claims == ()
    assert [reject.code for reject in found.rejects] == [RejectCode.TOO_LONG]


def test_c67_so_much_in_one_turn_is_cut_off() -> None:
    found = EXTRACTOR.extract(turn("I love tea and I hate rain and " * 300))
    assert len(found.claims) <= MOST
    assert RejectCode.TOO_LONG in {reject.code for reject in found.rejects}


def test_ids_are_stable_and_distinct() -> None:
    first, again = claims(TEXTS[0]), claims(TEXTS[0])
    assert [claim.id for claim in first] == [claim.id for claim in again]
    assert claims(TEXTS[0], turn_id="other")[0].id != first[0].id


def check(content: str) -> None:
    """Every claim stands in the turn, with the words of its value."""
    found = EXTRACTOR.extract(turn(content))
    assert [claim.ordinal for claim in found.claims] == list(range(len(found.claims)))
    for claim in found.claims:
        start, end = claim.span
        assert 0 <= start < end <= len(content)
        assert claim.text
        assert claim.text in content[start:end]
        assert claim.value
    for reject in found.rejects:
        assert 0 <= reject.span[0] <= reject.span[1] <= len(content)


@pytest.mark.parametrize("content", TEXTS)
def test_c33_spans_hold_the_words_of_the_value(content: str) -> None:
    check(content)


@given(st.lists(st.sampled_from(TEXTS), max_size=4).map(" ".join))
def test_c33_spans_hold_in_any_mixture(content: str) -> None:
    check(content)


@given(st.text(alphabet=st.characters(), max_size=200))
def test_c63_any_unicode_is_read_without_a_fault(content: str) -> None:
    check(content)


@given(content=st.sampled_from(TEXTS), noise=st.text(alphabet=st.characters(), max_size=5), at=st.integers(0, 60))
def test_noise_inside_sentences_is_read_without_a_fault(content: str, noise: str, at: int) -> None:
    check(content[:at] + noise + content[at:])


@given(st.lists(st.sampled_from([word for text in TEXTS for word in text.split()]), max_size=30).map(" ".join))
def test_any_order_of_known_words_is_read_without_a_fault(content: str) -> None:
    check(content)
