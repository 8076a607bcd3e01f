"""Properties that must hold for any input."""
