"""Measurements, each a command: what it measures, on what data, and how long it may take, is in its module."""
