"""What workers need of Kafka."""

from collections.abc import Iterator

import psycopg
from aiokafka.partitioner import murmur2
from confluent_kafka import ConsumerGroupState, KafkaException, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, though not in its __all__
    AdminClient,
    ClusterMetadata,
    ConfigResource,
    ResourceType,
)

from pipelines.envelope import Codec
from pipelines.kafka import make_admin
from pipelines.settings import PREFIX, Settings
from pipelines.topics import Topic, group_name, topic_config, topic_name
from workers.operate.console import progress_bar
from workers.operate.doctor.clock import check_broker_clock
from workers.operate.doctor.finding import Finding, Status, failed, judge, ok, warn
from workers.operate.letters import load_letters
from workers.operate.log import partitions_of, read, reader, start_at
from workers.operate.originals import Originals
from workers.operate.position import committed
from workers.operate.replay import SOURCES

_ANSWER_SECONDS = 5.0


def check_broker(settings: Settings, codec: Codec) -> Iterator[Finding]:
    """All of it. Raises KafkaException where the broker cannot be reached."""
    admin = make_admin(settings)
    cluster = admin.list_topics(timeout=_ANSWER_SECONDS)
    yield _brokers(settings, cluster)
    missing = [topic_name(settings, topic) for topic in Topic if topic_name(settings, topic) not in cluster.topics]
    if missing:
        yield failed("topics", f"missing: {', '.join(missing)}", "python -m workers topics apply")
        return
    yield from _topics(settings, cluster)
    yield from _configs(settings, admin)
    yield check_broker_clock(settings)
    yield _partitioner(settings)
    for topic, worker in SOURCES.items():
        yield _group(settings, admin, topic, worker)
    yield from _dead_letters(settings, codec)


def _brokers(settings: Settings, cluster: ClusterMetadata) -> Finding:
    count = len(cluster.brokers)
    detail = f"{count} of cluster {cluster.cluster_id}"
    remedy = f"{PREFIX}REPLICATION = {settings.replication} needs as many brokers"
    return judge("brokers", count >= settings.replication, detail, remedy)


def _topics(settings: Settings, cluster: ClusterMetadata) -> Iterator[Finding]:
    found = []
    for topic in Topic:
        name = topic_name(settings, topic)
        partitions = cluster.topics[name].partitions
        if without := [number for number, part in partitions.items() if part.leader < 0]:
            found.append(failed("topics", f"{name}: partitions {without} have no leader", "is a broker down?"))
        copies = min(len(part.replicas) for part in partitions.values())
        if len(partitions) != settings.partitions:
            detail = f"{name} has {len(partitions)} partitions, the settings say {settings.partitions}"
            found.append(warn("topics", detail, f"set {PREFIX}PARTITIONS to what is there, or add partitions"))
        if copies < settings.replication:
            detail = f"{name} has {copies} replicas, the settings say {settings.replication}"
            found.append(warn("topics", detail, "reassign its replicas"))
    yield from found or [ok("topics", f"all {len(Topic)} are there")]


def _configs(settings: Settings, admin: AdminClient) -> Iterator[Finding]:
    wanted = {topic_name(settings, topic): topic_config(settings, topic) for topic in Topic}
    asked = admin.describe_configs([ConfigResource(ResourceType.TOPIC, name) for name in wanted])
    found = []
    for resource, future in asked.items():
        try:
            entries = future.result(_ANSWER_SECONDS)
        except (KafkaException, TimeoutError):
            yield ok("topic settings", "not checked: this broker does not tell them")
            return
        for key, value in wanted[resource.name].items():
            if key in entries and entries[key].value != value:
                detail = f"{resource.name}: {key} is {entries[key].value}, this release would set {value}"
                found.append(warn("topic settings", detail, f"kafka-configs --alter --add-config {key}={value}"))
    yield from found or [ok("topic settings", "as this release would set them")]


def _partitioner(settings: Settings) -> Finding:
    """Whether the oldest turn of each partition lies where its key says; else the order within a user is lost."""
    name = topic_name(settings, Topic.TURNS)
    with reader(settings) as consumer:
        numbers = partitions_of(consumer, name)
        start = start_at(consumer, name, dict.fromkeys(numbers, 0)).offsets
        pages = read(consumer, name, start, {number: offset + 1 for number, offset in start.items()})
        keyed = [(m.partition(), m.key()) for page in pages for m in page if m.key()]
    astray = [number for number, key in keyed if (murmur2(key) & 0x7FFFFFFF) % len(numbers) != number]
    detail = f"a turn in partition {astray[0]} does not belong there" if astray else f"{len(keyed)} turns looked at"
    remedy = "set partitioner=murmur2_random in every producer that is built on librdkafka"
    return judge("partitioner", not astray, detail, remedy, Status.WARN)


def _group(settings: Settings, admin: AdminClient, topic: Topic, worker: str) -> Finding:
    check = f"group {group_name(settings, worker)}"
    behind, unread = _behind(settings, topic, worker)
    detail = f"{behind} messages behind" if unread is None else f"nothing read yet of {unread} messages"
    members = _members(admin, group_name(settings, worker))
    if members is not None:
        detail = f"{members} members, {detail}"
    running = members is None or members > 0
    return judge(check, running, detail, f"python -m workers run {worker}", Status.WARN)


def _members(admin: AdminClient, group: str) -> int | None:
    """Members of a group; None where the broker does not tell."""
    try:
        described = admin.describe_consumer_groups([group])[group].result(_ANSWER_SECONDS)
    except (KafkaException, TimeoutError):
        return None
    return counted(described.state, len(described.members))


def counted(state: ConsumerGroupState, members: int) -> int | None:
    """How many members a group has: a stable one has some, also where the broker lists none."""
    if state is ConsumerGroupState.EMPTY:
        return 0
    return None if state is ConsumerGroupState.STABLE and members == 0 else members


def _behind(settings: Settings, topic: Topic, worker: str) -> tuple[int, int | None]:
    """How many messages a group has yet to read; second, how many there are, if it has read none."""
    name = topic_name(settings, topic)
    behind = kept = 0
    with reader(settings, group_name(settings, worker)) as consumer:
        offsets = committed(consumer, name)
        for number, offset in offsets.items():
            low, high = consumer.get_watermark_offsets(TopicPartition(name, number), timeout=_ANSWER_SECONDS)
            kept += max(high - low, 0)
            behind += max(high - max(offset or 0, low), 0)
    return behind, kept if all(offset is None for offset in offsets.values()) else None


def _dead_letters(settings: Settings, codec: Codec) -> Iterator[Finding]:
    with progress_bar("reading the dead letters") as bar:
        letters = [letter for letter in load_letters(settings, codec, bar).letters if letter.state == "open"]
    remedy = "python -m workers dlq list"
    yield judge("dead letters", not letters, f"{len(letters)} open", remedy, Status.WARN)
    originals = Originals(settings)
    try:
        closed = sum(not originals.can_open(letter.body) for letter in letters)
    except psycopg.Error:
        return  # told by the checks of the database
    if closed:
        detail = f"{closed} open letters cannot be read with this key"
        yield warn("dead-letter key", detail, f"they can be replayed only under the old {PREFIX}DEAD_LETTER_KEY")
