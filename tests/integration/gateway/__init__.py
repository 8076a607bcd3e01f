"""The gateway against a real PostgreSQL."""
