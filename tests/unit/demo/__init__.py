"""Tests of the demo that need no stack."""
