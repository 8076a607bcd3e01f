"""Prometheus and its tool, of the Debian package `prometheus`: on loopback, for as long as a test needs it."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from ops.local.ports import choose
from tests.support.processes import PATIENCE, eventually
from tests.support.promql import OPS, load_yaml

CONFIG = OPS / "prometheus" / "prometheus.yml"


def program(name: str) -> str:
    """The path of `prometheus` or `promtool`. Without it the test is skipped; in CI (CI=true) it fails."""
    found = shutil.which(name)
    if found is None:
        message = f"{name} is not installed: apt-get install prometheus"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return found


@dataclass(frozen=True, slots=True)
class Prometheus:
    """A running Prometheus."""

    url: str

    def get(self, path: str, **parameters: str) -> Any:
        """The data of an answer of its HTTP API."""
        answer = httpx.get(f"{self.url}/api/v1/{path}", params=parameters, timeout=PATIENCE)
        return answer.raise_for_status().json()["data"]

    def series(self, selector: str) -> list[dict[str, str]]:
        """Label sets that a selector matches."""
        found: list[dict[str, str]] = self.get("series", **{"match[]": selector})
        return found

    def value(self, expression: str) -> float | None:
        """The first value of an expression now; None: there is none."""
        found = self.get("query", query=expression)["result"]
        return float(found[0]["value"][1]) if found else None

    def ready(self) -> bool:
        """Whether it answers."""
        try:
            return httpx.get(f"{self.url}/-/ready", timeout=5).is_success
        except httpx.HTTPError:
            return False


@contextmanager
def scraping(folder: Path, targets: Mapping[str, list[str]]) -> Iterator[Prometheus]:
    """A Prometheus with the configuration of a deployment, but other targets and every second.

    Args:
        folder: For its data.
        targets: Job name to `host:port`, instead of what it would discover.
    """
    config = load_yaml(CONFIG)
    config["global"] = dict.fromkeys(("scrape_interval", "scrape_timeout", "evaluation_interval"), "1s")
    config["rule_files"] = [str((CONFIG.parent / pattern).resolve()) for pattern in config["rule_files"]]
    for job in config["scrape_configs"]:
        del job["dns_sd_configs"]
        job.pop("authorization", None)  # the embedded gateway has no token
        job["static_configs"] = [{"targets": targets[job["job_name"]]}]
        job["scrape_interval"] = "10s" if job["job_name"] == "lithify-exporter" else "1s"
        job["scrape_timeout"] = job["scrape_interval"]
    written = folder / "prometheus.yml"
    written.write_text(yaml.safe_dump(config))
    port = choose()
    argv = [
        program("prometheus"),
        f"--config.file={written}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
    ]
    log = (folder / "prometheus.log").open("wb")
    process = subprocess.Popen(argv, stdout=log, stderr=log)
    log.close()
    try:
        running = Prometheus(f"http://127.0.0.1:{port}")
        assert eventually(running.ready), (folder / "prometheus.log").read_text()
        yield running
    finally:
        process.terminate()
        process.wait(PATIENCE)
