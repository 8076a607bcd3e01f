"""Publishing straight to Kafka: for agents that are near the broker, and go on while the gateway is down."""

from collections.abc import Callable, Mapping, Sequence

from confluent_kafka import KafkaException, Message, Producer
from confluent_kafka.cimpl import KafkaError

from lithify.client.errors import Invalid, LithifyError, Unavailable
from lithify.events import Inbound, encode, user_key

TOPIC = "lithify-turns"
PARTITIONER = "murmur2_random"
"""Agrees with every other producer of the topic; librdkafka's own default does not."""
Report = Callable[[KafkaError | None, "Message[bytes, bytes]"], None]
_TOO_LARGE = (KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_MSG_SIZE)


class KafkaPublisher:
    """Publishes events, and says of each whether the broker has it. Give it to a client, or use it alone.

    Args:
        bootstrap: bootstrap servers, "host:port,host:port".
        topic: the topic for turns.
        timeout: seconds until an event without an acknowledgement counts as failed.
        config: more librdkafka settings (security.protocol, sasl.*, ...).
    """

    def __init__(
        self,
        bootstrap: str,
        *,
        topic: str = TOPIC,
        timeout: float = 10.0,
        config: Mapping[str, str | int | bool | float] | None = None,
    ) -> None:
        self._topic = topic
        self._timeout = timeout
        self._producer = Producer(
            {
                "client.id": "lithify-client",
                "enable.idempotence": True,
                "message.max.bytes": 2_000_000,
                "message.timeout.ms": int(timeout * 1000),
                "linger.ms": 1,
                "log_level": 3,
                "error_cb": _ignored,
                **(config or {}),
                "bootstrap.servers": bootstrap,
                "partitioner": PARTITIONER,
            }
        )

    def publish(self, events: Sequence[Inbound]) -> None:
        """Return once the broker has every event.

        Raises:
            Invalid: an event is larger than the topic takes.
            Unavailable: the broker did not acknowledge in time; safe to repeat with the same ids.
        """
        reports: list[KafkaError | None] = []

        def report(error: KafkaError | None, _: "Message[bytes, bytes]") -> None:
            reports.append(error)

        for event in events:
            self._produce(event, report)
        self._producer.flush(self._timeout + 1.0)
        if len(reports) < len(events):
            raise Unavailable(f"the broker did not acknowledge {len(events) - len(reports)} of {len(events)} events")
        for error in reports:
            if error is not None:
                raise _failure(error)

    def close(self) -> None:
        """Wait for what is still under way. Raises Unavailable if some of it was never acknowledged."""
        left = self._producer.flush(self._timeout + 1.0)
        if left:
            raise Unavailable(f"the broker did not acknowledge {left} events")

    def _produce(self, event: Inbound, report: Report) -> None:
        try:
            self._producer.produce(
                self._topic, encode(event), user_key(event.tenant, event.user_id), on_delivery=report
            )
        except KafkaException as error:
            raise _failure(error.args[0]) from None
        except BufferError:
            raise Unavailable("too many events wait for the broker") from None


def _failure(error: KafkaError) -> LithifyError:
    if error.code() in _TOO_LARGE:
        return Invalid("the event is larger than the topic takes", code="too_large")
    return Unavailable(f"the broker did not acknowledge: {error.str()}")


def _ignored(_: KafkaError) -> None:
    """Connection trouble shows in the delivery reports; librdkafka would print it."""
