"""Log lines without secrets."""

import logging

from pipelines.logs import RedactingFormatter


def line(message: str, error: BaseException | None = None) -> str:
    info = None if error is None else (type(error), error, error.__traceback__)
    return RedactingFormatter().format(logging.LogRecord("name", logging.INFO, "", 0, message, None, info))


def test_a_record_and_its_traceback_hold_no_secret() -> None:
    said = line("postgres://app:hunter2@10.0.0.5/x failed", ValueError("card 4111 1111 1111 1111"))
    assert "hunter2" not in said
    assert "4111 1111" not in said
    assert "[card ****1111]" in said


def test_hosts_times_and_ids_stay() -> None:
    said = line("no answer from 10.0.0.5:5432 after 1712345678901 ms, event 550e8400-e29b-41d4-a716-446655440000")
    assert said.endswith(
        "no answer from 10.0.0.5:5432 after 1712345678901 ms, event 550e8400-e29b-41d4-a716-446655440000"
    )
    assert "[" not in said
