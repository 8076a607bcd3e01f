"""Tests of the slot rules, by rule number."""
