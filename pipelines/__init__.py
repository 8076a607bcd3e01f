"""How data flows: topics, runtime, envelope, unit of work, outbox relay, dead letters, store, settings, metrics."""
