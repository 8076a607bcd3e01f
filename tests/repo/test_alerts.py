"""Every alert is tested firing and silent, has a runbook, and asks only for what is measured."""

import re
import subprocess
from collections import defaultdict
from typing import Any

import pytest
import typer.main

from pipelines.settings import Settings
from tests.support.prometheus import CONFIG, program
from tests.support.promql import OPS, RULES, alerts, load_yaml
from workers.__main__ import app

TESTS = sorted((OPS / "alerts" / "tests").glob("*.yml"))
RUNBOOKS = OPS / "runbooks"
ROOT = OPS.parent


def run(*argv: str) -> str:
    done = subprocess.run([program("promtool"), *argv], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_rules_and_the_configuration_are_valid() -> None:
    run("check", "rules", *(str(path) for path in RULES))
    run("check", "config", "--syntax-only", str(CONFIG))  # the token's file is there only in a deployment
    [pattern] = load_yaml(CONFIG)["rule_files"]
    assert sorted(path.resolve() for path in CONFIG.parent.glob(pattern)) == RULES


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_the_rules_do_what_their_tests_say(path: Any) -> None:
    run("test", "rules", str(path))


def test_a_rule_that_never_fires_is_noticed(tmp_path: Any) -> None:
    """The tests of rules can fail."""
    for path in RULES:
        (tmp_path / path.name).write_text(re.sub(r"> 6 \* 3600", "> 600 * 3600", path.read_text()))
    (tmp_path / "tests").mkdir()
    test = tmp_path / "tests" / "delivery.yml"
    test.write_text((OPS / "alerts" / "tests" / "delivery.yml").read_text())
    done = subprocess.run([program("promtool"), "test", "rules", str(test)], capture_output=True, check=False)
    assert done.returncode != 0


def test_each_alert_is_tested_firing_and_silent() -> None:
    seen: dict[str, set[bool]] = defaultdict(set)
    for path in TESTS:
        for test in load_yaml(path)["tests"]:
            for check in test["alert_rule_test"]:
                seen[check["alertname"]].add(bool(check["exp_alerts"]))
    assert seen == {name: {True, False} for name in alerts()}


@pytest.mark.parametrize("name", alerts())
def test_each_alert_has_a_severity_and_a_runbook_of_its_own(name: str) -> None:
    rule = alerts()[name]
    assert rule["labels"]["severity"] in {"page", "ticket"}
    assert rule["annotations"].keys() == {"summary", "description", "runbook_url"}
    assert rule["annotations"]["runbook_url"] == f"ops/runbooks/{name}.md"
    text = (RUNBOOKS / f"{name}.md").read_text(encoding="utf-8")
    assert re.findall(r"^#+ (.*)", text, re.MULTILINE) == [name, "Meaning", "Impact", "Diagnosis", "Mitigation"]


def test_no_runbook_is_orphaned() -> None:
    assert {path.stem for path in RUNBOOKS.glob("*.md")} == set(alerts())


def test_the_commands_of_the_runbooks_exist() -> None:
    known = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]  # it is a group
    texts = [path.read_text(encoding="utf-8") for path in RUNBOOKS.glob("*.md")]
    told = {name for text in texts for name in re.findall(r"python -m workers ([a-z]+)", text)}
    assert {"lag", "dlq", "reflect", "redecide", "topics"} <= told
    assert told - known == set()


def test_the_links_and_settings_of_the_runbooks_exist() -> None:
    for path in RUNBOOKS.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)#]+)", text):
            assert (RUNBOOKS / link).exists(), (path.name, link)
        for setting in re.findall(r"LITHIFY_([A-Z_]+)", text):
            assert setting.lower() in Settings.model_fields, (path.name, setting)
