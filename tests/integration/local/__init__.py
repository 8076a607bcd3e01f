"""The embedded stack."""
