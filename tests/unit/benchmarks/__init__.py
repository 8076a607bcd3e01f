"""Tests of the benches: a bench that is wrong measures nothing."""
