"""Memory for agents: conversations become facts, contradictions become overrides that lapse."""

__version__ = "0.1.0"
