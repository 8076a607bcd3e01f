"""Envelopes: what is sealed is opened again, and what cannot be read is Poison with its reason."""

from datetime import UTC, datetime

import msgspec
import pytest

from lithify.events import SessionClosed
from pipelines.envelope import Origin, PlainCodec, derived_id, open_event, seal
from pipelines.failures import Cause, Poison

AT = datetime(2026, 3, 4, tzinfo=UTC)
ORIGIN = Origin("default", "k", AT, AT, epoch=2, trace_id="trace")
BODY = SessionClosed(session_id="s1", ended_at=AT)


class Reversing:
    """A codec that shows that only the body goes through it."""

    name = "reversed"

    def wrap(self, subject_key: str, body: bytes) -> bytes:
        return msgspec.json.encode(subject_key + body.decode()[::-1])

    def unwrap(self, subject_key: str, body: bytes) -> bytes:
        text: str = msgspec.json.decode(body, type=str)
        return text.removeprefix(subject_key)[::-1].encode()


@pytest.mark.parametrize("codec", [PlainCodec(), Reversing()])
def test_round_trip(codec: PlainCodec) -> None:
    event = open_event(seal(ORIGIN, "e1", BODY, codec), codec)
    assert event.body == BODY
    assert event.origin == ORIGIN
    assert event.envelope.id == "e1"


def test_only_the_body_is_encoded() -> None:
    sealed = msgspec.json.decode(seal(ORIGIN, "e1", BODY, Reversing()))
    assert sealed["subject_key"] == "k"
    assert sealed["codec"] == "reversed"
    assert "s1" not in sealed["body"]


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"v": 2}, Cause.VERSION_UNKNOWN),
        ({"type": "turn_dreamt"}, Cause.INVALID_EVENT),
        ({"codec": "reversed"}, Cause.INVALID_EVENT),
        ({"body": {}}, Cause.INVALID_EVENT),
        ({"received_at": "2026-03-04T00:00:00"}, Cause.INVALID_EVENT),
    ],
)
def test_what_cannot_be_read(changes: dict[str, object], cause: Cause) -> None:
    data = msgspec.json.decode(seal(ORIGIN, "e1", BODY, PlainCodec())) | changes
    with pytest.raises(Poison) as caught:
        open_event(msgspec.json.encode(data), PlainCodec())
    assert caught.value.cause is cause


def test_derived_ids_depend_on_all_parts() -> None:
    ids = {
        derived_id("t1", "extracted"),
        derived_id("t1", "extracted", 1),
        derived_id("t1", "decided"),
        derived_id("t2", "decided"),
    }
    assert len(ids) == 4
    assert derived_id("t1", "decided") in ids
