"""Understanding text."""
