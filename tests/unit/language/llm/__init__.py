"""Reading with a model, without any server."""
