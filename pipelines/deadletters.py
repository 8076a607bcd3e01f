"""Dead letters: what could not be processed, with its cause, its stack and its original bytes, encrypted."""

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from cryptography.fernet import Fernet

from lithify.events import DeadLetter
from pipelines.daykeys import DayKey, DayKeys
from pipelines.deadlettercap import DeadLetterCap
from pipelines.effects import Effects, Row
from pipelines.envelope import Codec, Origin, derived_id, seal
from pipelines.failures import Cause, Poison
from pipelines.language.redaction import PatternRedactor
from pipelines.runtime.worker import Record
from pipelines.settings import Settings
from pipelines.store.unit_of_work import NO_SUBJECT, Receipt, UnitOfWork
from pipelines.topics import Topic

_redactor = PatternRedactor()
"""A detail may quote what it is about."""
_STACK_CHARACTERS = 8_000
_LARGEST_ORIGINAL = 2_800_000
"""Encrypted it is larger by a third."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A record that cannot be processed."""

    record: Record
    poison: Poison
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Original:
    """What a dead letter keeps, in clear."""

    key: bytes | None
    value: bytes
    stack: str | None


class DeadLetters:
    """Builds a worker's dead letters, up to its cap."""

    def __init__(self, settings: Settings, worker: str, codec: Codec) -> None:
        self._keys = DayKeys(settings.dead_letter_key)
        self._cap = DeadLetterCap(settings)
        self._worker = worker
        self._codec = codec

    def admit(self, refused: Sequence[Refused]) -> None:
        """Ask whether these may become dead letters, before any of them does. Raises TooManyDeadLetters."""
        self._cap.admit(refused)

    def committed(self, refused: Sequence[Refused]) -> None:
        """These are dead letters now."""
        self._cap.died(refused)

    def processed(self, count: int) -> None:
        """So many events are done with, whatever became of them."""
        self._cap.processed(count)

    async def add(self, unit: UnitOfWork, effects: Effects, refused: Sequence[Refused]) -> None:
        """Add dead letters to the effects. They carry no clear text: the bytes may hold anything.

        Raises:
            TooManyDeadLetters: the worker, not the events, seems to be at fault; nothing may be committed.
        """
        if not refused:
            return
        self.admit(refused)
        key, now = await self._keys.today(unit), datetime.now(UTC)
        for one in refused:
            self._add(effects, one, key, now)

    def _add(self, effects: Effects, refused: Refused, key: DayKey, now: datetime) -> None:
        record, poison = refused.record, refused.poison
        place = f"{record.topic}/{record.partition}/{record.offset}"
        original, detail = record.value or b"", _redactor.redact(poison.detail).text[:450]
        if len(original) > _LARGEST_ORIGINAL:
            detail += f" (its {len(original)} bytes are on the topic alone)"
            original = b""
        letter = DeadLetter(
            cause=str(poison.cause),
            detail=detail,
            worker=self._worker,
            topic=record.topic,
            partition=record.partition,
            offset=record.offset,
            attempts=refused.attempts,
            original=_encrypt(key.fernet, original),
            key=None if record.key is None else _encrypt(key.fernet, record.key),
            stack=_encrypt(key.fernet, _stack(poison).encode()),
            day=key.day.isoformat(),
        )
        origin = Origin("-", NO_SUBJECT, now, now)
        value = seal(origin, derived_id(place, "dead_letter"), letter, self._codec)
        effects.publish(Topic.DEAD_LETTERS, place, value, NO_SUBJECT)
        if poison.receipt is not None and poison.cause is not Cause.ID_REUSED:
            effects.write("delivery.mark_dead", _dead_row(poison.receipt, poison.cause, detail, self._worker))


def decrypt(letter: DeadLetter, fernet: Fernet) -> Original:
    """What a dead letter keeps, under the key of its day. Raises cryptography.fernet.InvalidToken."""
    return Original(
        None if letter.key is None else fernet.decrypt(letter.key),
        fernet.decrypt(letter.original),
        None if letter.stack is None else fernet.decrypt(letter.stack).decode(),
    )


def _encrypt(fernet: Fernet, value: bytes) -> str:
    return fernet.encrypt(value).decode("ascii")


def _stack(poison: Poison) -> str:
    """The end of the traceback, with what caused it."""
    return "".join(traceback.format_exception(poison)).encode("utf-8", "replace").decode()[-_STACK_CHARACTERS:]


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
