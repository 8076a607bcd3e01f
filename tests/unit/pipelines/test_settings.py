"""Bad settings stop the start, and say which key, which value and why."""

import pytest

from pipelines.settings import SettingsError, is_loopback, load_settings

GOOD = {
    "LITHIFY_KAFKA_BOOTSTRAP": "127.0.0.1:9092",
    "LITHIFY_DATABASE_URL": "postgresql://lithify_worker:secret@127.0.0.1/lithify",
    "LITHIFY_PSEUDONYM_KEY": "sixteen bytes or more",
    "LITHIFY_DEAD_LETTER_KEY": "c2l4dGVlbiBieXRlcyBhbmQgc2l4dGVlbiBtb3JlISE=",
}


def test_defaults() -> None:
    settings = load_settings(GOOD)
    assert settings.topic_prefix == "lithify"
    assert settings.gateway_host == "127.0.0.1"


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(GOOD | {"LITHIFY_PARTITIONS": "many", "LITHIFY_BATCH_SIZE": "0", "LITHIFY_LOG_LEVEL": "loud"})
    message = str(caught.value)
    assert "LITHIFY_PARTITIONS = 'many': Input should be a valid integer" in message
    assert "LITHIFY_BATCH_SIZE = '0': Input should be greater than or equal to 1" in message
    assert "LITHIFY_LOG_LEVEL = 'loud'" in message


def test_an_unknown_zone_is_named() -> None:
    with pytest.raises(SettingsError, match=r"LITHIFY_TIMEZONE = 'Mars/Olympus': .*unknown time zone"):
        load_settings(GOOD | {"LITHIFY_TIMEZONE": "Mars/Olympus"})


def test_a_missing_key_is_named() -> None:
    with pytest.raises(SettingsError, match=r"LITHIFY_KAFKA_BOOTSTRAP = \(not set\): Field required"):
        load_settings({key: value for key, value in GOOD.items() if key != "LITHIFY_KAFKA_BOOTSTRAP"})


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("LITHIFY_DEAD_LETTER_KEY", "hunter2", "expected a Fernet key"),
        ("LITHIFY_PSEUDONYM_KEY", "hunter2", "expected at least 16 bytes"),
    ],
)
def test_a_bad_secret_is_refused_and_never_shown(key: str, value: str, reason: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(GOOD | {key: value})
    assert f"{key} = ***: {reason}" in str(caught.value)
    assert value not in str(caught.value)
    assert "secret" not in repr(load_settings(GOOD))


MODEL = {
    "LITHIFY_MODEL_URL": "http://127.0.0.1:8000/v1",
    "LITHIFY_MODEL_NAME": "m",
    "LITHIFY_MODEL_KEY": "hunter2hunter2",
}


def test_a_model_is_an_upgrade_by_naming_it() -> None:
    assert load_settings(GOOD).reads_with == "rules"
    settings = load_settings(GOOD | MODEL)
    assert settings.reads_with == "hybrid"
    assert "hunter2" not in repr(settings)
    assert load_settings(GOOD | MODEL | {"LITHIFY_EXTRACTION_MODE": "rules"}).reads_with == "rules"
    assert load_settings(GOOD | MODEL | {"LITHIFY_EXTRACTION_MODE": "model"}).reads_with == "model"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"LITHIFY_EXTRACTION_MODE": "model"}, "extraction by model: set LITHIFY_MODEL_URL"),
        ({"LITHIFY_MODEL_URL": "http://127.0.0.1:8000/v1"}, "extraction by hybrid: set LITHIFY_MODEL_NAME"),
        ({"LITHIFY_MODEL_URL": "localhost:8000"}, "LITHIFY_MODEL_URL = 'localhost:8000'"),
        ({"LITHIFY_EXTRACTION_MODE": "llm"}, "LITHIFY_EXTRACTION_MODE = 'llm'"),
        ({"LITHIFY_MODEL_TIMEOUT_SECONDS": "0"}, "LITHIFY_MODEL_TIMEOUT_SECONDS = '0'"),
        (MODEL | {"LITHIFY_MODEL_COST_PER_DAY": "5"}, "LITHIFY_MODEL_COST_PER_DAY has no meaning without"),
    ],
)
def test_model_settings_that_cannot_work_stop_the_start(changed: dict[str, str], reason: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(GOOD | changed)
    assert reason in str(caught.value)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "gateway.example.test"])  # noqa: S104
def test_an_open_gateway_needs_a_token(host: str) -> None:
    with pytest.raises(SettingsError, match="is not loopback: set LITHIFY_GATEWAY_TOKEN"):
        load_settings(GOOD | {"LITHIFY_GATEWAY_HOST": host})
    with pytest.raises(SettingsError, match="16 characters or more"):
        load_settings(GOOD | {"LITHIFY_GATEWAY_HOST": host, "LITHIFY_GATEWAY_TOKEN": "short"})
    settings = load_settings(GOOD | {"LITHIFY_GATEWAY_HOST": host, "LITHIFY_GATEWAY_TOKEN": "x" * 16})
    assert settings.gateway_host == host


@pytest.mark.parametrize(
    ("host", "loopback"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("127.0.0.1.example.test", False)]
)
def test_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
