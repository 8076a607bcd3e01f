"""The Dockerfile, read line by line: what it copies exists, nothing runs as root, nothing is left of the build."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from tests.unit.ops.compose import ROOT

FILE = ROOT / "ops" / "images" / "Dockerfile"


def instructions() -> list[tuple[str, str]]:
    """Every instruction with its argument, continued lines joined, comments left out."""
    text = "\n".join(line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    joined = re.sub(r"\s*\\\n\s*", " ", text)
    return [
        (word, rest) for line in joined.splitlines() if line.strip() for word, _, rest in [line.strip().partition(" ")]
    ]


def final() -> list[tuple[str, str]]:
    """The instructions of the stage that is shipped."""
    found = instructions()
    last = max(number for number, (word, _) in enumerate(found) if word == "FROM")
    return found[last:]


def copied() -> list[str]:
    """What is copied from the repository."""
    return [
        source
        for word, rest in instructions()
        if word == "COPY" and not rest.startswith("--from")
        for source in rest.split()[:-1]
    ]


def test_the_base_is_pinned_and_there_are_two_stages() -> None:
    base = next(rest for word, rest in instructions() if word == "ARG")
    assert re.fullmatch(r"BASE=python:\d+\.\d+\.\d+-slim-\w+", base)
    assert [rest for word, rest in instructions() if word == "FROM"] == ["${BASE} AS builder", "${BASE}"]


def test_what_is_copied_exists_and_is_let_through() -> None:
    ignore = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in ignore
    for source in copied():
        assert (ROOT / source).exists(), source
        assert f"!{source.removeprefix('./')}" in ignore, source


def test_nothing_else_reaches_the_build() -> None:
    let_through = {
        line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"
    }
    assert let_through == {source.removeprefix("./") for source in copied()}


def test_it_runs_as_nobody_special_and_without_a_shell() -> None:
    words = [word for word, _ in final()]
    user = next(rest for word, rest in final() if word == "USER")
    assert user.split(":")[0].isdecimal()
    assert user.split(":")[0] != "0"
    assert words.index("USER") > max(number for number, word in enumerate(words) if word in ("RUN", "COPY"))
    for wanted in ("ENTRYPOINT", "CMD"):
        assert isinstance(ast.literal_eval(next(rest for word, rest in final() if word == wanted)), list)


def test_no_build_tools_are_in_the_final_stage() -> None:
    installs = " ".join(rest for word, rest in final() if word == "RUN")
    assert not re.search(r"build-essential|gcc|\bpip install\b|-dev\b", installs)
    assert "rm -rf /var/lib/apt/lists/*" in installs
    assert "--no-install-recommends" in installs


def test_the_packages_are_those_of_the_constraints() -> None:
    run = next(rest for word, rest in instructions() if word == "RUN")
    assert '--constraint constraints.txt ".[stack]"' in run
    embedder = next(rest for word, rest in instructions() if word == "ARG" and rest.startswith("EMBEDDER_PACKAGE="))
    pinned = {line.split("==")[0] for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()}
    assert embedder.partition("=")[2] in pinned


def test_the_health_check_asks_the_health_port() -> None:
    check = next(rest for word, rest in final() if word == "HEALTHCHECK")
    environment = next(rest for word, rest in final() if word == "ENV")
    port = re.search(r"LITHIFY_HEALTH_PORT=(\d+)", environment)
    assert port
    assert f"http://127.0.0.1:{port[1]}/healthz" in check
    command = ast.literal_eval(check[check.index("[") :])
    compile(command[2], "healthcheck", "exec")


def test_what_the_image_holds_is_enough_to_run(tmp_path: Path) -> None:
    """The commands start from the copied folders alone; `lithify` itself is installed."""
    for source in {
        source.removeprefix("./") for word, rest in final() if word == "COPY" for source in rest.split()[:-1]
    }:
        if not source.startswith(("--from", "/")):
            (tmp_path / source).symlink_to(ROOT / source)
    (tmp_path / "lithify").symlink_to(ROOT / "lithify")
    done = subprocess.run(
        [sys.executable, "-m", "workers", "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "doctor" in done.stdout
