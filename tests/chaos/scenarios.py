"""What is done to a running pipeline. Each disturbance returns once it is over."""

import contextlib
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import msgspec
import pytest
from confluent_kafka import KafkaError, Producer

from benchmarks.results import WORKERS
from lithify.client import Invalid, KafkaPublisher
from lithify.events import Role, Turn, encode
from pipelines.topics import Topic, topic_name
from tests.chaos.lab import Field
from tests.chaos.size import Size
from tests.support.brokers import Lack
from tests.support.processes import eventually
from tests.support.proxy import Proxy


@dataclass(frozen=True, slots=True)
class Disturbed:
    """What a disturbance was.

    Attributes:
        times: How often it struck.
        began: When (monotonic seconds) what readiness must tell of began; None: there is nothing to tell.
        ended: When it was about to be mended; from then on anything may be said until all is well.
    """

    times: int
    began: float | None = None
    ended: float | None = None


_PROGRESS_SECONDS = 120.0
_START_SECONDS = 240.0
_RIDDLE = "After a year of doubts I have ended up basically veggie."
Disturb = Callable[[Field, Size], Disturbed]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario.

    Attributes:
        name: Short.
        done: What is done, for the table; may hold fields of `Size` in braces.
        disturb: Does it, while turns are published.
        lasts: Seconds it takes about, over which the turns are spread.
        brokers: 1 or 3.
        cause: What readiness must say meanwhile; None: there is no outage.
        slots: Replicas of each worker at the start.
        arrange: How the turns are published instead of in order.
        module: What workers run.
        lack: Why it cannot be on the embedded broker; None: it can.
        full_disk: The database lies on a small file system of its own.
        model: A model reads what the rules leave, in the quiet run too.
    """

    name: str
    done: str
    disturb: Disturb
    lasts: Callable[[Size], float]
    brokers: int = 1
    cause: str | None = None
    slots: Sequence[int] = (1,)
    arrange: Callable[[Sequence[Turn]], list[Turn]] = list
    module: str = "workers"
    lack: Lack | None = None
    full_disk: bool = False
    model: bool = False


def kill_workers(field: Field, size: Size) -> Disturbed:
    """Kill one worker after another, at random moments after it has done something, and start it again at once."""
    rng = random.Random(size.kills)
    done = dict.fromkeys(WORKERS, 0)
    for number in range(size.kills):
        worker = WORKERS[number % len(WORKERS)]
        eventually(lambda worker=worker: _applied(field, worker) > done[worker], _PROGRESS_SECONDS)  # type: ignore[misc]
        time.sleep(rng.uniform(0, size.kill_pause))
        field.fleet.kill(worker)
        done[worker] = _applied(field, worker)
        field.fleet.start(worker)
    return Disturbed(size.kills)


def _applied(field: Field, worker: str) -> int:
    return int(field.probe.rows(f"select count(*) as n from inbox where worker = '{worker}'")[0]["n"])


def stop_broker(field: Field, size: Size) -> Disturbed:
    """Stop the only broker for a while."""
    assert field.kafka is not None
    field.kafka.stop()
    began = time.monotonic()
    time.sleep(size.broker_seconds)
    ended = time.monotonic()
    field.kafka.start()
    return Disturbed(1, began, ended)


def roll_brokers(field: Field, size: Size) -> Disturbed:
    """Restart three brokers one after another, every second one by a crash."""
    assert field.kafka is not None
    for number in range(3 * size.rounds):
        node = number % 3 + 1
        field.kafka.stop(node, kill=bool(number % 2))
        field.kafka.start(node)
        time.sleep(2)
    return Disturbed(3 * size.rounds)


def crash_postgres(field: Field, size: Size) -> Disturbed:
    """Kill the database server, leave it away, and let it recover."""
    field.postgres.kill("postgres", hold=True)
    began = time.monotonic()
    time.sleep(size.postgres_seconds)
    ended = time.monotonic()
    field.postgres.restart("postgres")
    return Disturbed(1, began, ended)


def break_lines_to_postgres(field: Field, size: Size) -> Disturbed:
    """Cut, refuse, delay and half close the lines to the database."""
    return _break_lines(field.postgres_proxy, size)


def break_lines_to_kafka(field: Field, size: Size) -> Disturbed:
    """The same to the broker."""
    assert field.kafka_proxy is not None
    return _break_lines(field.kafka_proxy, size)


def _break_lines(proxy: Proxy, size: Size) -> Disturbed:
    for _ in range(size.line_rounds):
        proxy.cut()
        time.sleep(size.line_seconds)
        proxy.refuse(True)
        time.sleep(size.line_seconds)
        proxy.refuse(False)
        proxy.delay(0.2)
        time.sleep(size.line_seconds)
        proxy.delay(0)
        proxy.half_close(True)
        time.sleep(size.line_seconds)
        proxy.half_close(False)
    return Disturbed(4 * size.line_rounds)


def change_replicas(field: Field, size: Size) -> Disturbed:  # noqa: ARG001
    """From two of each worker to four, to one: half of them stopped, half killed."""
    field.fleet.start_all((3, 4))
    members = list(field.fleet.members.values())
    assert eventually(lambda: all(member.health().ready for member in members), _START_SECONDS), field.fleet.logs()
    time.sleep(3)
    for slot, worker in [(4, WORKERS[0]), (4, WORKERS[2]), (2, WORKERS[1]), (3, WORKERS[3])]:
        field.fleet.kill(worker, slot)
    time.sleep(1)
    codes = field.fleet.stop(*(place for place in list(field.fleet.members) if place[1] != 1))
    assert set(codes) == {0}, f"members ended with {codes}: {field.fleet.logs()}"
    return Disturbed(14)


def fill_disk(field: Field, size: Size) -> Disturbed:
    """Fill the file system under the database until the workers notice, keep it full for a while, and free it."""
    filler = field.postgres.cluster.folder / "filler"
    try:
        with filler.open("wb", buffering=0) as stream, contextlib.suppress(OSError):
            while True:
                stream.write(bytes(1_000_000))
        deadline = time.monotonic() + _PROGRESS_SECONDS
        while all(member.health().ready for member in field.fleet.members.values()):
            assert time.monotonic() < deadline, "the disk was full, and nobody noticed"
            time.sleep(0.5)
        time.sleep(size.full_seconds)
    finally:
        filler.unlink()
    return Disturbed(1)


def send_giants(field: Field, size: Size) -> Disturbed:  # noqa: ARG001
    """An event of 3 MB; the largest that fits; and as many bytes that are no event at all."""
    topic = topic_name(field.settings, Topic.TURNS)
    publisher = KafkaPublisher(field.settings.kafka_bootstrap, topic=topic, timeout=_PROGRESS_SECONDS)
    with pytest.raises(Invalid, match="larger than the topic takes"):
        publisher.publish([_giant(3_000_000)])
    publisher.publish([_giant(1_990_000)])
    reports: list[KafkaError | None] = []
    generous = Producer({"bootstrap.servers": field.settings.kafka_bootstrap, "message.max.bytes": 8_000_000})
    for value in (encode(_giant(3_000_000)), b"x" * 1_990_000):
        generous.produce(topic, value, b"default/giant", on_delivery=lambda e, _: reports.append(e))
        assert generous.flush(_PROGRESS_SECONDS) == 0
    refused, taken = reports
    assert refused is not None, "the broker took 3 MB"
    assert taken is None
    return Disturbed(4)


def _giant(size: int) -> Turn:
    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return Turn(
        id=f"giant-{size}",
        user_id="giant",
        session_id="s",
        occurred_at=at,
        role=Role.USER,
        content="la " * (size // 3 - 90),
    )


def stop_model(field: Field, size: Size) -> Disturbed:
    """Refuse every line to the model; meanwhile the rules go on, and what is left to the model waits for it."""
    assert field.model_proxy is not None
    field.model_proxy.refuse(True)
    try:
        time.sleep(size.model_seconds)
        for what, query in {
            "the rules go on": "select 1 from turns where outcome = 'stored' limit 1",
            "turns wait for the model": "select 1 from model_queue where outages > 0 limit 1",
        }.items():
            assert eventually(lambda query=query: bool(field.probe.rows(query)), _PROGRESS_SECONDS), what  # type: ignore[misc]
    finally:
        field.model_proxy.refuse(False)
    return Disturbed(1)


def with_riddles(turns: Sequence[Turn]) -> list[Turn]:
    """After every tenth turn one of another user's that the rules cannot read and the model can."""
    mixed = []
    for number, turn in enumerate(turns):
        mixed.append(turn)
        if number % 10 == 0:
            who = f"riddler-{number}"
            mixed.append(msgspec.structs.replace(turn, id=who, user_id=who, session_id=who, content=_RIDDLE))
    return mixed


