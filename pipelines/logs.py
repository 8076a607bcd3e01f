"""Logging of every process: one plain line a record on stderr, without secrets."""

import logging
import sys

from lithify.domain.redaction import RedactionPolicy, SecretType
from pipelines.language.redaction import PatternRedactor

FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
_HOSTS = {SecretType.IP, SecretType.ADDRESS}
"""An operator has to see which host does not answer; users' own are in texts, and texts are not logged."""
LOGGED = RedactionPolicy(types=frozenset(SecretType) - _HOSTS)


class RedactingFormatter(logging.Formatter):
    """Formats a record, traceback included, and redacts the result: the text of an error may quote anything."""

    def __init__(self, fmt: str = FORMAT) -> None:
        super().__init__(fmt)
        self._redactor = PatternRedactor(LOGGED)

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return self._redactor.redact(super().format(record)).text


def setup_logging(level: str) -> None:
    """Log to stderr from `level` on; replaces what was set up before."""
    logging.basicConfig(level=level, stream=sys.stderr, force=True)
    formatter = RedactingFormatter()
    for handler in logging.getLogger().handlers:
        handler.setFormatter(formatter)
