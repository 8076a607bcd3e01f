"""What is read from this machine: the files of the settings, programs, disk."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from pipelines.language.embedding import load_embedder
from pipelines.redaction import load_redactor
from pipelines.schemas import check as schema_differences
from pipelines.settings import Settings
from workers.assembly import policy, vocabulary
from workers.operate.doctor.finding import Finding, Status, judge, ok

_SPARE_BYTES = 1 << 30


def check_catalog(settings: Settings) -> Iterator[Finding]:
    """The attribute catalog. Raises ValueError or OSError."""
    vocabulary(settings)
    yield ok("catalog", settings.catalog_path or "schemas/catalog")


def check_policies(settings: Settings) -> Iterator[Finding]:
    """The policy files. Raises PolicyError, a ValueError."""
    for name, path in (("policy", settings.policy_path), ("shadow policy", settings.shadow_policy_path)):
        if name == "policy" or path:
            policy(path)
            yield ok(name, path or "schemas/policy/default.toml")


def check_redaction(settings: Settings) -> Iterator[Finding]:
    """What is redacted. Raises ValueError or OSError."""
    load_redactor(settings)
    yield ok("redaction policy", settings.redaction_policy_path or "schemas/policy/redaction.yaml")


def check_schemas(_settings: Settings) -> Iterator[Finding]:
    """That the files on the wire's form are those of the code."""
    found = schema_differences()
    yield judge("schemas", not found, "; ".join(found) or "equal to the models", "install one release, whole")


def check_embedder(settings: Settings) -> Iterator[Finding]:
    """That the embedding model loads. Raises ValueError."""
    embedder = load_embedder(settings.embedder, threads=1)
    detail = "none: similarity is not searched" if embedder is None else f"{settings.embedder} loaded"
    yield ok("embedder", detail)


def check_disk(_settings: Settings) -> Iterator[Finding]:
    """Room on this machine's disk."""
    usage = shutil.disk_usage(Path.cwd())
    detail = f"{usage.free / (1 << 30):.1f} GiB free in {Path.cwd()}"
    yield judge("disk", usage.free > _SPARE_BYTES, detail, "make room", Status.WARN)
