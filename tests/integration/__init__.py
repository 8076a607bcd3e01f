"""Tests against a running PostgreSQL, broker or process."""
