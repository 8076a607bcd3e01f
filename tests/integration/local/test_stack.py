"""The stack with its real servers; the workers are stand-ins."""

import os
import stat
import sys
import time
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from confluent_kafka.admin import AdminClient

from ops.local.errors import StackError
from ops.local.postgres import SUPERUSER
from ops.local.stack import PARTS, SERVERS, Stack
from tests.support.processes import PATIENCE, eventually, processes_of, runs

STAND_IN = Path(__file__).with_name("stand_in.py")


def servers(data_dir: Path, *names: str) -> Stack:
    return Stack(data_dir, names or SERVERS, environment=dict(os.environ), fsync=False)


def with_workers(data_dir: Path, notes: Path) -> Stack:
    command = (sys.executable, str(STAND_IN), str(notes))
    return Stack(data_dir, PARTS, environment=dict(os.environ), fsync=False, command=command)


def answer(url: str, query: LiteralString) -> tuple[object, ...] | None:
    with psycopg.connect(url) as connection:
        return connection.execute(query).fetchone()


def test_a_fresh_start_takes_seconds_and_leaves_no_process(tmp_path: Path) -> None:
    began = time.monotonic()
    with servers(tmp_path / "data") as stack:
        assert time.monotonic() - began < PATIENCE / 2
        pids = [stack.pid(name) for name in SERVERS]
        assert set(pids) < set(processes_of(tmp_path / "data"))
    assert not any(runs(pid) for pid in pids)
    assert processes_of(tmp_path / "data") == {}


def test_a_restart_keeps_data_secrets_and_ports(tmp_path: Path) -> None:
    with servers(tmp_path) as stack:
        first = stack.settings_env
        with psycopg.connect(first["LITHIFY_OWNER_DATABASE_URL"]) as connection:
            connection.execute("CREATE TABLE kept AS SELECT '[1,2,3]'::vector AS v")
    with servers(tmp_path) as stack:
        assert stack.settings_env == first
        with psycopg.connect(first["LITHIFY_OWNER_DATABASE_URL"]) as connection:
            assert connection.execute("SELECT v::text FROM kept").fetchone() == ("[1,2,3]",)


def test_a_crash_of_the_database_keeps_what_was_committed(tmp_path: Path) -> None:
    with Stack(tmp_path, ["postgres"], environment={}) as stack:
        url = stack.settings_env["LITHIFY_OWNER_DATABASE_URL"]
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS n")
        before = stack.pid("postgres")
        stack.kill("postgres")
        stack.wait_up("postgres")
        assert stack.pid("postgres") != before
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT n FROM kept").fetchone() == (1,)


def test_a_folder_with_a_space_in_its_name(tmp_path: Path) -> None:
    with servers(tmp_path / "my data 数据", "postgres") as stack:
        assert answer(stack.settings_env["LITHIFY_DATABASE_URL"], "SELECT 1") == (1,)


def test_two_stacks_side_by_side(tmp_path: Path) -> None:
    with servers(tmp_path / "one") as one, servers(tmp_path / "two") as two:
        ours, theirs = one.settings_env, two.settings_env
        assert all(ours[name] != theirs[name] for name in ("LITHIFY_DATABASE_URL", "LITHIFY_KAFKA_BOOTSTRAP"))
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(theirs["LITHIFY_DATABASE_URL"].replace(_port(theirs), _port(ours)))


def test_a_folder_serves_one_stack_at_a_time(tmp_path: Path) -> None:
    with servers(tmp_path, "broker") as stack:
        with pytest.raises(StackError, match=f"in use by process {os.getpid()}"):
            servers(tmp_path, "broker").start()
        assert runs(stack.pid("broker"))


def test_secrets_are_readable_by_their_owner_alone(tmp_path: Path) -> None:
    with servers(tmp_path, "broker"):
        for name in ("secrets.json", "settings.json", "ports.json"):
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert not (tmp_path / "settings.json").exists()


def test_damaged_secrets_stop_the_start(tmp_path: Path) -> None:
    (tmp_path / "secrets.json").write_text("{}")
    with pytest.raises(StackError, match=r"secrets\.json is damaged"):
        servers(tmp_path, "broker").start()


