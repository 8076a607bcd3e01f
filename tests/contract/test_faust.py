"""What the runtime relies on in Faust 0.15.3, and the traps it steps around, on a real broker with real processes."""

import signal
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median

import psutil
import pytest

from ops.local.ports import choose
from pipelines.runtime.service import EXIT_CAP
from tests.support.brokers import Lack, needs_kafka
from tests.support.faust_group import PARTITIONS, Group, a_group, all_of
from tests.support.processes import PATIENCE, eventually
from tests.support.servers import Database


@pytest.fixture
def group(database: Database, broker: str, tmp_path: Path) -> Iterator[Group]:
    with a_group(database, broker, tmp_path) as group:
        yield group


def measured(port: int, metric: str) -> int:
    """A metric of the process that serves its metrics there; -1 where it does not."""
    with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
        for line in answer.read().decode().splitlines():
            if line.startswith(f"{metric}{{"):
                return int(float(line.rsplit(" ", 1)[1]))
    return -1


def assigned(ports: list[int]) -> list[int]:
    """How many partitions each process reads."""
    return [measured(port, "lithify_assigned_partitions") for port in ports]


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(psutil.Process(pid).memory_info().rss)


def test_a_stuck_partition_holds_nobody_else(group: Group) -> None:
    group.produce(150)
    group.stick(0)
    group.start()
    group.wait(lambda counted: counted == {1: 150, 2: 150, 3: 150})
    group.unstick(0)
    group.wait(all_of(150))


def test_c104_a_stuck_partition_with_large_events_holds_nobody_else_and_little_memory(group: Group) -> None:
    group.produce(10)
    group.produce_large(0, 400, 1_000_000)
    group.stick(0)
    process = group.start()
    group.wait(lambda counted: counted == {1: 10, 2: 10, 3: 10})
    time.sleep(10)
    assert resident(process.pid) < 350_000_000
    group.produce(10)
    group.wait(lambda counted: counted == {1: 20, 2: 20, 3: 20})
    group.unstick(0)
    group.wait(lambda counted: counted.get(0) == 420)


def test_c84_a_stuck_batch_holds_no_other_when_a_member_joins_and_nothing_is_lost(group: Group) -> None:
    """How soon it gives way is measured below."""
    group.produce(100)
    group.stick(0)
    group.start()
    group.wait(lambda counted: counted == {1: 100, 2: 100, 3: 100})
    group.start()
    group.produce(100)
    group.wait(lambda counted: all(counted.get(partition) == 200 for partition in (1, 2, 3)))
    group.unstick(0)
    group.wait(all_of(200))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stuck_batch_does_not_hold_a_stop(group: Group, number: signal.Signals) -> None:
    group.produce(50)
    group.stick(0)
    process = group.start()
    group.wait(lambda counted: counted == {1: 50, 2: 50, 3: 50})
    process.send_signal(number)
    assert process.wait(PATIENCE) == 0, group.logs()
    group.unstick(0)
    group.start()
    group.wait(all_of(50))


def test_c87_after_kill_9_nothing_is_missing_and_nothing_done_twice(group: Group) -> None:
    group.produce(400)
    process = group.start()
    group.wait(lambda counted: sum(counted.values()) > 100)
    process.kill()
    process.wait(PATIENCE)
    group.start()
    group.wait(all_of(400))


@pytest.mark.parametrize("fault", ["drop", "refuse"])
def test_a_member_outlives_a_way_back_to_the_committed_offsets_that_fails(group: Group, fault: str) -> None:
    """As when a line breaks just after a rebalance, and the next join makes the client drop what it has asked for."""
    group.module = "tests.support.faltering_worker"
    group.stick(fault)
    group.produce(20)
    group.start()
    group.wait(all_of(20))
    assert not (group.folder / fault).exists()
    assert "once more" in group.logs()


def test_a_worker_whose_client_has_ended_ends_too(group: Group) -> None:
    group.module = "tests.support.faltering_worker"
    group.stick("end")
    assert group.start().wait(PATIENCE) == 1
    assert "a task of the Kafka client ended: metadata" in group.logs()


def test_c66_a_header_whose_name_is_no_text_stops_nobody(group: Group) -> None:
    group.produce(5)
    group.start()
    group.wait(all_of(5))
    group.produce_unreadable(1)
    group.produce(5)
    group.wait(lambda counted: counted == {0: 10, 1: 11, 2: 10, 3: 10})
    assert group.processes[0].poll() is None