def nothing(field: Field, size: Size) -> Disturbed:  # noqa: ARG001
    """What is wrong lies in the events, or in the workers themselves."""
    return Disturbed(1)


def disorder(turns: Sequence[Turn]) -> list[Turn]:
    """One in ten twice, all shuffled within a window of sixty, one in fifty at the very end."""
    rng = random.Random(60)
    late = [turn for turn in turns if rng.random() < 0.02]
    away = {turn.id for turn in late}
    rest = [(number + rng.uniform(0, 60), turn) for number, turn in enumerate(turns) if turn.id not in away]
    rest += [(at + rng.uniform(0, 200), turn) for at, turn in rest if rng.random() < 0.1]
    return [turn for _, turn in sorted(rest, key=lambda pair: pair[0])] + late


def is_disordered(turns: Sequence[Turn]) -> bool:
    """Whether a turn precedes one of its user's that was said earlier."""
    by_user: dict[str, list[Turn]] = {}
    for turn in turns:
        by_user.setdefault(turn.user_id, []).append(turn)
    return any(a.occurred_at > b.occurred_at for said in by_user.values() for a, b in pairwise(said))


SCENARIOS = (
    Scenario(
        "kills",
        "kill -9 of each worker in turn, at random moments",
        kill_workers,
        lambda size: size.kills * size.kill_pause,
        lack=Lack.STATIC_MEMBERS,
    ),
    Scenario(
        "broker_stop",
        "the broker stopped for {broker_seconds:.0f} s",
        stop_broker,
        lambda size: size.broker_seconds + 10,
        cause="broker: ",
        lack=Lack.KEEPS_NOTHING,
    ),
    Scenario(
        "rolling_brokers",
        "three brokers restarted one after another, every second one by kill -9",
        roll_brokers,
        lambda size: size.rounds * 30.0,
        brokers=3,
        lack=Lack.REPLICAS,
    ),
    Scenario(
        "postgres_crash",
        "PostgreSQL killed, away for {postgres_seconds:.0f} s, crash recovery",
        crash_postgres,
        lambda size: size.postgres_seconds + 5,
        cause="database: ",
    ),
    Scenario(
        "lines_to_postgres",
        "lines to PostgreSQL cut, refused, delayed by 0.2 s, half closed, {line_seconds:.0f} s each",
        break_lines_to_postgres,
        lambda size: 4 * size.line_rounds * size.line_seconds,
    ),
    Scenario(
        "lines_to_kafka",
        "lines to Kafka cut, refused, delayed by 0.2 s, half closed, {line_seconds:.0f} s each",
        break_lines_to_kafka,
        lambda size: 4 * size.line_rounds * size.line_seconds,
        lack=Lack.PROXY,
    ),
    Scenario(
        "replicas",
        "2, 4, 1 replicas of each worker; of those that go half are killed",
        change_replicas,
        lambda _: 20.0,
        slots=(1, 2),
        lack=Lack.STATIC_MEMBERS,
    ),
    Scenario(
        "full_disk",
        "the file system under PostgreSQL full until noticed and {full_seconds:.0f} s longer",
        fill_disk,
        lambda size: size.turns / size.rate,
        full_disk=True,
    ),
    Scenario(
        "giants",
        "events of 3 MB (refused), 2 MB, and 2 MB of rubbish",
        send_giants,
        lambda size: size.turns / size.rate,
        lack=Lack.SIZES,
    ),
    Scenario(
        "disorder",
        "one turn in ten twice, all shuffled within 60, one in fifty at the very end",
        nothing,
        lambda size: size.turns / size.rate,
        arrange=disorder,
    ),
    Scenario(
        "clock_skew",
        "two replicas whose clocks are 15 minutes behind and ahead",
        nothing,
        lambda size: size.turns / size.rate,
        slots=(1, 2),
        module="tests.support.skewed",
        lack=Lack.STATIC_MEMBERS,
    ),
    Scenario(
        "model_down",
        "the model's endpoint refuses for {model_seconds:.0f} s; then all that waited for it is read",
        stop_model,
        lambda size: size.model_seconds,
        arrange=with_riddles,
        model=True,
    ),
)
