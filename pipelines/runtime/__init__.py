"""What drives a worker: Faust underneath, batches in, one transaction each, the outbox relay beside it."""
