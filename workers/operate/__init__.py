"""What operators run beside the workers: each command in a module of its own, `python -m workers` binds them."""
