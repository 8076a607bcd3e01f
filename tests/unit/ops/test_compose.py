"""docker-compose.yml says what the code says: settings, ports, topics, commands, files. No engine runs it here."""

import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from pipelines.settings import PREFIX, Settings, load_settings
from tests.unit.ops.compose import FILE, ROOT, load, optional, required
from workers.__main__ import app
from workers.assembly import WORKERS

FERNET = "c2l4dGVlbiBieXRlcyBhbmQgc2l4dGVlbiBtb3JlISE="
VALUES = dict.fromkeys(required(), "0123456789abcdef") | {"LITHIFY_DEAD_LETTER_KEY": FERNET}
COMPOSE_CONFIG = ROOT.parent / "shared" / "tools" / "compose-config"
SERVERS = {"kafka", "postgres"}
MONITORS = {"prometheus", "grafana"}


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = load(VALUES)["services"]
    return found


@pytest.fixture(scope="module")
def ours(services: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The services that run this repository's image."""
    return {name: item for name, item in services.items() if name not in SERVERS | MONITORS}


@pytest.mark.skipif(not COMPOSE_CONFIG.exists(), reason="the parser of `docker compose` is not here")
@pytest.mark.parametrize("profile", ["full", "dev"])
def test_the_parser_of_docker_compose_takes_it(profile: str) -> None:
    environment = {"PATH": os.environ["PATH"], "COMPOSE_PROFILES": profile, **VALUES}
    done = subprocess.run(
        [str(COMPOSE_CONFIG), "-q", str(FILE)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not COMPOSE_CONFIG.exists(), reason="the parser of `docker compose` is not here")
@pytest.mark.parametrize("missing", sorted(required()))
def test_it_is_refused_without_a_secret(missing: str) -> None:
    environment = {"PATH": os.environ["PATH"], **{name: value for name, value in VALUES.items() if name != missing}}
    arguments = [str(COMPOSE_CONFIG), "-q", "-all-profiles", str(FILE)]
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"required variable {missing} is missing a value: see .env.example" in done.stderr


def test_every_variable_is_in_the_example_and_no_secret_has_a_value() -> None:
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    told = {match[1]: match[2] for line in lines if (match := re.match(r"(?:# )?([A-Z_]+)=(.*)$", line))}
    assert required() <= set(told)
    assert optional() - {"LITHIFY_LOG_LEVEL"} <= set(told)
    assert {told[name] for name in required()} == {""}


def test_every_setting_of_ours_is_one_of_the_code(ours: dict[str, dict[str, Any]]) -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    for name, service in ours.items():
        assert set(service["environment"]) <= known, name
        load_settings({key: value for key, value in service["environment"].items() if value is not None})


def test_roles_and_hosts_of_the_database_are_those_there_are(ours: dict[str, dict[str, Any]]) -> None:
    for name, service in ours.items():
        role = "lithify_gateway" if name == "gateway" else "lithify_worker"
        assert service["environment"]["LITHIFY_DATABASE_URL"].startswith(f"postgresql://{role}:")
        assert service["environment"]["LITHIFY_DATABASE_URL"].endswith("@postgres:5432/lithify")
        assert ("LITHIFY_OWNER_DATABASE_URL" in service["environment"]) is (name == "migrate")
        assert "LITHIFY_BACKUP_DATABASE_URL" not in service["environment"]


def test_every_command_is_one_of_the_code(ours: dict[str, dict[str, Any]]) -> None:
    command = get_command(app)
    for name, service in ours.items():
        arguments = [str(word) for word in service["command"]]
        with command.make_context("workers", arguments, resilient_parsing=False) as context:
            rest = [*context._protected_args, *context.args]
            _parses(command, context, rest)
        assert name, arguments


def _parses(command: Any, context: Any, rest: list[str]) -> None:
    _, chosen, arguments = command.resolve_command(context, rest)
    with chosen.make_context(chosen.name, arguments, parent=context) as inner:
        if hasattr(chosen, "commands"):
            _parses(chosen, inner, [*inner._protected_args, *inner.args])


def test_all_four_workers_the_gateway_and_the_nightly_run_are_there(ours: dict[str, dict[str, Any]]) -> None:
    commands = [service["command"] for service in ours.values()]
    assert [["run", name] for name in WORKERS] == [item for item in commands if item[0] == "run"]
    assert {"migrate", "topics", "reflect", "exporter", "gateway"} <= {item[0] for item in commands}


def test_c119_the_schema_and_the_topics_come_before_the_workers(ours: dict[str, dict[str, Any]]) -> None:
    for name in set(ours) - {"migrate", "topics"}:
        waits = {on: how["condition"] for on, how in ours[name]["depends_on"].items()}
        assert waits == dict.fromkeys(("migrate", "topics"), "service_completed_successfully"), name
    assert ours["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert ours["topics"]["depends_on"] == {"kafka": {"condition": "service_healthy"}}


def test_only_loopback_is_published(services: dict[str, dict[str, Any]]) -> None:
    ports = {name: item["ports"] for name, item in services.items() if "ports" in item}
    assert all(port.startswith("127.0.0.1:") for found in ports.values() for port in found)
    assert set(ports) == SERVERS | MONITORS | {"gateway"}
    assert services["gateway"]["environment"]["LITHIFY_GATEWAY_PORT"] == ports["gateway"][0].rsplit(":", 1)[1]


def test_dev_is_the_servers_alone(services: dict[str, dict[str, Any]]) -> None:
    assert {name for name, item in services.items() if "dev" in item["profiles"]} == SERVERS
    assert all("full" in item["profiles"] for item in services.values())


def test_every_service_is_held_in_bounds(services: dict[str, dict[str, Any]], ours: dict[str, dict[str, Any]]) -> None:
    for name, item in services.items():
        assert item["restart"] in ("unless-stopped", "on-failure"), name
        assert "no-new-privileges:true" in item["security_opt"], name
        if name not in ("migrate", "topics"):
            assert {"cpus", "memory"} == set(item["deploy"]["resources"]["limits"]), name
        assert ":" in item["image"], name
        assert not item["image"].endswith(":latest"), name
    for item in ours.values():
        assert item["read_only"]
        assert item["cap_drop"] == ["ALL"]


def test_every_mounted_file_and_folder_exists(services: dict[str, dict[str, Any]]) -> None:
    named = set(load(VALUES)["volumes"])
    sources = {volume.split(":")[0] for item in services.values() for volume in item.get("volumes", ())}
    assert {source for source in sources if not source.startswith("./")} == named
    missing = {source for source in sources if source.startswith("./") and not (ROOT / source).exists()}
    assert not missing


def test_kafka_keeps_its_data_on_the_volume(services: dict[str, dict[str, Any]]) -> None:
    kafka = services["kafka"]
    assert kafka["volumes"] == [f"kafka:{kafka['environment']['KAFKA_LOG_DIRS']}"]
    internal = next(
        place for place in kafka["environment"]["KAFKA_ADVERTISED_LISTENERS"].split(",") if place.startswith("INTERNAL")
    )
    assert internal == f"INTERNAL://{services['importance']['environment']['LITHIFY_KAFKA_BOOTSTRAP']}"


def test_health_checks_follow_what_they_ask(ours: dict[str, dict[str, Any]]) -> None:
    """The checks of gateway and exporter, run against a server that is well, and one that is not."""
    for name in ("gateway", "exporter"):
        kind, program, flag, code = ours[name]["healthcheck"]["test"]
        assert (kind, program, flag) == ("CMD", "python", "-c")
        port = ours[name]["environment"]["LITHIFY_GATEWAY_PORT" if name == "gateway" else "LITHIFY_HEALTH_PORT"]
        assert f"127.0.0.1:{port}/" in code
        assert _health(code, port, status=200) == 0
        assert _health(code, port, status=503) != 0


def _health(code: str, port: str, status: int) -> int:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        here = code.replace(f":{port}/", f":{server.server_port}/")
        return subprocess.run([sys.executable, "-c", here], capture_output=True, check=False, timeout=120).returncode


def test_the_gateway_is_scraped_with_its_token(services: dict[str, dict[str, Any]]) -> None:
    assert load(VALUES)["secrets"]["gateway_token"] == {"environment": "LITHIFY_GATEWAY_TOKEN"}
    assert services["prometheus"]["secrets"] == ["gateway_token"]
    config = services["prometheus"]["command"][0].removeprefix("--config.file=")
    source = next(
        v.split(":")[0] for v in services["prometheus"]["volumes"] if config.startswith(v.split(":")[1] + "/")
    )
    text = (ROOT / source / Path(config).name).read_text(encoding="utf-8")
    assert "credentials_file: /run/secrets/gateway_token" in text
