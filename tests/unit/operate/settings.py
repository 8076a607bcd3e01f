"""Settings that lead nowhere."""

from pipelines.settings import load_settings
from tests.support.pipeline import KEYS

SETTINGS = load_settings({**KEYS, "LITHIFY_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"})
