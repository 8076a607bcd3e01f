"""Reading the first topic: what is refused, and why; what is cleaned and kept."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lithify.events import Turn
from pipelines.failures import Cause, Poison
from pipelines.identity import subject_key
from pipelines.inbound import receive
from pipelines.settings import load_settings
from tests.unit.pipelines.test_settings import GOOD

SETTINGS = load_settings(GOOD)
NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
EVENT: dict[str, Any] = {
    "type": "turn",
    "id": "t1",
    "user_id": "ana",
    "session_id": "s1",
    "role": "user",
    "content": "hello",
    "occurred_at": "2026-03-04T11:00:00+08:00",
}


def message(**changes: Any) -> bytes:
    return json.dumps({key: value for key, value in {**EVENT, **changes}.items() if value != "-"}).encode()


def refusal(value: bytes | None) -> Poison:
    with pytest.raises(Poison) as caught:
        receive(value, SETTINGS, NOW)
    return caught.value


@pytest.mark.parametrize("value", [None, b"", b"{", b"\xff\xfe", b"not json", b'{"type": "turn"'])
def test_what_is_not_json(value: bytes | None) -> None:
    assert refusal(value).cause is Cause.NOT_JSON


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"session_id": "-"}, "missing required field `session_id`"),
        ({"role": "boss"}, "Invalid enum value 'boss' - at `$.role`"),
        ({"content": 7}, "at `$.content`"),
        ({"type": "tern"}, "Invalid value 'tern' - at `$.type`"),
        ({"occurred_at": "yesterday"}, "at `$.occurred_at`"),
        ({"id": ""}, "at `$.id`"),
        ({"tenant": "a/b"}, "at `$.tenant`"),
        ({"v": 0}, "at `$.v`"),
    ],
)
def test_a_fault_names_its_field(changes: dict[str, Any], detail: str) -> None:
    poison = refusal(message(**changes))
    assert poison.cause is Cause.INVALID_EVENT
    assert detail in poison.detail


def test_c48_a_naive_time_is_refused_and_equal_instants_are_equal() -> None:
    assert "timezone" in refusal(message(occurred_at="2026-03-08T02:30:00")).detail
    b = receive(message(occurred_at="2026-03-04T16:00+09:00"), SETTINGS, NOW)
    c = receive(message(occurred_at="2026-03-04T07:00Z"), SETTINGS, NOW)
    assert b.occurred_at == c.occurred_at


@pytest.mark.parametrize("changes", [{"v": 2}, {"v": 9, "role": "seer", "content": "-"}])
def test_a_newer_version_is_kept_for_the_upgrade(changes: dict[str, Any]) -> None:
    assert refusal(message(**changes)).cause is Cause.VERSION_UNKNOWN


@pytest.mark.parametrize(
    ("old", "new", "detail"),
    [
        (b'"ana"', rb'"a\u0000b"', "user_id: id_nul"),
        (b'"ana"', rb'"a\ud800b"', "user_id: id_surrogate"),
        (b'"ana"', b'"a\xffb"', "user_id: id_surrogate"),
        (b'"t1"', rb'"t\u00001"', "id: id_nul"),
    ],
)
def test_c62_an_id_is_never_mended(old: bytes, new: bytes, detail: str) -> None:
    poison = refusal(message().replace(old, new))
    assert (poison.cause, poison.detail) == (Cause.INVALID_ID, detail)


def test_c63_a_lone_surrogate_costs_a_character_not_the_turn() -> None:
    raw = message().replace(b'"hello"', rb'"hi \ud800 there"')
    event = receive(raw, SETTINGS, NOW).event
    assert isinstance(event, Turn)
    assert event.text() == "hi \ufffd there"


def test_stray_bytes_in_a_text_are_replaced() -> None:
    event = receive(message().replace(b"hello", b"h\xffi"), SETTINGS, NOW).event
    assert isinstance(event, Turn)
    assert event.text() == "h\ufffdi"


def test_event_time_may_not_run_ahead_of_receipt() -> None:
    received = receive(message(occurred_at="2031-01-01T00:00:00Z"), SETTINGS, NOW)
    assert received.occurred_at == datetime(2026, 3, 4, 12, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ([], ""),
        ([{"type": "image"}], ""),
        ([{"type": "text", "text": "a"}, {"type": "image"}, "b"], "a\nb"),
        ([{"text": 5}, {"text": None}], ""),
    ],
)
def test_c69_content_in_parts(content: Any, text: str) -> None:
    event = receive(message(content=content), SETTINGS, NOW).event
    assert isinstance(event, Turn)
    assert event.text() == text


def test_the_digest_tells_a_redelivery_from_a_reused_id() -> None:
    first = receive(message(), SETTINGS, NOW)
    again = receive(message(), SETTINGS, datetime(2027, 1, 1, tzinfo=UTC))
    other = receive(message(content="bye"), SETTINGS, NOW)
    assert first.digest == again.digest
    assert first.digest != other.digest


IDS = [
    "0b7d9c1e-8f59-4f0e-a6cf-90f7a1e6a8a1",
    "a-b",
    "main",
    "o'neil+x@example.test",
    "用户一",
    "😀",
    "../x",
    "x" * 300,
    "A",
    "a",
    "\u00e9",
    "e\u0301",
]


def test_c82_ids_round_trip_and_never_collide() -> None:
    received = [receive(message(user_id=user), SETTINGS, NOW) for user in IDS]
    assert [item.event.user_id for item in received] == IDS
    assert len({item.subject_key for item in received}) == len(set(IDS)) == len(IDS)


@given(st.text(min_size=1), st.text(min_size=1))
def test_two_users_never_share_a_subject_key(one: str, other: str) -> None:
    secret = SETTINGS.pseudonym_key
    keys = {subject_key(secret, "t", user.encode("utf-8", "replace").decode()) for user in (one, other)}
    assert len(keys) == len({user.encode("utf-8", "replace") for user in (one, other)})


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_but_poison(value: bytes) -> None:
    try:
        receive(value, SETTINGS, NOW)
    except Poison:
        return
