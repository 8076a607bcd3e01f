"""Reflection: at a session's end and nightly, publishes what time has changed, and keeps episodes."""
