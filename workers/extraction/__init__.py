"""Extraction: reads scored turns and commands, and says which claims they hold. Stateless."""
