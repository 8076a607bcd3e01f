"""The command around the checks."""

from collections import Counter
from functools import partial
from typing import Annotated

import typer

from pipelines.settings import Settings
from workers.operate.console import AsJson, ExitState, progress_bar, quiet, say, say_json, settings_or_exit
from workers.operate.doctor.finding import Check, Finding, Status, run

_MARKS = {Status.OK: "ok  ", Status.WARN: "WARN", Status.FAIL: "FAIL", Status.UNREACHABLE: "DOWN"}


def doctor_command(
    strict: Annotated[bool, typer.Option("--strict", help="Exit state 1 for warnings too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check everything the workers depend on, and say how to mend what is wrong."""
    settings = settings_or_exit()
    quiet()
    found = examine(settings)
    if as_json:
        say_json({"findings": found, "ok": _state(found, strict) is ExitState.DONE})
    else:
        for finding in found:
            _tell(finding)
        say(", ".join(f"{count} {status}" for status, count in Counter(item.status for item in found).items()))
    raise typer.Exit(_state(found, strict))


def examine(settings: Settings) -> list[Finding]:
    """Run every check."""
    found: list[Finding] = []
    checks = _checks(settings)
    with progress_bar("checking", len(checks)) as bar:
        for name, check in checks.items():
            bar.describe(name)
            found += run(name, check)
            bar.advance()
    return found


def _checks(settings: Settings) -> dict[str, Check]:
    from workers.assembly import codec  # noqa: PLC0415 - every worker is loaded with it
    from workers.operate.doctor import broker, database, files, model  # noqa: PLC0415

    return {
        "database": partial(database.check_database, settings),
        "database of the owner": partial(database.check_owner, settings),
        "broker": partial(broker.check_broker, settings, codec()),
        "catalog": partial(files.check_catalog, settings),
        "policy": partial(files.check_policies, settings),
        "redaction policy": partial(files.check_redaction, settings),
        "schemas": partial(files.check_schemas, settings),
        "embedder": partial(files.check_embedder, settings),
        "model": partial(model.check_model, settings),
        "disk": partial(files.check_disk, settings),
    }


def _tell(finding: Finding) -> None:
    say(f"{_MARKS[finding.status]}  {finding.check}: {finding.detail}")
    if finding.remedy:
        say(f"      -> {finding.remedy}")


def _state(found: list[Finding], strict: bool) -> ExitState:
    statuses = {finding.status for finding in found}
    if Status.UNREACHABLE in statuses:
        return ExitState.UNREACHABLE
    bad = {Status.FAIL, Status.WARN} if strict else {Status.FAIL}
    return ExitState.FINDINGS if statuses & bad else ExitState.DONE