def test_an_interrupted_first_start_is_begun_again(tmp_path: Path) -> None:
    draft = tmp_path / "postgres" / "data.new"
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("18\n")
    with servers(tmp_path, "postgres") as stack:
        assert stack.pid("postgres")


def test_the_database_of_another_version_is_left_alone(tmp_path: Path) -> None:
    data = tmp_path / "postgres" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("16\n")
    with pytest.raises(StackError, match="written by PostgreSQL 16, this is 18"):
        servers(tmp_path, "postgres").start()


def test_a_stale_lock_file_with_the_number_of_another_process_is_no_obstacle(tmp_path: Path) -> None:
    with servers(tmp_path, "postgres"):
        lock = (tmp_path / "postgres" / "data" / "postmaster.pid").read_text()
    stale = tmp_path / "postgres" / "data" / "postmaster.pid"
    stale.write_text(lock.replace(lock.splitlines()[0], str(os.getppid()), 1))
    with servers(tmp_path, "postgres") as stack:
        assert stack.pid("postgres")


def test_a_given_server_is_used_in_place_of_an_embedded_one(tmp_path: Path) -> None:
    given = {"LITHIFY_DATABASE_URL": "postgresql://db/x", "LITHIFY_KAFKA_BOOTSTRAP": "kafka:9092"}
    with Stack(tmp_path, SERVERS, environment=given) as stack:
        settings = stack.settings_env
        assert processes_of(tmp_path) == {}
    assert settings["LITHIFY_DATABASE_URL"] == settings["LITHIFY_OWNER_DATABASE_URL"] == "postgresql://db/x"
    assert settings["LITHIFY_KAFKA_BOOTSTRAP"] == "kafka:9092"
    assert "LITHIFY_SESSION_TIMEOUT_SECONDS" not in settings


def test_what_workers_need_is_made_on_given_servers_too(tmp_path: Path, broker: str) -> None:
    with servers(tmp_path / "theirs", "postgres") as theirs:
        given = {
            **os.environ,
            "LITHIFY_KAFKA_BOOTSTRAP": broker,
            "LITHIFY_DATABASE_URL": theirs.settings_env["LITHIFY_DATABASE_URL"],
            "LITHIFY_OWNER_DATABASE_URL": theirs.settings_env["LITHIFY_OWNER_DATABASE_URL"],
            "LITHIFY_TOPIC_PREFIX": "given-servers",
        }
        with Stack(tmp_path / "ours", ["importance"], environment=given, fsync=False):
            known = AdminClient({"bootstrap.servers": broker}).list_topics(timeout=PATIENCE).topics
            assert "given-servers-turns" in known
            assert answer(theirs.settings_env["LITHIFY_OWNER_DATABASE_URL"], "SELECT count(*) FROM facts") == (0,)


def test_an_unknown_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="unknown part 'kafka'"):
        Stack(tmp_path, ["kafka"])


def test_servers_are_prepared_before_workers_start(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with with_workers(tmp_path / "data", notes) as stack:
        calls = notes.read_text().splitlines()
        pids = [stack.pid(name) for name in PARTS]
    commands = ["migrate as lithify_worker", "topics apply as lithify_worker"]
    assert sorted(calls[:2]) == [f"{command} knows the owner" for command in commands]
    workers = ["conflict", "extraction", "importance", "reflection"]
    assert sorted(calls[2:]) == ["gateway as lithify_gateway", *(f"run {name} as lithify_worker" for name in workers)]
    assert eventually(lambda: [stack.logs(name) for name in PARTS[2:]] == [["drained"]] * 5)
    assert not any(runs(pid) for pid in pids)


def test_topics_are_created_again_when_the_broker_lost_them(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with with_workers(tmp_path / "data", notes) as stack:
        stack.restart("broker")
    assert notes.read_text().count("topics apply") == 2


def test_listeners_are_on_the_loopback_address_alone(tmp_path: Path) -> None:
    query = "SELECT current_setting('listen_addresses'), current_setting('unix_socket_directories')"
    with servers(tmp_path, "postgres") as stack:
        assert answer(stack.cluster.url(SUPERUSER), query) == ("127.0.0.1", "")


def _port(settings: dict[str, str]) -> str:
    return settings["LITHIFY_DATABASE_URL"].rsplit(":", 1)[1].split("/")[0]