def test_the_worker_writes_nothing_but_its_log(group: Group) -> None:
    for number in range(1, 4):
        process = group.start()
        group.produce(5)
        group.wait(all_of(5 * number))
        process.terminate()
        assert process.wait(PATIENCE) == 0
        assert list(group.temporary.iterdir()) == [], "its working folder, and the one for temporary files"
        if group.last_log() == "":
            break  # on a busy machine the libraries complain
    assert group.last_log() == "", "a quiet run logs nothing"


def test_c89_a_third_and_a_fourth_member_get_partitions(group: Group) -> None:
    ports = [choose() for _ in range(4)]
    for port in ports:
        group.start(LITHIFY_HEALTH_PORT=str(port))
    assert eventually(lambda: assigned(ports) == [1, 1, 1, 1]), group.logs()
    group.produce(20)
    group.wait(all_of(20))


@pytest.mark.parametrize("switch", ["0", "0.hang"])
@needs_kafka(Lack.STATIC_MEMBERS)
def test_a_stuck_batch_holds_the_group_for_less_than_five_seconds(
    database: Database, broker: str, tmp_path: Path, switch: str
) -> None:
    """The median of three runs: one may be held up by other work on the machine, and by chance one is short anyway."""
    pauses: list[float] = []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        with a_group(database, broker, folder) as group:
            pauses.append(pause_for_a_second_member(group, switch))
    assert median(pauses) < 5.0, pauses


def pause_for_a_second_member(group: Group, switch: str) -> float:
    """The longest pause of the other partitions in seconds, when a member joins while one is stuck."""
    group.forget()
    group.stick(switch)
    group.start(LITHIFY_INSTANCE_ID="slot-1")
    with group.steadily_producing() as produced:
        group.wait(lambda counted: counted.get(1, 0) > 20)
        group.start(LITHIFY_INSTANCE_ID="slot-2")
        time.sleep(10)
    group.unstick(switch)
    group.wait(all_of(len(produced)))
    return group.longest_pause()


@needs_kafka(Lack.STATIC_MEMBERS)
def test_c95_after_the_loop_was_blocked_for_longer_than_a_session_the_member_is_back(group: Group) -> None:
    group.produce(20)
    group.start()
    group.wait(all_of(20))
    group.stick("blocked")
    group.produce(20)
    time.sleep(15)  # a session is 6 s
    group.unstick("blocked")
    group.produce(20)
    group.wait(all_of(60))


@needs_kafka(Lack.TRANSACTIONS)
def test_c90_only_events_of_committed_transactions_are_read(group: Group) -> None:
    group.start()
    with group.transaction() as first:
        group.produce(10, first)
        first.commit_transaction()
    with group.transaction() as second:
        group.produce(10, second)
        second.flush(20)
        group.wait(all_of(10))
        time.sleep(3)
        assert all_of(10)(group.counted()), "a transaction that is open has not happened yet"
        second.abort_transaction()
    group.produce(10)
    group.wait(all_of(20))
    assert eventually(lambda: group.lag() == {0: 0.0, 1: 0.0, 2: 0.0, 3: 0.0}, 20), "markers at the end are no lag"


@needs_kafka(Lack.DELETE_RECORDS)
def test_c96_a_committed_offset_older_than_retention_is_passed_and_told(group: Group) -> None:
    group.produce(30)
    process = group.start()
    group.wait(all_of(30))
    process.terminate()
    assert process.wait(PATIENCE) == 0
    group.produce(30)
    group.delete_before(50)
    port = choose()
    group.start(LITHIFY_HEALTH_PORT=str(port))
    group.wait(lambda counted: all(counted[partition] == 40 for partition in range(PARTITIONS)))
    assert eventually(lambda: measured(port, "lithify_events_passed_over_total") == 20 * PARTITIONS), group.logs()
    assert "20 events of" in group.logs()


def test_past_the_cap_on_dead_letters_the_worker_ends_with_its_own_exit_state(group: Group) -> None:
    group.stick("2.poison")
    group.produce(30)
    process = group.start(LITHIFY_DEAD_LETTER_CAP="10", LITHIFY_DEAD_LETTER_CAP_SHARE="0.05")
    assert process.wait(PATIENCE) == EXIT_CAP
    assert "stops: 11 of the last" in group.logs()
    group.unstick("2.poison")
    group.start()
    group.wait(lambda counted: counted.get(2, 0) >= 20 and counted.get(3) == 30)
