"""Dead letters: what could not be processed, with its cause and its original bytes, encrypted."""

from datetime import datetime

from cryptography.fernet import Fernet

from lithify.events import DeadLetter
from pipelines.effects import Effects, Row
from pipelines.envelope import Codec, Origin, derived_id, seal
from pipelines.failures import Cause, Poison
from pipelines.language.redaction import PatternRedactor
from pipelines.runtime.worker import Record
from pipelines.settings import Settings
from pipelines.store.unit_of_work import NO_SUBJECT, Receipt
from pipelines.topics import Topic

_redactor = PatternRedactor()
"""A detail may quote what it is about."""


class DeadLetters:
    """Builds dead letters under the key of the settings."""

    def __init__(self, settings: Settings, worker: str, codec: Codec) -> None:
        self._fernet = Fernet(settings.dead_letter_key.get_secret_value())
        self._worker = worker
        self._codec = codec

    def add(self, effects: Effects, record: Record, poison: Poison, now: datetime, attempts: int = 1) -> None:
        """Add the dead letter of `record` to the effects. It carries no clear text: the bytes may hold anything."""
        detail = _redactor.redact(poison.detail).text[:500]
        place = f"{record.topic}/{record.partition}/{record.offset}"
        letter = DeadLetter(
            cause=str(poison.cause),
            detail=detail,
            worker=self._worker,
            topic=record.topic,
            partition=record.partition,
            offset=record.offset,
            attempts=attempts,
            original=self._encrypt(record.value or b""),
            key=None if record.key is None else self._encrypt(record.key),
        )
        origin = Origin("-", NO_SUBJECT, now, now)
        value = seal(origin, derived_id(place, "dead_letter"), letter, self._codec)
        effects.publish(Topic.DEAD_LETTERS, place, value, NO_SUBJECT)
        if poison.receipt is not None and poison.cause is not Cause.ID_REUSED:
            effects.write("delivery.mark_dead", _dead_row(poison.receipt, poison.cause, detail, self._worker))

    def _encrypt(self, value: bytes) -> str:
        return self._fernet.encrypt(value).decode("ascii")


def _dead_row(receipt: Receipt, cause: Cause, detail: str, worker: str) -> Row:
    """A reused id is not marked: under that id the first event lives."""
    return {
        "tenant": receipt.tenant,
        "event_id": receipt.event_id,
        "subject_key": receipt.subject_key,
        "worker": worker,
        "cause": cause,
        "detail": detail,
    }


def original_bytes(letter: DeadLetter, key: str) -> bytes:
    """Decrypt the original bytes of a dead letter. Raises cryptography.fernet.InvalidToken under a wrong key."""
    return Fernet(key).decrypt(letter.original)
