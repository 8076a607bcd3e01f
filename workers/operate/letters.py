"""The dead letters as operators see them: what could not be processed, and what was done about it.

What was done is written beside the letter, on the same topic: it lives as long as the letter, and needs no database.
"""

import getpass
import socket
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from lithify.events import DeadLetter, DeadLetterClosed
from pipelines.envelope import Codec, Event, Origin, open_event, seal
from pipelines.failures import Poison
from pipelines.settings import Settings
from pipelines.store.unit_of_work import NO_SUBJECT
from pipelines.topics import Topic, topic_name
from workers.operate.console import Bar, UsageError
from workers.operate.log import Publisher, partitions_of, read, reader
from workers.operate.originals import Originals

State = Literal["open", "replayed", "dropped"]
Action = Literal["replayed", "dropped"]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where the event stood that could not be processed: it names the letter."""

    topic: str
    partition: int
    offset: int

    @classmethod
    def parse(cls, text: str) -> "Place":
        """From "topic/partition/offset". Raises UsageError."""
        try:
            topic, partition, offset = text.rsplit("/", 2)
            return cls(topic, int(partition), int(offset))
        except ValueError:
            raise UsageError(f"{text!r}: expected TOPIC/PARTITION/OFFSET, as `dlq list` prints it") from None

    def __str__(self) -> str:
        return f"{self.topic}/{self.partition}/{self.offset}"


@dataclass(frozen=True, slots=True)
class Letter:
    """One dead letter and what became of it."""

    place: Place
    body: DeadLetter
    died_at: datetime
    closed: DeadLetterClosed | None
    closed_at: datetime | None

    @property
    def state(self) -> State:
        """Open until somebody replays or drops it."""
        return "open" if self.closed is None else self.closed.action


@dataclass(frozen=True, slots=True)
class Mailbox:
    """Everything on the topic."""

    letters: tuple[Letter, ...]
    """Oldest first; of several about one place, the last."""
    unreadable: int
    """Messages that are no dead letter of this release."""


def load_letters(settings: Settings, codec: Codec, bar: Bar) -> Mailbox:
    """Read the topic to its end. Raises KafkaException, UnavailableError."""
    topic = topic_name(settings, Topic.DEAD_LETTERS)
    died: dict[Place, Event[DeadLetter]] = {}
    closed: dict[tuple[Place, datetime], Event[DeadLetterClosed]] = {}
    unreadable = 0
    with reader(settings) as consumer:
        for page in read(consumer, topic, dict.fromkeys(partitions_of(consumer, topic), 0)):
            for message in page:
                unreadable += not _take(message.value(), codec, died, closed)
            bar.advance(len(page))
    letters = [_letter(place, event, closed.get((place, event.envelope.received_at))) for place, event in died.items()]
    return Mailbox(tuple(sorted(letters, key=lambda item: (item.died_at, item.place))), unreadable)


def _take(
    value: bytes | None,
    codec: Codec,
    died: dict[Place, Event[DeadLetter]],
    closed: dict[tuple[Place, datetime], Event[DeadLetterClosed]],
) -> bool:
    try:
        event = open_event(value or b"", codec)
    except Poison:
        return False
    body = event.body
    if isinstance(body, DeadLetter):
        place = Place(body.topic, body.partition, body.offset)
        if place not in died or died[place].envelope.received_at <= event.envelope.received_at:
            died[place] = Event(event.envelope, body)
        return True
    if isinstance(body, DeadLetterClosed):
        closed[Place(body.topic, body.partition, body.offset), body.letter_at] = Event(event.envelope, body)
        return True
    return False


def _letter(place: Place, event: Event[DeadLetter], mark: Event[DeadLetterClosed] | None) -> Letter:
    return Letter(
        place,
        event.body,
        event.envelope.received_at,
        None if mark is None else mark.body,
        None if mark is None else mark.envelope.received_at,
    )


class Clerk:
    """Replays and drops letters, and writes down that it did."""

    def __init__(self, settings: Settings, codec: Codec, originals: Originals, by: str) -> None:
        self._settings = settings
        self._codec = codec
        self._originals = originals
        self._by = by
        self._publisher = Publisher(settings)

    def replay(self, letter: Letter) -> None:
        """Publish the event again, as it was, to the topic it came from: with the same ids, so it acts once.

        Raises:
            UnreadableError: the letter cannot be opened.
            KafkaException: the broker does not have it; the letter stays open.
        """
        original = self._originals.open(letter.body)
        self._publisher.publish(letter.body.topic, original.key, original.value)
        self._close(letter, "replayed", "")

    def drop(self, letter: Letter, reason: str) -> None:
        """Write down that nothing more will be done about it. Raises KafkaException."""
        self._close(letter, "dropped", reason)

    def _close(self, letter: Letter, action: Action, reason: str) -> None:
        place = letter.place
        body = DeadLetterClosed(
            topic=place.topic,
            partition=place.partition,
            offset=place.offset,
            letter_at=letter.died_at,
            action=action,
            by=self._by,
            reason=reason,
        )
        now = datetime.now(UTC)
        value = seal(Origin("-", NO_SUBJECT, now, now), str(uuid.uuid4()), body, self._codec)
        self._publisher.publish(topic_name(self._settings, Topic.DEAD_LETTERS), str(place).encode(), value)


def who() -> str:
    """The user and the machine that a command runs as."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a container may run as a user that has no name
        user = "unknown"
    return f"{user}@{socket.gethostname()}"


def pick(letters: Iterable[Letter], places: Iterable[Place]) -> list[Letter]:
    """Letters by their places. Raises UsageError if one is not there."""
    by_place = {letter.place: letter for letter in letters}
    wanted = list(dict.fromkeys(places))
    if missing := [str(place) for place in wanted if place not in by_place]:
        raise UsageError(f"no dead letter {', '.join(missing)}; `dlq list --state all` names those there are")
    return [by_place[place] for place in wanted]
