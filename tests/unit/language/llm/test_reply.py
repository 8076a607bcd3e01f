"""Replies: strict first, then among other text, and never from prose."""

import contextlib
import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.language.llm.reply import Fault, ReplyError, parse_reply, reply_schema

GOOD = '{"turns": [{"turn": "t1", "claims": []}]}'


def fault(content: str, reasoning: str = "") -> Fault:
    with pytest.raises(ReplyError) as caught:
        parse_reply(content, reasoning)
    return caught.value.fault


def test_the_plain_reply_is_strict() -> None:
    assert parse_reply(GOOD).strict
    assert parse_reply(f"\n {GOOD}\n").strict


@pytest.mark.parametrize(
    "content",
    [
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}```",
        f"Sure! {GOOD}",
        f"{GOOD} see [docs] {{and}} more",
        f'{{"note": 1}} {GOOD}',
        f"<think>should I say {GOOD.replace('t1', 't9')}?</think>{GOOD}",
        f"<thinking>{{</thinking>\n{GOOD}",
        f"All of {{user_id}} and }} are braces. {GOOD}",
    ],
)
def test_c105_c107_the_reply_is_found_among_other_text(content: str) -> None:
    parsed = parse_reply(content)
    assert not parsed.strict
    assert [entry.turn for entry in parsed.reply.turns] == ["t1"]


def test_c107_the_reasoning_field_counts_only_where_there_is_no_content() -> None:
    assert [entry.turn for entry in parse_reply("", f"I say {GOOD}").reply.turns] == ["t1"]
    assert fault("Nothing to remember.", GOOD) is Fault.NOT_JSON


@pytest.mark.parametrize(
    ("content", "reasoning", "expected"),
    [
        ("", "", Fault.EMPTY),
        (" \n", "the user is vegan", Fault.EMPTY),
        ("<think>on and on", "", Fault.EMPTY),
        ("Done, nothing to store.", "", Fault.NOT_JSON),
        (GOOD[:-3], "", Fault.NOT_JSON),
        ("[" * 100_000, "", Fault.INVALID),
        ('{"turns": "none"}', "", Fault.INVALID),
        ('{"memories": []}', "", Fault.INVALID),
        ('{"turns": [{"turn": "t1", "claims": [{"quote": "x"}]}]}', "", Fault.INVALID),
        ("{}", "", Fault.INVALID),
        ("[]", "", Fault.INVALID),
        ("null", "", Fault.INVALID),
    ],
)
def test_c56_c108_what_is_no_reply_is_a_failure(content: str, reasoning: str, expected: Fault) -> None:
    assert fault(content, reasoning) is expected


CLAIM = {
    "quote": "veggie now",
    "words": "veggie",
    "value": "vegetarian",
    "attribute": "diet",
    "subject": "user",
    "relation": None,
    "polarity": "positive",
    "modality": "asserted",
    "certainty": "stated",
}


def entry(turn: str, *claims: object) -> dict[str, object]:
    return {"turn": turn, "claims": list(claims)}


def test_c110_only_the_turns_that_are_whole_are_taken_from_a_reply_that_was_cut_off() -> None:
    text = json.dumps({"turns": [entry("t1", CLAIM), entry("t2", CLAIM, CLAIM)]})
    for end in range(len(text)):
        found = [] if end < text.index(', {"turn": "t2"') else ["t1"]
        with contextlib.suppress(ReplyError):
            assert [one.turn for one in parse_reply(text[:end]).reply.turns] == found or end > len(text) - 3
        if not found:
            assert fault(text[:end])


def test_c110_turns_without_their_object_are_found() -> None:
    found = parse_reply(json.dumps([entry("t1", CLAIM), entry("t2")]))
    assert [(one.turn, len(one.claims)) for one in found.reply.turns] == [("t1", 1), ("t2", 0)]


@pytest.mark.parametrize("wrong", [{"quote": "x"}, CLAIM | {"modality": "sarcasm"}, CLAIM | {"value": 7}, None, "none"])
def test_c110_a_statement_of_another_form_costs_no_other(wrong: object) -> None:
    found = parse_reply(json.dumps({"turns": [entry("t1", CLAIM, wrong), entry("t2", wrong), entry("t3")]}))
    assert [(one.turn, len(one.claims)) for one in found.reply.turns] == [("t1", 1), ("t3", 0)]
    assert found.malformed == 1


def test_c110_a_relation_that_is_left_out_is_none() -> None:
    claim = {key: value for key, value in CLAIM.items() if key != "relation"}
    [one] = parse_reply(json.dumps({"turns": [entry("t1", claim)]})).reply.turns
    assert one.claims[0].relation is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"\ud83d", "\ufffd"),
        (r"a\u0000b", "ab"),
        (r"\sum \mathbf{x}", r"\sum \mathbf{x}"),
        (r"C:\users", r"C:\users"),
        ("two\nlines", "two\nlines"),
        (r"\\ and \" fine", r'\ and " fine'),
    ],
)
def test_c110_texts_are_read_as_they_were_meant(written: str, meant: str) -> None:
    text = json.dumps({"turns": [entry("t1", CLAIM | {"value": "PLACE"})]}).replace("PLACE", written)
    [one] = parse_reply(text).reply.turns
    assert one.claims[0].value == meant
    json.dumps(one.claims[0].value, ensure_ascii=False).encode()


def test_c110_of_reasoning_only_a_whole_reply_is_taken() -> None:
    assert fault("", json.dumps({"turns": [entry("t1", CLAIM)]})[:-2]) is Fault.EMPTY


@given(st.text(), st.text())
def test_any_text_is_a_reply_or_a_failure(content: str, reasoning: str) -> None:
    with contextlib.suppress(ReplyError):
        parse_reply(content, reasoning)


def test_the_schema_is_one_that_structured_output_takes() -> None:
    schema = reply_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema)

    def objects(node: object) -> list[dict[str, object]]:
        if isinstance(node, list):
            return [found for item in node for found in objects(item)]
        if not isinstance(node, dict):
            return []
        own = [node] if node.get("type") == "object" else []
        return own + [found for item in node.values() for found in objects(item)]

    for item in objects(schema):
        assert item["additionalProperties"] is False
        assert set(item["required"]) == set(item["properties"])  # type: ignore[call-overload]
    jsonschema.validate(json.loads(GOOD), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"turns": [{"turn": 1, "claims": []}]}, schema)
