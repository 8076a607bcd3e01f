"""How data flows: topics, envelopes, the unit of work, and the understanding of text."""
