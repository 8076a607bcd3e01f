"""Tests of the operators' commands that need no server."""
