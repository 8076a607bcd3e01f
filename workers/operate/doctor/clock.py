"""Whether the broker's clock agrees with this machine's, as far as Kafka tells.

No request asks a broker for the time. What it tells is the time it stamped on records (`LogAppendTime`), and nothing
may be published only to look at that: so what is stamped later than now is found, and a clock that is behind is not.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from confluent_kafka import Consumer
from confluent_kafka.cimpl import TIMESTAMP_LOG_APPEND_TIME

from pipelines.settings import Settings
from pipelines.topics import Topic, topic_name
from workers.operate.doctor.finding import Finding, ok, warn
from workers.operate.log import at_time, read, reader, time_of

MOST_SECONDS = 2.0
"""What clocks may differ by."""
_CHECK = "broker clock"


def check_broker_clock(settings: Settings) -> Finding:
    """Looks for turns of the future. Raises KafkaException, and UnavailableError without the topic."""
    with reader(settings) as consumer:
        ahead = max(_ahead(consumer, topic_name(settings, Topic.TURNS)), default=0.0)
    if ahead <= MOST_SECONDS:
        return ok(_CHECK, "no turn is stamped later than now; whether the clock is behind cannot be seen")
    detail = f"a turn is stamped {ahead:.1f} s later than now, so the broker's clock is ahead by that or more"
    return warn(_CHECK, detail, "run NTP on both machines")


def _ahead(consumer: Consumer, topic: str) -> Iterator[float]:
    """Seconds by which a broker stamped records later than now; what producers stamped is left out."""
    future = at_time(consumer, topic, datetime.now(UTC) + timedelta(seconds=MOST_SECONDS))
    start = {number: offset for number, offset in future.items() if offset >= 0}
    stop = {number: offset + 1 for number, offset in start.items()}
    for message in (message for page in read(consumer, topic, start, stop) for message in page):
        stamp = time_of(message)
        if stamp is not None and message.timestamp()[0] == TIMESTAMP_LOG_APPEND_TIME:
            yield (stamp - datetime.now(UTC)).total_seconds()
