"""Acceptance tests: the embedded stack as users run it, real input, and what must hold whatever happens."""
